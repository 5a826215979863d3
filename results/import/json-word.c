/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and words, with what locales do to numbers. */
#include <math.h>
#include <stdlib.h>

#include "json-input.h"

enum { GROUP = 3, WORD_MAX = 127 };

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool ends_word(int c)
{
    return c == FL_JSON_EOF || !c || strchr(",:{}[]\" \t\r\n", c) != NULL;
}

/*
 * Between the digits of a number in an object, a comma, a blank or an apostrophe in front of a
 * digit can only be the locale's: what comes behind a member is a quote. In an array it is not.
 */
static bool separates(struct fl_json_reader *reader, int c, int before, bool in_object)
{
    return in_object && (c == ',' || c == ' ' || c == '\'') && is_digit(before) &&
           is_digit(fl_json_peek(reader, 1));
}

static void take_word(struct fl_json_reader *reader, bool in_object)
{
    int before = ' ';

    fl_json_begin_text(reader);
    for (;;) {
        int c = fl_json_peek(reader, 0);
        if (ends_word(c) && !separates(reader, c, before, in_object))
            break;
        char byte = (char)c;
        fl_json_put(reader, &byte, 1);
        fl_json_take(reader);
        before = c;
    }
    fl_json_end_text(reader);
}

static bool read_integer(const char *text, struct fl_json_number *out)
{
    bool negative = *text == '-';
    const char *c = text + negative;
    int64_t value = 0;

    for (; is_digit(*c); c++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *c - '0', &value))
            return false;
    if (*c || c == text + negative)
        return false;
    out->is_integer = true;
    out->integer = negative ? -value : value;
    out->real = (double)out->integer;
    return true;
}

static bool read_real(struct fl_json_reader *reader, const char *text)
{
    const char *first = text + (*text == '-');
    char *end;

    if (!is_digit(*first) && *first != '.') /* strtod() knows infinities, which are counted */
        return false;
    reader->number.is_integer = false;
    reader->number.real = strtod_l(text, &end, reader->locale);
    return end != text && !*end;
}

/* Digits in groups of three behind the first: the number without what stands between them. */
static bool ungroup(const char *text, char separator, char out[WORD_MAX + 1])
{
    size_t used = 0, group = 0, groups = 0;

    for (const char *c = text; *c; c++) {
        if (*c == separator) {
            if (!group || (groups && group != GROUP))
                return false;
            groups++;
            group = 0;
        } else if (is_digit(*c) || (c == text && *c == '-')) {
            group += *c != '-';
            out[used++] = *c;
        } else {
            return false;
        }
    }
    out[used] = '\0';
    return groups && group == GROUP;
}

static bool read_localised(struct fl_json_reader *reader)
{
    char plain[WORD_MAX + 1];
    char *comma = strchr(reader->text, ',');

    if (reader->length > WORD_MAX)
        return false;
    for (const char *separator = ",.' "; *separator; separator++)
        if (ungroup(reader->text, *separator, plain))
            return read_integer(plain, &reader->number) || read_real(reader, plain);
    if (!comma || strchr(comma + 1, ',') || strchr(reader->text, '.'))
        return false;
    memcpy(plain, reader->text, reader->length + 1);
    plain[comma - reader->text] = '.';
    return read_real(reader, plain);
}

/* NaN and infinities as any writer spells them. */
static bool read_special(struct fl_json_reader *reader)
{
    static const char *const nans[] = {"NaN", "nan", "-NaN", "-nan", "-nan(ind)", "nan(ind)"};
    static const char *const infinities[] = {"Infinity", "inf", "Inf", "-Infinity", "-inf", "-Inf"};
    size_t count = sizeof(nans) / sizeof(nans[0]);

    reader->number.is_integer = false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(reader->text, nans[i]) == 0)
            reader->number.real = (double)NAN;
        else if (strcmp(reader->text, infinities[i]) == 0)
            reader->number.real = *reader->text == '-' ? -(double)INFINITY : (double)INFINITY;
        else
            continue;
        return true;
    }
    return false;
}

enum fl_json_event fl_json_read_word(struct fl_json_reader *reader, bool in_object)
{
    take_word(reader, in_object);
    if (read_integer(reader->text, &reader->number) || read_real(reader, reader->text))
        return FL_JSON_NUMBER;
    if (strcmp(reader->text, "true") == 0)
        return FL_JSON_TRUE;
    if (strcmp(reader->text, "false") == 0)
        return FL_JSON_FALSE;
    if (strcmp(reader->text, "null") == 0)
        return FL_JSON_NULL;
    if (read_special(reader)) {
        reader->mends[FL_JSON_NOT_JSON_REAL]++;
        return FL_JSON_NUMBER;
    }
    if (is_digit(reader->text[0]) || reader->text[0] == '-') {
        if (read_localised(reader)) {
            reader->mends[FL_JSON_DIGIT_GROUPS]++;
            return FL_JSON_NUMBER;
        }
    }
    reader->mends[FL_JSON_UNREADABLE]++;
    return FL_JSON_BROKEN;
}
