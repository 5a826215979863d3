/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties: order, replacement, and values that must not break a line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "machine/properties.h"

static void a_property_set_twice_keeps_its_place_and_the_last_value(void **state)
{
    struct fl_properties list = {0};
    (void)state;
    assert_int_equal(fl_properties_set(&list, "a", "%d", 1), 0);
    assert_int_equal(fl_properties_set(&list, "b", "two"), 0);
    assert_int_equal(fl_properties_set(&list, "a", "%d", 3), 0);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.items[0].name, "a");
    assert_string_equal(fl_properties_get(&list, "a"), "3");
    assert_null(fl_properties_get(&list, "c"));
    fl_properties_clear(&list);
    assert_int_equal(list.count, 0);
}

static void control_characters_become_spaces(void **state)
{
    struct fl_properties list = {0};
    (void)state;
    assert_int_equal(fl_properties_set(&list, "v", "%s", "a\nb\x1b[31m\tc\x7f"), 0);
    assert_string_equal(fl_properties_get(&list, "v"), "a b [31m c ");
    fl_properties_clear(&list);
}

static void a_thousand_properties_are_kept(void **state)
{
    struct fl_properties list = {0};
    (void)state;
    for (int i = 0; i < 1000; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        assert_int_equal(fl_properties_set(&list, name, "%d", i), 0);
    }
    assert_int_equal(list.count, 1000);
    assert_string_equal(fl_properties_get(&list, "p999"), "999");
    fl_properties_clear(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_property_set_twice_keeps_its_place_and_the_last_value),
        cmocka_unit_test(control_characters_become_spaces),
        cmocka_unit_test(a_thousand_properties_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
