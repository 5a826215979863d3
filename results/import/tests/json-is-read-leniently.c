/* SPDX-License-Identifier: Apache-2.0 */
/* What other programs write for JSON is read as it was meant, counted where it was mended. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "results/import/json-reader.h"

struct memory {
    const char *text;
    size_t left, piece;
};

/* `piece` bytes at a time, so that everything falls across the edge of a read. */
static ssize_t read_memory(void *arg, char *buffer, size_t size)
{
    struct memory *from = arg;
    size_t count = from->left < from->piece ? from->left : from->piece;

    if (count > size)
        count = size;
    memcpy(buffer, from->text, count);
    from->text += count;
    from->left -= count;
    return (ssize_t)count;
}

struct read {
    char events[4096]; /* `{k s n }`: each event by a letter, with texts and numbers */
    size_t mends[FL_JSON_MENDS];
    size_t documents;
};

static void note(struct read *out, struct fl_json_reader *reader, enum fl_json_event event)
{
    static const char *const marks[] = {"", "{", "}", "[", "]", "", "", "", "T", "F", "0", "?"};
    size_t used = strlen(out->events), room = sizeof(out->events) - used;

    if (event == FL_JSON_KEY)
        snprintf(out->events + used, room, "%s:", reader->text);
    else if (event == FL_JSON_STRING)
        snprintf(out->events + used, room, "'%s' ", reader->text);
    else if (event == FL_JSON_NUMBER && reader->number.is_integer)
        snprintf(out->events + used, room, "%lldi ", (long long)reader->number.integer);
    else if (event == FL_JSON_NUMBER)
        snprintf(out->events + used, room, "%.17g ", reader->number.real);
    else
        snprintf(out->events + used, room, "%s", marks[event]);
}

static struct read read_bytes(const char *text, size_t length, size_t piece)
{
    struct memory memory = {text, length, piece};
    const struct fl_json_source source = {read_memory, &memory};
    struct fl_json_reader *reader;
    struct fl_err err;
    struct read out = {.documents = 0};
    enum fl_json_event event;

    assert_int_equal(fl_json_open(&source, &reader, &err), 0);
    while ((event = fl_json_next(reader)) != FL_JSON_END)
        note(&out, reader, event);
    assert_int_equal(fl_json_next(reader), FL_JSON_END);
    memcpy(out.mends, reader->mends, sizeof(out.mends));
    out.documents = reader->documents;
    fl_json_close(reader);
    return out;
}

static size_t all_mends(const struct read *read)
{
    size_t sum = 0;

    for (size_t i = 0; i < FL_JSON_MENDS; i++)
        sum += read->mends[i];
    return sum;
}

/* The events, read in one piece and byte by byte; `mends` of that kind and of no other. */
static void expect(const char *text, const char *events, enum fl_json_mend mend, size_t mends)
{
    for (size_t piece = 1; piece < 5000; piece = piece == 1 ? 3 : 5000) {
        struct read read = read_bytes(text, strlen(text), piece);
        assert_string_equal(read.events, events);
        if (mend < FL_JSON_MENDS)
            assert_int_equal(read.mends[mend], mends);
        assert_int_equal(all_mends(&read), mends);
    }
}

static void good_json_needs_no_mending(void **state)
{
    (void)state;
    expect("{\"a\": [1, -2.5e3, true, false, null, \"x\"], \"b\": {}}\n",
           "{a:[1i -2500 TF0'x' ]b:{}}", FL_JSON_MENDS, 0);
    expect("{\"n\":9223372036854775807,\"m\":9223372036854775808}",
           "{n:9223372036854775807i m:9.2233720368547758e+18 }", FL_JSON_MENDS, 0);
    expect("{\"s\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\ud83d\\ude00\"}",
           "{s:'\"\\/\b\f\n\r\t\xc3\xa4\xf0\x9f\x98\x80' }", FL_JSON_MENDS, 0);
}

static void numbers_that_are_not_json_are_read(void **state)
{
    (void)state;
    expect("{\"a\": NaN, \"b\": Infinity, \"c\": -Infinity, \"d\": -nan, \"e\": inf}",
           "{a:nan b:inf c:-inf d:nan e:inf }", FL_JSON_NOT_JSON_REAL, 5);
    expect("{\"a\": 1,234,567, \"b\": 1.234.567, \"c\": 1 234, \"d\": -1'234}",
           "{a:1234567i b:1234567i c:1234i d:-1234i }", FL_JSON_DIGIT_GROUPS, 4);
    expect("{\"a\": 1,5e+02, \"b\": 2}", "{a:150 b:2i }", FL_JSON_DIGIT_GROUPS, 1);
    expect("[1]\n{\"a\": [1,234]}", "{a:[1i 234i ]}", FL_JSON_TEXT_AROUND, 1);
    expect("{\"a\": 1,2345,6}", "{a:?}", FL_JSON_UNREADABLE, 1);
}

static void missing_commas_are_seen(void **state)
{
    (void)state;
    expect("{\"a\": \"x\"\n \"b\": 1\n \"c\": 2}", "{a:'x' b:1i c:2i }", FL_JSON_NO_COMMA, 2);
    expect("{\"a\": [{} {}]}", "{a:[{}{}]}", FL_JSON_NO_COMMA, 1);
}

static void documents_and_text_around_them_are_told_apart(void **state)
{
    (void)state;
    expect("Running ./x {\n{\"a\":1}\n\n Performance counter stats for 'x':\n", "{a:1i }",
           FL_JSON_TEXT_AROUND, 2);
    expect("\xef\xbb\xbf{\"a\":1}{\"b\":2}", "{a:1i }{b:2i }", FL_JSON_MENDS, 0);
    assert_int_equal(read_bytes("{}{}\n{}", 7, 7).documents, 3);
    expect("", "", FL_JSON_MENDS, 0);
    expect("no JSON at all", "", FL_JSON_TEXT_AROUND, 1);
}

static void text_is_kept_and_made_valid(void **state)
{
    (void)state;
    expect("{\"a\": \"x\ty\nz\"}", "{a:'x\ty\nz' }", FL_JSON_CONTROL, 2);
    expect("{\"a\": \"\xff\xc3(\xed\xa0\x80\"}",
           "{a:'\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd' }", FL_JSON_NOT_UTF8,
           5);
    expect("{\"a\": \"\\ud800x\\udc00\\u0000\"}", "{a:'\xef\xbf\xbdx\xef\xbf\xbd\xef\xbf\xbd' }",
           FL_JSON_NOT_UTF8, 3);
    expect("{\"a\": \"f<\"x\">(1)\", \"b\": \"C:\\dir\"}", "{a:'f<\"x\">(1)' b:'C:\\dir' }",
           FL_JSON_QUOTES, 3);
}

static void brackets_that_do_not_fit_end_what_they_can(void **state)
{
    (void)state;
    expect("{\"a\": [1, {\"b\": 2]}", "{a:[1i {b:2i }]}", FL_JSON_BRACKETS, 1);
    expect("{\"a\": 1]}", "{a:1i }", FL_JSON_BRACKETS, 1);
    expect("{\"a\": }", "{a:?}", FL_JSON_UNREADABLE, 1);
    expect("{\"a\", \"b\": 2}", "{a:?b:2i }", FL_JSON_UNREADABLE, 2);
    expect("{word, \"b\": 2}", "{:?b:2i }", FL_JSON_UNREADABLE, 2);
}

static void truncation_is_told_at_every_byte(void **state)
{
    static const char whole[] = "{\"a\": [1, 2.5, \"x\\u00e4\", {\"b\": null}], \"c\": true}";

    (void)state;
    for (size_t length = 1; length < sizeof(whole) - 1; length++) {
        struct read read = read_bytes(whole, length, 5000);
        assert_int_equal(read.mends[FL_JSON_TRUNCATED], 1);
    }
    assert_int_equal(read_bytes(whole, sizeof(whole) - 1, 7).mends[FL_JSON_TRUNCATED], 0);
}

static void deep_nesting_is_skipped(void **state)
{
    enum { DEEP = 100000 };
    char *text = malloc(2 * DEEP + 32);

    (void)state;
    assert_non_null(text);
    size_t at = (size_t)sprintf(text, "{\"a\": ");
    memset(text + at, '[', DEEP);
    memset(text + at + DEEP, ']', DEEP);
    strcpy(text + at + 2 * DEEP, ", \"b\": 1}");
    struct read read = read_bytes(text, strlen(text), 4096);
    assert_non_null(strstr(read.events, "]b:1i }"));
    assert_int_equal(read.mends[FL_JSON_TOO_DEEP], 1);
    assert_int_equal(all_mends(&read), 1);
    free(text);
}

/* 1 GB of one string, made while it is read. */
static ssize_t read_long(void *arg, char *buffer, size_t size)
{
    size_t *left = arg, count = size < *left ? size : *left;

    static const char first[] = "{\"a\": \"", last[] = "\"}";

    memset(buffer, 'x', count);
    for (size_t i = 0; first[i] && *left == (size_t)1 << 30; i++)
        buffer[i] = first[i];
    *left -= count;
    for (size_t i = 0; last[i] && !*left; i++)
        buffer[count - 2 + i] = last[i];
    return (ssize_t)count;
}

static void long_text_is_cut(void **state)
{
    size_t left = (size_t)1 << 30;
    const struct fl_json_source source = {read_long, &left};
    struct fl_json_reader *reader;
    struct fl_err err;

    (void)state;
    assert_int_equal(fl_json_open(&source, &reader, &err), 0);
    assert_int_equal(fl_json_next(reader), FL_JSON_OBJECT);
    assert_int_equal(fl_json_next(reader), FL_JSON_KEY);
    assert_int_equal(fl_json_next(reader), FL_JSON_STRING);
    assert_int_equal(reader->length, FL_JSON_TEXT_MAX);
    assert_true(reader->cut);
    assert_int_equal(fl_json_next(reader), FL_JSON_OBJECT_END);
    assert_int_equal(reader->mends[FL_JSON_TOO_LONG], 1);
    fl_json_close(reader);
}

static ssize_t fail_to_read(void *arg, char *buffer, size_t size)
{
    (void)arg;
    (void)buffer;
    (void)size;
    return -5;
}

static void failing_reads_are_kept_apart_from_the_end(void **state)
{
    const struct fl_json_source source = {fail_to_read, NULL};
    struct fl_json_reader *reader;
    struct fl_err err;

    (void)state;
    assert_int_equal(fl_json_open(&source, &reader, &err), 0);
    assert_int_equal(fl_json_next(reader), FL_JSON_END);
    assert_int_equal(reader->failure, -5);
    fl_json_close(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_json_needs_no_mending),
        cmocka_unit_test(numbers_that_are_not_json_are_read),
        cmocka_unit_test(missing_commas_are_seen),
        cmocka_unit_test(documents_and_text_around_them_are_told_apart),
        cmocka_unit_test(text_is_kept_and_made_valid),
        cmocka_unit_test(brackets_that_do_not_fit_end_what_they_can),
        cmocka_unit_test(truncation_is_told_at_every_byte),
        cmocka_unit_test(deep_nesting_is_skipped),
        cmocka_unit_test(long_text_is_cut),
        cmocka_unit_test(failing_reads_are_kept_apart_from_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
