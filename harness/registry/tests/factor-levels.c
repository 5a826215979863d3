/* SPDX-License-Identifier: Apache-2.0 */
/* What a level may be, and how a mistake is explained. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "faultline/factor.h"

static const char *const words[] = {"min", "portable", NULL};
static const struct fl_factor whole = {
    .name = "n", .summary = "size", .type = FL_FACTOR_INT, .min = 1, .max = 65536, .words = words};

static double number(enum fl_factor_type type, const char *text)
{
    double value = -1;
    return fl_factor_number(type, text, &value) ? -1 : value;
}

static void numbers_take_the_suffixes_of_their_type(void **state)
{
    (void)state;
    assert_true(number(FL_FACTOR_BYTES, "1.5M") == 1572864);
    assert_true(number(FL_FACTOR_BYTES, "32K") == 32768);
    assert_true(number(FL_FACTOR_TIME, "150ms") == 0.15);
    assert_true(number(FL_FACTOR_TIME, "0") == 0);
    assert_true(number(FL_FACTOR_TIME, "2min") == 120);
    assert_true(number(FL_FACTOR_INT, "192") == 192);
    assert_true(number(FL_FACTOR_REAL, "-0.5") == -0.5);
}

static void what_is_no_plain_number_is_refused(void **state)
{
    static const char *const bad[] = {"",    " 1",    "1 ",  "0x10", "inf",
                                      "nan", "1e999", "1.5", "one",  "--1"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_true(number(FL_FACTOR_INT, bad[i]) == -1);
    assert_true(number(FL_FACTOR_TIME, "150") == -1);   /* a time needs its unit */
    assert_true(number(FL_FACTOR_BYTES, "0.3K") == -1); /* no whole number of bytes */
    assert_true(number(FL_FACTOR_BYTES, "1KB") == -1);
}

/* Else one cell had several keys. */
static void a_whole_number_has_one_spelling(void **state)
{
    static const char *const bad[] = {"1e3", "064", "+64", "64.", "64.0", "00", "-01"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_true(number(FL_FACTOR_INT, bad[i]) == -1);
    assert_true(number(FL_FACTOR_INT, "0") == 0);
    assert_true(number(FL_FACTOR_INT, "-12") == -12);
    assert_true(number(FL_FACTOR_REAL, "1e3") == 1000);
}

static void a_level_outside_the_range_says_what_is_accepted(void **state)
{
    struct fl_err err;
    (void)state;
    assert_int_not_equal(fl_factor_check(&whole, "0", &err), 0);
    assert_non_null(strstr(err.text, "factor 'n'"));
    assert_non_null(strstr(err.text, "1 to 65536"));
    assert_int_not_equal(fl_factor_check(&whole, "-4", &err), 0);
    assert_int_not_equal(fl_factor_check(&whole, "65537", &err), 0);
    assert_int_equal(fl_factor_check(&whole, "65536", &err), 0);
    assert_int_equal(fl_factor_check(&whole, "min", &err), 0);
}

static void a_slip_gets_the_nearest_word(void **state)
{
    struct fl_err err;
    (void)state;
    assert_int_not_equal(fl_factor_check(&whole, "protable", &err), 0);
    assert_non_null(strstr(err.text, "did you mean 'portable'"));
    assert_string_equal(fl_nearest("protable", words), "portable");
    assert_null(fl_nearest("something else", words));
    assert_null(fl_nearest("", (const char *const[]){"n", NULL}));
    char long_word[301] = "";
    memset(long_word, 'x', sizeof long_word - 1);
    assert_null(fl_nearest(long_word, words));
}

static void control_characters_are_refused(void **state)
{
    static const struct fl_factor text = {.name = "t", .summary = "t", .type = FL_FACTOR_TEXT};
    struct fl_err err;
    (void)state;
    assert_int_not_equal(fl_factor_check(&text, "a\nb", &err), 0);
    assert_int_not_equal(fl_factor_check(&text, "a\x1b[2J", &err), 0);
    assert_int_equal(fl_factor_check(&text, "caf\xc3\xa9", &err), 0);
}

static void an_over_long_level_is_refused(void **state)
{
    static const struct fl_factor text = {.name = "t", .summary = "t", .type = FL_FACTOR_TEXT};
    char level[FL_LEVEL_MAX + 1];
    struct fl_err err;
    (void)state;
    memset(level, 'x', sizeof level);
    level[FL_LEVEL_MAX] = 0;
    assert_int_not_equal(fl_factor_check(&text, level, &err), 0);
    level[FL_LEVEL_MAX - 1] = 0;
    assert_int_equal(fl_factor_check(&text, level, &err), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_take_the_suffixes_of_their_type),
        cmocka_unit_test(what_is_no_plain_number_is_refused),
        cmocka_unit_test(a_whole_number_has_one_spelling),
        cmocka_unit_test(a_level_outside_the_range_says_what_is_accepted),
        cmocka_unit_test(a_slip_gets_the_nearest_word),
        cmocka_unit_test(control_characters_are_refused),
        cmocka_unit_test(an_over_long_level_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
