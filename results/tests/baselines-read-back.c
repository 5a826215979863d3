/* SPDX-License-Identifier: Apache-2.0 */
/* The text of baselines: what is written is read, and how mistakes are told. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "results/baseline.h"

#define HEAD "[machine]\nisa = a\n"

static struct fl_baseline baseline;

static int read_text(const char *text, struct fl_err *err)
{
    err->text[0] = 0;
    return fl_baseline_read("c.ini", text, strlen(text), &baseline, err);
}

static char *written(void)
{
    char *text = NULL;
    size_t size;
    struct fl_err err = {.text = ""};
    FILE *out = open_memstream(&text, &size);

    if (fl_baseline_write(&baseline, out, &err))
        fail_msg("%s", err.text);
    fclose(out);
    return text;
}

static void one_line_a_cell_and_count_in_a_stable_order(void **state)
{
    struct fl_err err;

    (void)state;
    if (read_text("[baseline]\nscenario = s\nsamples = 10\ncalls = 20\n"
                  "[machine]\nisa = avx512\nthp = madvise 2048kB=inherit\n[counts]\n"
                  "n=2 : b = 62|61\nn=1 fact.blocking=\"4 x\" : b = 0.5\nn=2 : a = 3\n",
                  &err))
        fail_msg("%s", err.text);
    char *text = written();
    assert_non_null(strstr(text,
                           "\n[baseline]\nscenario = s\nsamples = 10\ncalls = 20\n\n[machine]\n"
                           "isa = avx512\nthp = madvise 2048kB=inherit\n\n[counts]\n"
                           "n=1 fact.blocking=\"4 x\" : b = 0.5\nn=2 : a = 3\n"
                           "n=2 : b = 61|62\n"));
    free(text);
    fl_baseline_release(&baseline);
}

static void long_lines_and_odd_names_read_back(void **state)
{
    static char text[4096] = HEAD "[counts]\n";
    struct fl_err err;

    (void)state;
    for (int i = 0; i < 30; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%sfactor-%d=level-%d\n",
                 i ? "    " : "", i, i);
    strcat(text, "    name=\"a \\; b \\\" , # \\\\\" :\n    \"m ; = |\" = 1|\n    2|3\n");
    if (read_text(text, &err))
        fail_msg("%s", err.text);
    assert_int_equal(baseline.count, 1);
    assert_int_equal(baseline.counts[0].value_count, 3);
    assert_string_equal(baseline.counts[0].metric, "m ; = |");
    assert_non_null(strstr(baseline.counts[0].cell, "name=\"a ; b \\\" , # \\\\\""));
    char *first = written();
    fl_baseline_release(&baseline);
    if (read_text(first, &err))
        fail_msg("%s", err.text);
    char *second = written();
    assert_string_equal(first, second);
    fl_baseline_release(&baseline);
    free(first);
    free(second);
}

static void what_no_line_can_hold_is_refused(void **state)
{
    struct fl_baseline_count count = {.cell = "n=\"1\n[x]\"", .metric = "a"};
    double value = 1;
    struct fl_err err = {.text = ""};
    FILE *out = fopen("/dev/null", "we");

    (void)state;
    count.values = &value;
    count.value_count = 1;
    struct fl_baseline made = {.scenario = "s", .counts = &count, .count = 1};
    assert_int_equal(fl_baseline_write(&made, out, &err), -EINVAL);
    assert_non_null(strstr(err.text, "cannot hold"));
    fclose(out);
}

static void mistakes_name_file_line_and_cure(void **state)
{
    static const struct {
        const char *text, *place, *reason;
    } cases[] = {
        {HEAD "[count]\nn=1 : a = 1\n", "c.ini:4: [count]", "did you mean '[counts]'"},
        {"[baseline]\nsample = 3\n", "c.ini:2: [baseline] sample", "did you mean 'samples'"},
        {"[baseline]\nsamples = x\n", "c.ini:2: [baseline] samples", "a whole number"},
        {HEAD "[counts]\nn=1 a = 1\n", "c.ini:4: [counts]", "factor=level at 'a = 1'"},
        {HEAD "[counts]\nn=1\n", "c.ini:4: [counts]", "': METRIC = VALUE'"},
        {HEAD "[counts]\nn=1 : a 1\n", "c.ini:4: [counts]", "METRIC = VALUE"},
        {HEAD "[counts]\n\nn=1 :\n  a = 1|\n", "c.ini:5: [counts]", "expected a number"},
        {HEAD "[counts]\nn=1 : a = 1 2\n", "c.ini:4: [counts]", "'2' behind a value"},
        {HEAD "[counts]\nn=1 : a = 1|1\n", "c.ini:4: [counts]", "stands here twice"},
        {HEAD "[counts]\nn=1 : a = 1\nn=1 : a = 2\n", "c.ini:5: [counts]", "in line 4 already"},
        {HEAD "[counts]\n: a = 1\n", "c.ini:4: [counts]", "expected a cell"},
        {HEAD "isa = b\n", "c.ini:3: [machine] isa", "stands here twice"},
        {HEAD "a b = b\n", "c.ini:3: [machine] a b", "letters, digits"},
        {"[counts]\n", "c.ini: no [machine]", "no baseline"},
    };
    struct fl_err err;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        if (!read_text(cases[i].text, &err))
            fail_msg("taken: %s", cases[i].text);
        if (strncmp(err.text, cases[i].place, strlen(cases[i].place)) != 0 ||
            !strstr(err.text, cases[i].reason))
            fail_msg("'%s' lacks '%s' or '%s'", err.text, cases[i].place, cases[i].reason);
        assert_int_equal(baseline.count, 0);
    }
    assert_int_equal(fl_baseline_load("/no/such/file.ini", &baseline, &err), -ENOENT);
    assert_non_null(strstr(err.text, "cannot open baseline"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_line_a_cell_and_count_in_a_stable_order),
        cmocka_unit_test(long_lines_and_odd_names_read_back),
        cmocka_unit_test(what_no_line_can_hold_is_refused),
        cmocka_unit_test(mistakes_name_file_line_and_cure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
