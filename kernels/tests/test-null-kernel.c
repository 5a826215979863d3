/* SPDX-License-Identifier: Apache-2.0 */
/* The null kernel: it asks the workspace for exactly what the cell says and does nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "kernel-harness.h"

static void without_requests_no_workspace_is_called(void **state)
{
    struct fl_request requests[FL_REQUESTS_MAX];
    struct fl_err err = {""};
    struct fl_cost cost = {1, 1};
    struct harness h;

    (void)state;
    assert_int_equal(harness_open(&h, "kernel=null", &err), 0);
    assert_int_equal(h.ops->requests(h.state, requests), 0);
    assert_int_equal(h.ops->run(h.state, &h.workspace), 0);
    assert_int_equal(h.ops->check(h.state, &h.workspace, &err), 0);
    assert_int_equal(h.calls, 0);
    assert_int_equal(h.ops->cost(&h.cell, &cost, &err), 0);
    assert_true(cost.flops == 0 && cost.bytes == 0);
    harness_close(&h);
}

static void requests_are_made_as_named(void **state)
{
    struct fl_err err = {""};
    struct harness h;

    (void)state;
    assert_int_equal(harness_open(&h, "kernel=null requests=128K+1M+24", &err), 0);
    for (size_t i = 1; i <= 3; i++) {
        assert_int_equal(h.ops->run(h.state, &h.workspace), 0);
        assert_int_equal(h.calls, i);
    }
    assert_int_equal(h.count, 3);
    assert_int_equal(h.requests[0].bytes, 128 << 10);
    assert_int_equal(h.requests[1].bytes, 1 << 20);
    assert_int_equal(h.requests[2].bytes, 24);
    harness_close(&h);
}

static void check_stops_bad_memory(void **state)
{
    struct fl_err err = {""};
    struct harness h;

    (void)state;
    assert_int_equal(harness_open(&h, "kernel=null requests=64+64", &err), 0);
    assert_int_equal(h.ops->check(h.state, &h.workspace, &err), 0);
    h.misalign = 8;
    assert_int_equal(h.ops->check(h.state, &h.workspace, &err), -EBADMSG);
    assert_non_null(strstr(err.text, "misaligned"));
    h.refuse = true;
    assert_int_equal(h.ops->run(h.state, &h.workspace), -ENOMEM);
    assert_int_equal(h.ops->check(h.state, &h.workspace, &err), -ENOMEM);
    harness_close(&h);
}

static void bad_requests_say_what_is_wanted(void **state)
{
    static const char *const levels[] = {
        "\"\"", "x", "0", "64+", "+64", "64++64", "-1", "64+none", "1+1+1+1+1+1+1+1+1"};

    (void)state;
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        struct fl_err err = {""};
        struct harness h;
        char cell[64] = "kernel=null requests=";

        strcat(cell, levels[i]);
        assert_int_equal(harness_cell(&h, cell, &err), -EINVAL);
        assert_non_null(strstr(err.text, "128K+1M"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_requests_no_workspace_is_called),
        cmocka_unit_test(requests_are_made_as_named),
        cmocka_unit_test(check_stops_bad_memory),
        cmocka_unit_test(bad_requests_say_what_is_wanted),
    };

    return cmocka_run_group_tests_name("null-kernel", tests, NULL, NULL);
}
