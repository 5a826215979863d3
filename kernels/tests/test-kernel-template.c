/* SPDX-License-Identifier: Apache-2.0 */
/* The template must be a kernel that works: it is what people copy. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernel-harness.h"

extern const struct fl_kernel_ops fl_kernel_template;

/* The template is in no registry, so the cell is put together by hand. */
static void the_template_runs_and_checks_itself(void **state)
{
    const struct fl_kernel_ops *ops = &fl_kernel_template;
    struct fl_request requests[FL_REQUESTS_MAX];
    struct fl_err err = {""};
    struct fl_cost cost;
    struct harness h;

    (void)state;
    assert_int_equal(fl_part_check(&ops->part, &err), 0);
    assert_int_equal(fl_part_probe(&ops->part, &err), 0);
    assert_int_equal(harness_cell(&h, "kernel=null", &err), 0);
    fl_cell_clear(&h.cell);
    assert_int_equal(fl_cell_set(&h.cell, ops->factors[0], "1000", &err), 0);
    const struct fl_kernel_env env = {.cell = &h.cell, .arena = &h.arena, .facts = &h.facts};

    h.state = fl_arena_alloc(&h.arena, ops->part.state_size, 64);
    assert_int_equal(ops->cost(&h.cell, &cost, &err), 0);
    assert_true(cost.bytes == 16000);
    assert_int_equal(ops->open(h.state, &env, &err), 0);
    assert_int_equal(ops->requests(h.state, requests), 1);
    assert_int_equal(requests[0].bytes, 8000);
    assert_int_equal(ops->run(h.state, &h.workspace), 0);
    assert_int_equal(ops->check(h.state, &h.workspace, &err), 0);
    assert_int_equal(h.calls, 2);
    harness_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_template_runs_and_checks_itself),
    };

    return cmocka_run_group_tests_name("kernel-template", tests, NULL, NULL);
}
