/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of published numbers: what is read from them, and what is refused with which words. */
#include "results/scaling.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void read_text(const char *text, bool rates, struct fl_scaling *out)
{
    struct fl_err err = {.text = ""};

    if (fl_scaling_parse(text, strlen(text), rates, out, &err))
        fail_msg("%s", err.text);
}

static void columns_are_groups_and_times_are_inverted(void **state)
{
    struct fl_scaling got;

    (void)state;
    read_text("\xef\xbb\xbf# of \"somebody\"\r\nthreads, one mutex ,slots\r\n\r\n 8 ,4,\r\n1,2,0.5",
              false, &got);
    assert_int_equal(got.count, 2);
    assert_string_equal(got.groups[0].name, "one mutex");
    assert_string_equal(got.groups[1].name, "slots");
    assert_int_equal(got.groups[0].count, 2);
    assert_int_equal(got.groups[0].points[0].threads, 1);
    assert_true(got.groups[0].points[0].throughput == 500);
    assert_int_equal(got.groups[0].points[1].threads, 8);
    assert_true(got.groups[0].points[1].throughput == 250);
    assert_true(got.groups[1].points[0].throughput == 2000);
    assert_true(got.groups[1].points[1].throughput == 0);
    fl_scaling_release(&got);
}

static void rates_stay_as_they_are(void **state)
{
    struct fl_scaling got;

    (void)state;
    read_text("threads,a\n1,2.5\n", true, &got);
    assert_true(got.groups[0].points[0].throughput == 2.5);
    fl_scaling_release(&got);
}

static void a_hole_and_hostile_names_are_printed_safely(void **state)
{
    struct fl_scaling got;
    struct fl_err err;
    char *text = NULL;
    size_t size = 0;

    (void)state;
    read_text("threads,\xc2\x9b"
              "31m\n1,1\n2,\n4,3\n",
              true, &got);
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(fl_scaling_print(&got, 0, out, &err), 0);
    fclose(out);
    assert_non_null(strstr(text, "\n\\u{9b}31m\n"));
    assert_non_null(strstr(text, "\n2                  -\n"));
    free(text);
    fl_scaling_release(&got);
}

static void refuse_bytes(const char *text, size_t size, const char *why)
{
    struct fl_err err = {.text = ""};
    struct fl_scaling got;

    assert_int_equal(fl_scaling_parse(text, size, false, &got, &err), -EINVAL);
    if (!strstr(err.text, why))
        fail_msg("'%s' does not say '%s'", err.text, why);
    assert_true(!got.count && !got.arena.blocks);
}

static void refuse(const char *text, const char *why)
{
    refuse_bytes(text, strlen(text), why);
}

static void mistakes_are_named_with_their_line(void **state)
{
    (void)state;
    refuse("", "no rows");
    refuse("threads,a\n", "no rows");
    refuse("# x\n1,2\n", "line 2: the first line of a table is 'threads,NAME,...'");
    refuse("threads\n1\n", "line 1: the first line");
    refuse("threads,a,\n1,2,3\n", "line 1: column 3 has no name");
    refuse("threads,a\n1,2,3\n", "line 2: 3 fields instead of the 2");
    refuse("threads,a\n\n0,2\n", "line 3: '0' threads: accepted is 1 to");
    refuse("threads,a\n1.5,2\n", "'1.5' threads");
    refuse("threads,a\n99999999999,2\n", "'99999999999' threads");
    refuse("threads,a\n1,0\n", "line 2: '0' is no value");
    refuse("threads,a\n1,-1\n", "'-1' is no value");
    refuse("threads,a\n1,inf\n", "'inf' is no value");
    refuse("threads,a\n1,1e300\n", "'1e300' is no value");
    refuse("threads,a\n1,2x\n", "'2x' is no value");
    refuse("threads,\"a\"\n1,2\n", "line 1: quotes and control characters");
    refuse_bytes("threads,a\n\0001,2\n", 15, "line 2: quotes and control characters");
}

static void sizes_are_bounded(void **state)
{
    char *many = malloc(FL_SCALING_CSV_MAX + 2);
    size_t used = 0;

    (void)state;
    assert_non_null(many);
    memset(many, '\n', FL_SCALING_CSV_MAX + 1);
    refuse_bytes(many, FL_SCALING_CSV_MAX + 1, "longer than 1048576 bytes");
    strcpy(many, "threads");
    for (int i = 0; i <= FL_SCALING_GROUPS; i++)
        strcat(many, ",x");
    refuse(many, "65 columns of values, 64 are accepted");
    used = (size_t)sprintf(many, "threads,a\n");
    for (int i = 0; i <= FL_SCALING_ROWS; i++)
        used += (size_t)sprintf(many + used, "%d,1\n", i + 1);
    refuse(many, "line 1026: more than 1024 rows");
    free(many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_groups_and_times_are_inverted),
        cmocka_unit_test(rates_stay_as_they_are),
        cmocka_unit_test(a_hole_and_hostile_names_are_printed_safely),
        cmocka_unit_test(mistakes_are_named_with_their_line),
        cmocka_unit_test(sizes_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
