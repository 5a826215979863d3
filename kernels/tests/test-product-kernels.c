/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels dgemm, sgemm, dsyrk and ssyrk through their tables: what they ask of a workspace,
 * what they report, and that their check passes what is right and stops what is wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "kernel-harness.h"
#include "product-kernel.h"
#include "team-rig.h"

#define EIGEN " blocking=eigen-3.4:l1=32K:l2=1M:mr=12:nr=4"

static void must_run(struct harness *h)
{
    assert_int_equal(h->ops->run(h->state, &h->workspace), 0);
}

/* A first and B second in one request list, of exactly the sizes of the rule. */
static void a_call_asks_for_two_buffers_once(void **state)
{
    static const struct {
        const char *cell;
        size_t a, b, align;
    } rows[] = {
        {"kernel=dgemm n=144" EIGEN, 144 * 144 * 8, 144 * 144 * 8, 32},
        {"kernel=dgemm n=160" EIGEN, 160 * 84 * 8, 160 * 160 * 8, 32},
        {"kernel=dgemm n=176" EIGEN, 176 * 96 * 8, 176 * 176 * 8, 32},
        {"kernel=dgemm n=192" EIGEN, 294912, 294912, 32},
        {"kernel=dgemm n=200" EIGEN, 200 * 108 * 8, 200 * 200 * 8, 32},
        {"kernel=dgemm n=240" EIGEN, 460800, 460800, 32},
        {"kernel=dsyrk n=192" EIGEN, 294912, 294912, 32},
        {"kernel=dsyrk n=448 blocking=eigen-master:l1=64K:l2=2M:mr=6:nr=8", 1605632, 1605632, 16},
        {"kernel=dgemm n=448 blocking=eigen-master:l1=64K:l2=2M:mr=6:nr=8", 1605632, 802816, 16},
        {"kernel=sgemm n=96 blocking=96x48x32", 96 * 48 * 4, 96 * 32 * 4, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct harness h;
        struct fl_request announced[FL_REQUESTS_MAX];

        harness_must_open(&h, rows[i].cell, NULL);
        must_run(&h);
        assert_int_equal(h.calls, 1);
        assert_int_equal(h.count, 2);
        assert_int_equal(h.requests[0].bytes, rows[i].a);
        assert_int_equal(h.requests[1].bytes, rows[i].b);
        if (rows[i].align)
            assert_int_equal(h.requests[0].align, rows[i].align);
        assert_int_equal(h.ops->requests(h.state, announced), 2);
        assert_memory_equal(announced, h.requests, 2 * sizeof(announced[0]));
        harness_close(&h);
    }
}

static void resolved_values_are_facts(void **state)
{
    struct harness h;

    (void)state;
    harness_must_open(&h, "kernel=dgemm n=200 isa=portable" EIGEN, NULL);
    assert_string_equal(fl_facts_get(&h.facts, "blocking"), "200x108x200");
    assert_string_equal(fl_facts_get(&h.facts, "isa"), "portable");
    assert_string_equal(fl_facts_get(&h.facts, "workspace-bytes"), "492800");
    harness_close(&h);
    harness_must_open(&h, "kernel=dsyrk n=64 k=32 blocking=16x32x8", NULL);
    assert_string_equal(fl_facts_get(&h.facts, "blocking"), "16x32x64");
    harness_close(&h);
}

static void cost_counts_operations_and_traffic(void **state)
{
    struct fl_cost cost;
    struct harness h;

    (void)state;
    assert_int_equal(harness_cell(&h, "kernel=dgemm n=20 m=10 k=30", NULL), 0);
    assert_int_equal(h.ops->cost(&h.cell, &cost, NULL), 0);
    assert_true(cost.flops == 2 * 10 * 20 * 30);
    assert_true(cost.bytes == 8 * (10 * 30 + 30 * 20 + 2 * 10 * 20));
    assert_int_equal(harness_cell(&h, "kernel=ssyrk n=20 k=30 beta=0", NULL), 0);
    assert_int_equal(h.ops->cost(&h.cell, &cost, NULL), 0);
    assert_true(cost.flops == 20 * 21 * 30);
    assert_true(cost.bytes == 4 * (20 * 30 + 210));
}

static void check_passes_right_results(void **state)
{
    static const char *const cells[] = {
        "kernel=dgemm n=1",
        "kernel=sgemm n=1",
        "kernel=dsyrk n=1",
        "kernel=ssyrk n=1",
        "kernel=dgemm n=64",
        "kernel=sgemm n=100 m=33 k=257",
        "kernel=dgemm n=65 m=7 k=300 beta=0",
        "kernel=dgemm n=50 trans=NT alpha=0.3 beta=-1.7",
        "kernel=dgemm n=50 trans=TN alpha=0",
        "kernel=sgemm n=90 trans=TT alpha=-2.5 beta=0.1 lda=97 ldb=99 ldc=120",
        "kernel=dsyrk n=70 k=31 uplo=U",
        "kernel=dsyrk n=70 k=31 uplo=L trans=T beta=0",
        "kernel=ssyrk n=77 uplo=U trans=T alpha=0.7 lda=100 ldc=101",
        "kernel=ssyrk n=200 uplo=L alpha=-1",
        "kernel=dgemm n=144 isa=portable blocking=64x48x32",
        "kernel=sgemm n=256 blocking=32x64x24",
        "kernel=dgemm n=17 k=5000",
        "kernel=sgemm n=9 k=65536",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
        struct fl_err err = {""};
        struct harness h;

        harness_must_open(&h, cells[i], NULL);
        must_run(&h);
        if (h.ops->check(h.state, &h.workspace, &err))
            fail_msg("%s: %s", cells[i], err.text);
        assert_int_equal(h.calls, 2);
        harness_close(&h);
    }
}

/* Where the spoiled element is; the harness hands its spoiler only the kernel's state. */
static size_t spoiled_row, spoiled_col;
static double spoiled_by;

static void spoil(void *state)
{
    const struct fl_product_state *s = state;
    const struct fl_matrix c = {s->product.c, s->product.m, s->product.n, s->product.ldc, 0};
    const double right = s->scalar->get(&c, spoiled_row, spoiled_col);

    s->scalar->set(&c, spoiled_row, spoiled_col, right + spoiled_by);
}

static void must_be_caught(const char *cell, size_t row, size_t col, double by, const char *word)
{
    struct fl_err err = {""};
    struct harness h;

    spoiled_row = row;
    spoiled_col = col;
    spoiled_by = by;
    harness_must_open(&h, cell, NULL);
    h.spoil = spoil;
    if (h.ops->check(h.state, &h.workspace, &err) != -EBADMSG)
        fail_msg("%s: %g more at (%zu, %zu) passed", cell, by, row, col);
    if (!strstr(err.text, word))
        fail_msg("%s: '%s' does not speak of '%s'", cell, err.text, word);
    harness_close(&h);
}

/* Operands are integers, so 1 is the least by which an element can be wrong. */
static void check_stops_a_single_wrong_element(void **state)
{
    (void)state;
    for (size_t i = 0; i < 60; i++) {
        const size_t row = i * 37 % 60, col = i * 13 % 60;

        must_be_caught("kernel=dgemm n=60", row, col, 1, "row");
        must_be_caught("kernel=sgemm n=60 trans=TN", row, col, -1, "row");
        must_be_caught("kernel=sgemm n=60 beta=0", row, col, (double)NAN, "row");
        must_be_caught("kernel=dgemm n=60 alpha=0.3", row, col, (double)INFINITY, "row");
        must_be_caught("kernel=dgemm n=60 alpha=0.3 beta=0.7", row, col, 1, "row");
        if (row >= col)
            must_be_caught("kernel=ssyrk n=60", row, col, 1, "row");
        if (row <= col)
            must_be_caught("kernel=dsyrk n=60 uplo=U trans=T", row, col, (double)NAN, "row");
    }
    must_be_caught("kernel=dgemm n=256", 255, 255, 1, "row");
    must_be_caught("kernel=sgemm n=256", 0, 255, 1, "row");
}

static void check_stops_writes_outside_the_result(void **state)
{
    (void)state;
    for (size_t col = 1; col < 40; col++) {
        must_be_caught("kernel=dsyrk n=40", col - 1, col, 1, "changed");
        must_be_caught("kernel=ssyrk n=40 uplo=U", col, col - 1, 1, "changed");
        must_be_caught("kernel=dsyrk n=40 ldc=43", 41, col, 1, "changed");
        must_be_caught("kernel=dgemm n=40 ldc=41", 40, col, (double)NAN, "changed");
    }
    must_be_caught("kernel=dsyrk n=40", 0, 39, 1, "changed");
}

static void columns_swapped(void *state)
{
    const struct fl_product_state *s = state;
    double *c = s->product.c;

    for (size_t row = 0; row < s->product.m; row++) {
        const double held = c[row];

        c[row] = c[row + s->product.ldc];
        c[row + s->product.ldc] = held;
    }
}

static void check_stops_swapped_columns(void **state)
{
    struct fl_err err = {""};
    struct harness h;

    (void)state;
    harness_must_open(&h, "kernel=dgemm n=100", NULL);
    h.spoil = columns_swapped;
    assert_int_equal(h.ops->check(h.state, &h.workspace, &err), -EBADMSG);
    harness_close(&h);
}

static void a_refused_workspace_is_an_error(void **state)
{
    struct fl_err err = {""};
    struct harness h;

    (void)state;
    harness_must_open(&h, "kernel=dgemm n=32", NULL);
    h.refuse = true;
    assert_int_equal(h.ops->run(h.state, &h.workspace), -ENOMEM);
    assert_int_equal(h.ops->check(h.state, &h.workspace, &err), -ENOMEM);
    assert_non_null(strstr(err.text, "workspace"));
    harness_close(&h);
}

/* Each thread calls once, on operands of its own; the first on those of a lone caller. */
static void threads_of_a_team_call_at_once(void **state)
{
    static const char *const cells[] = {
        "kernel=dgemm n=33 beta=0",
        "kernel=sgemm n=20 k=50 trans=NT",
        "kernel=dsyrk n=31 uplo=U",
        "kernel=ssyrk n=40 trans=T blocking=16x16x16",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
        struct fl_err err = {""};
        struct team_rig rig;
        struct harness h;

        team_rig_open(&rig, 4);
        assert_int_equal(harness_open_on(&h, cells[i], &rig.team, &err), 0);
        const struct fl_product_state *s = h.state;
        assert_int_equal(h.ops->calls(h.state), 4);
        must_run(&h);
        assert_int_equal(rig.regions, 1);
        assert_int_equal(h.calls, 4);
        assert_ptr_equal(s->members[0].product.c, s->product.c);
        assert_ptr_not_equal(s->members[3].product.a, s->members[2].product.a);
        if (h.ops->check(h.state, &h.workspace, &err))
            fail_msg("%s: %s", cells[i], err.text);
        harness_close(&h);
        team_rig_close(&rig);
    }
}

/* threads=1 is a plain call: counts of packing faults depend on it. */
static void one_thread_makes_no_region(void **state)
{
    struct fl_err err = {""};
    struct team_rig rig;
    struct harness h;

    (void)state;
    team_rig_open(&rig, 1);
    assert_int_equal(harness_open_on(&h, "kernel=dgemm n=33", &rig.team, &err), 0);
    assert_int_equal(h.ops->calls(h.state), 1);
    must_run(&h);
    assert_int_equal(rig.regions, 0);
    assert_int_equal(h.calls, 1);
    harness_close(&h);
    team_rig_close(&rig);
}

static int do_nothing(void *arg, void *const *buffers)
{
    (void)arg, (void)buffers;
    return 0;
}

static void check_stops_a_wrong_result_of_any_caller(void **state)
{
    struct fl_err err = {""};
    struct team_rig rig;
    struct harness h;

    (void)state;
    team_rig_open(&rig, 3);
    assert_int_equal(harness_open_on(&h, "kernel=dgemm n=33", &rig.team, &err), 0);
    ((struct fl_product_state *)h.state)->members[2].body = do_nothing;
    assert_int_equal(h.ops->check(h.state, &h.workspace, &err), -EBADMSG);
    harness_close(&h);
    team_rig_close(&rig);
}

static void contradictions_are_refused(void **state)
{
    struct fl_cost cost;
    struct fl_err err = {""};
    struct harness h;

    (void)state;
    assert_int_equal(harness_cell(&h, "kernel=dgemm n=64 lda=63", &err), 0);
    assert_int_equal(h.ops->cost(&h.cell, &cost, &err), -EINVAL);
    assert_non_null(strstr(err.text, "lda=63"));
    assert_int_equal(harness_cell(&h, "kernel=dgemm n=64 k=10 trans=TN lda=10", &err), 0);
    assert_int_equal(h.ops->cost(&h.cell, &cost, &err), 0);
    assert_int_equal(harness_cell(&h, "kernel=dgemm n=64 k=10 trans=NT ldb=20", &err), 0);
    assert_int_equal(h.ops->cost(&h.cell, &cost, &err), -EINVAL);
    assert_int_equal(harness_cell(&h, "kernel=ssyrk n=64 ldc=60", &err), 0);
    assert_int_equal(h.ops->cost(&h.cell, &cost, &err), -EINVAL);
}

static void bad_levels_are_refused(void **state)
{
    static const char *const cells[] = {
        "kernel=dgemm",
        "kernel=dgemm n=0",
        "kernel=dgemm n=-1",
        "kernel=dgemm n=65537",
        "kernel=dgemm n=8 trans=N",
        "kernel=dsyrk n=8 trans=NT",
        "kernel=dsyrk n=8 uplo=X",
        "kernel=dgemm n=8 isa=sse9",
        "kernel=dgemm n=8 blocking=1x1",
        "kernel=dgemm n=8 alpha=nan",
        "kernel=dgemm n=8 alpha=inf",
        "kernel=dgemm n=8 lda=0",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
        struct fl_err err = {""};
        struct harness h;

        if (harness_cell(&h, cells[i], &err) != -EINVAL)
            fail_msg("'%s' was taken", cells[i]);
        assert_true(err.text[0] != '\0');
    }
}

#if defined(__x86_64__)
static void an_instruction_set_of_another_processor_is_not_supported(void **state)
{
    struct fl_err err = {""};
    struct harness h;

    (void)state;
    assert_int_equal(harness_open(&h, "kernel=dgemm n=8 isa=neon", &err), -ENOTSUP);
    assert_non_null(strstr(err.text, "neon"));
    harness_close(&h);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_asks_for_two_buffers_once),
        cmocka_unit_test(resolved_values_are_facts),
        cmocka_unit_test(cost_counts_operations_and_traffic),
        cmocka_unit_test(check_passes_right_results),
        cmocka_unit_test(check_stops_a_single_wrong_element),
        cmocka_unit_test(check_stops_writes_outside_the_result),
        cmocka_unit_test(check_stops_swapped_columns),
        cmocka_unit_test(a_refused_workspace_is_an_error),
        cmocka_unit_test(threads_of_a_team_call_at_once),
        cmocka_unit_test(one_thread_makes_no_region),
        cmocka_unit_test(check_stops_a_wrong_result_of_any_caller),
        cmocka_unit_test(contradictions_are_refused),
        cmocka_unit_test(bad_levels_are_refused),
#if defined(__x86_64__)
        cmocka_unit_test(an_instruction_set_of_another_processor_is_not_supported),
#endif
    };

    return cmocka_run_group_tests_name("product-kernels", tests, NULL, NULL);
}
