/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU lists: text to set and back, and what is refused.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "machine/cpulist.h"

static void lists_come_back_in_their_shortest_form(void **state)
{
    static const char *const pairs[][2] = {
        {"", ""},     {"0", "0"},         {"0-3,8", "0-3,8"}, {"3,2,1", "1-3"}, {"0,2,4", "0,2,4"},
        {"1-1", "1"}, {"62-65", "62-65"}, {"8191", "8191"},   {"5,5,5", "5"},   {"0-1,1-2", "0-2"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct fl_cpulist list;
        char text[64];
        assert_int_equal(fl_cpulist_parse(pairs[i][0], &list), 0);
        assert_int_equal(fl_cpulist_format(&list, text, sizeof text), 0);
        assert_string_equal(text, pairs[i][1]);
    }
}

static void texts_that_are_no_lists_are_refused(void **state)
{
    static const char *const bad[] = {"x",   "1,",   ",1",   "1-",
                                      "-1",  "3-1",  "8192", "0-99999",
                                      "1 2", "1--2", " 1",   "99999999999999999999"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct fl_cpulist list;
        assert_int_equal(fl_cpulist_parse(bad[i], &list), -EINVAL);
    }
}

static void a_buffer_too_small_is_said(void **state)
{
    struct fl_cpulist list;
    char text[4];
    (void)state;
    assert_int_equal(fl_cpulist_parse("10,12", &list), 0);
    assert_int_equal(fl_cpulist_format(&list, text, sizeof text), -E2BIG);
    assert_int_equal(fl_cpulist_count(&list), 2);
}

static void the_affinity_of_this_thread_is_not_empty(void **state)
{
    struct fl_cpulist list;
    (void)state;
    assert_int_equal(fl_cpulist_affinity(&list), 0);
    assert_true(fl_cpulist_count(&list) >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_come_back_in_their_shortest_form),
        cmocka_unit_test(texts_that_are_no_lists_are_refused),
        cmocka_unit_test(a_buffer_too_small_is_said),
        cmocka_unit_test(the_affinity_of_this_thread_is_not_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
