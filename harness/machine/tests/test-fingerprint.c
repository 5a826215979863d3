/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fingerprints: canonical text, naming of the field that differs, and texts that are refused.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine/fingerprint.h"

static void set(struct fl_fingerprint *f, const char *name, const char *value)
{
    assert_int_equal(fl_fingerprint_set(f, name, value), 0);
}

static void the_text_does_not_depend_on_the_order_of_setting(void **state)
{
    struct fl_fingerprint a = {0}, b = {0};
    char text_a[256], text_b[256];
    (void)state;
    set(&a, "threads", "2");
    set(&a, "zeta", "z");
    set(&a, "isa", "x86-64-v4");
    set(&a, "alpha", "a b");
    set(&b, "alpha", "a b");
    set(&b, "isa", "x86-64-v4");
    set(&b, "zeta", "z");
    set(&b, "threads", "2");
    assert_int_equal(fl_fingerprint_text(&a, text_a, sizeof text_a), 0);
    assert_int_equal(fl_fingerprint_text(&b, text_b, sizeof text_b), 0);
    assert_string_equal(text_a, "isa=x86-64-v4 threads=2 alpha=\"a b\" zeta=z");
    assert_string_equal(text_a, text_b);
    assert_null(fl_fingerprint_differs(&a, &b));
    assert_true(fl_fingerprint_hash(&a) == fl_fingerprint_hash(&b));
    fl_fingerprint_release(&a);
    fl_fingerprint_release(&b);
}

static void the_first_field_that_differs_is_named(void **state)
{
    struct fl_fingerprint a = {0}, b = {0};
    (void)state;
    set(&a, "isa", "x86-64-v3");
    set(&a, "page", "4096");
    set(&a, "malloc", "glibc");
    set(&b, "isa", "x86-64-v3");
    set(&b, "page", "65536");
    set(&b, "malloc", "jemalloc");
    assert_string_equal(fl_fingerprint_differs(&a, &b), "page");
    set(&b, "page", "4096");
    assert_string_equal(fl_fingerprint_differs(&a, &b), "malloc");
    set(&b, "malloc", "glibc");
    set(&b, "thp", "off");
    assert_string_equal(fl_fingerprint_differs(&a, &b), "thp");
    assert_string_equal(fl_fingerprint_differs(&b, &a), "thp");
    assert_true(fl_fingerprint_hash(&a) != fl_fingerprint_hash(&b));
    fl_fingerprint_release(&a);
    fl_fingerprint_release(&b);
}

static void the_text_comes_back(void **state)
{
    struct fl_fingerprint a = {0}, b = {0};
    struct fl_err err = {{0}};
    char text[512];
    (void)state;
    set(&a, "thp", "always 64kB=inherit");
    set(&a, "library", "quote \" and \\ slash");
    set(&a, "blocking", "");
    assert_int_equal(fl_fingerprint_text(&a, text, sizeof text), 0);
    assert_int_equal(fl_fingerprint_parse(text, &b, &err), 0);
    assert_null(fl_fingerprint_differs(&a, &b));
    assert_int_equal(fl_fingerprint_text(&a, text, 10), -E2BIG);
    fl_fingerprint_release(&a);
    fl_fingerprint_release(&b);
}

static void bad_names_and_texts_are_refused(void **state)
{
    struct fl_fingerprint f = {0};
    struct fl_err err = {{0}};
    (void)state;
    assert_int_equal(fl_fingerprint_set(&f, "", "x"), -EINVAL);
    assert_int_equal(fl_fingerprint_set(&f, "a b", "x"), -EINVAL);
    assert_int_equal(fl_fingerprint_set(&f, "a=b", "x"), -EINVAL);
    assert_true(fl_fingerprint_parse("isa=\"open", &f, &err) < 0);
    assert_true(err.text[0] != '\0');
    fl_fingerprint_release(&f);
}

static void a_machine_with_holes_has_unknown_fields(void **state)
{
    struct fl_properties environment = {0};
    struct fl_fingerprint f = {0};
    (void)state;
    assert_int_equal(fl_properties_set(&environment, "kernel.release", "6.1.0-18-amd64"), 0);
    assert_int_equal(fl_properties_set(&environment, "thp.enabled", "absent"), 0);
    assert_int_equal(fl_fingerprint_of_machine(&environment, &f), 0);
    assert_string_equal(fl_properties_get(&f.fields, "kernel"), "6");
    assert_string_equal(fl_properties_get(&f.fields, "thp"), "unknown none");
    assert_string_equal(fl_properties_get(&f.fields, "isa"), "unknown");
    fl_fingerprint_release(&f);
    fl_properties_clear(&environment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_does_not_depend_on_the_order_of_setting),
        cmocka_unit_test(the_first_field_that_differs_is_named),
        cmocka_unit_test(the_text_comes_back),
        cmocka_unit_test(bad_names_and_texts_are_refused),
        cmocka_unit_test(a_machine_with_holes_has_unknown_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
