/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels dgemm-small-tn and sgemm-small-tn through their tables: calls and requests, on one
 * thread and on a team; that results are right, and that their check stops what is wrong.
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

#include "faultline/registry.h"
#include "kernel-harness.h"
#include "small-cases.h"
#include "small-tn.h"
#include "team-rig.h"

static void must_pass(const char *cell, const struct fl_team *team)
{
    struct harness h;

    harness_must_open(&h, cell, team);
    harness_must_check(&h, cell);
    harness_close(&h);
}

/* A pool is entered once for each gemm, whatever shares the gemms out. */
static void each_gemm_enters_the_workspace_once(void **state)
{
    struct fl_request announced[FL_REQUESTS_MAX];
    struct team_rig rig;
    struct harness h;

    (void)state;
    team_rig_open(&rig, 3);
    harness_must_open(&h, "kernel=dgemm-small-tn k=10 d=3 chunks=32 blocking=3x10x256", &rig.team);
    assert_int_equal(h.ops->calls(h.state), 32);
    rig.regions = 0;
    assert_int_equal(h.ops->run(h.state, &h.workspace), 0);
    assert_int_equal(rig.regions, 1);
    assert_int_equal(h.calls, 32);
    assert_int_equal(h.count, 2);
    assert_int_equal(h.requests[0].bytes, 10 * 3 * 8);
    assert_int_equal(h.requests[1].bytes, 256 * 3 * 8);
    assert_int_equal(h.ops->requests(h.state, announced), 2);
    assert_memory_equal(announced, h.requests, 2 * sizeof announced[0]);
    harness_close(&h);
    team_rig_close(&rig);
}

static void the_published_region_has_1360_calls(void **state)
{
    struct harness h;
    struct fl_cost cost;

    (void)state;
    harness_must_open(&h, "kernel=dgemm-small-tn k=10 d=16", NULL);
    assert_int_equal(h.ops->calls(h.state), 1360);
    assert_int_equal(h.ops->cost(&h.cell, &cost, NULL), 0);
    assert_true(cost.flops == 2 * 10 * 16 * 256);
    assert_true(cost.bytes == 8 * (10 * 16 + 26 * 256));
    harness_close(&h);
}

static void calls_that_skip_packing_never_enter_the_workspace(void **state)
{
    struct harness h;

    (void)state;
    harness_must_open(&h, "kernel=sgemm-small-tn k=10 d=3 chunks=4 small-path=always", NULL);
    h.refuse = true;
    assert_int_equal(h.ops->run(h.state, &h.workspace), 0);
    assert_int_equal(h.calls, 0);
    assert_string_equal(fl_facts_get(&h.facts, "path"), "without packing");
    harness_close(&h);
}

/* m * n <= 1200 and k >= 32 and m * n * k <= 100^3; for others than A' * B the last alone. */
static void the_gate_is_that_of_the_library(void **state)
{
    static const struct {
        bool trans_a, trans_b;
        size_t m, n, k;
        bool taken;
    } rows[] = {
        {true, false, 10, 256, 3, false},    {true, false, 10, 256, 16, false},
        {true, false, 100, 256, 50, false},  {true, false, 10, 256, 128, false},
        {true, false, 4, 256, 32, true},     {true, false, 4, 256, 31, false},
        {true, false, 4, 300, 32, true},     {true, false, 1201, 1, 32, false},
        {true, false, 10, 100, 1000, true},  {true, false, 10, 100, 1001, false},
        {false, false, 100, 100, 100, true}, {false, false, 100, 100, 101, false},
        {true, true, 10, 256, 3, true},      {false, true, 256, 256, 15, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct fl_product p = {.trans_a = rows[i].trans_a,
                                     .trans_b = rows[i].trans_b,
                                     .m = rows[i].m,
                                     .n = rows[i].n,
                                     .k = rows[i].k};

        if (fl_small_path_taken("openblas-skylakex", &p) != rows[i].taken)
            fail_msg("row %zu", i);
        assert_false(fl_small_path_taken("never", &p));
        assert_true(fl_small_path_taken("always", &p));
    }
}

static void the_gate_decides_in_a_cell(void **state)
{
    struct harness h;

    (void)state;
    harness_must_open(&h, "kernel=dgemm-small-tn k=4 d=64 chunks=3 small-path=openblas-skylakex",
                      NULL);
    assert_int_equal(h.ops->run(h.state, &h.workspace), 0);
    assert_int_equal(h.calls, 0);
    harness_close(&h);
    harness_must_open(&h, "kernel=dgemm-small-tn k=10 d=64 chunks=3 small-path=openblas-skylakex",
                      NULL);
    assert_int_equal(h.ops->run(h.state, &h.workspace), 0);
    assert_int_equal(h.calls, 3);
    assert_string_equal(fl_facts_get(&h.facts, "path"), "packed");
    harness_close(&h);
}

static void results_are_right_on_every_path_and_team(void **state)
{
    static const char *const paths[] = {"never", "always"};
    static const char *const isas[] = {"auto", "portable"};
    static const size_t sides[][2] = {{10, 3}, {1, 1}, {7, 33}, {100, 50}, {13, 300}};
    struct team_rig rig;

    (void)state;
    team_rig_open(&rig, 3);
    for (size_t i = 0; i < 2 * 2 * 2 * 5; i++) {
        char cell[160];

        snprintf(cell, sizeof cell,
                 "kernel=%cgemm-small-tn k=%zu d=%zu chunks=7 small-path=%s isa=%s",
                 i & 1 ? 's' : 'd', sides[i / 8][0], sides[i / 8][1], paths[i >> 1 & 1],
                 isas[i >> 2 & 1]);
        must_pass(cell, NULL);
        must_pass(cell, &rig.team);
    }
    team_rig_close(&rig);
}

static void results_are_right_under_each_instruction_set(void **state)
{
    (void)state;
    for (int isa = 0; isa < FL_ISA_COUNT; isa++)
        for (int single = 0; single < 2; single++)
            if (!fl_isa_probe((enum fl_isa)isa, NULL))
                assert_int_equal(small_cases((enum fl_isa)isa, single), 0);
}

/* More threads than chunks: some have no call, and the region ends. */
static void idle_threads_come_back(void **state)
{
    struct team_rig rig;

    (void)state;
    team_rig_open(&rig, 8);
    must_pass("kernel=dgemm-small-tn k=5 d=4 chunks=3", &rig.team);
    team_rig_close(&rig);
}

/* One kernel on one workspace, called from every thread of the team. */
static void must_pass_on(const char *cell, const struct fl_workspace_ops *ops, struct team_rig *rig)
{
    struct fl_request requests[FL_REQUESTS_MAX];
    struct fl_err err = {""};
    struct harness h;

    harness_must_open(&h, cell, &rig->team);
    const size_t count = h.ops->requests(h.state, requests);
    struct fl_workspace workspace = {ops, fl_arena_alloc(&h.arena, ops->part.state_size + 64, 64)};

    if (ops->open(workspace.state, requests, count, rig->team.threads, "", &err) ||
        h.ops->run(h.state, &workspace) || h.ops->check(h.state, &workspace, &err))
        fail_msg("%s on %s: %s", cell, ops->part.name, err.text);
    ops->close(workspace.state);
    harness_close(&h);
}

/* A buffer that is handed to two callers at once shows as a wrong result. */
static void every_workspace_serves_all_callers(void **state)
{
    static const char *const cells[] = {
        "kernel=dgemm-small-tn k=10 d=16 chunks=60",
        "kernel=sgemm-small-tn k=100 d=50 chunks=12",
        "kernel=dsymv n=15 chunks=200",
        "kernel=strsv n=15 chunks=200",
        "kernel=dgemm n=48",
    };
    struct team_rig rig;

    (void)state;
    team_rig_open(&rig, 4);
    for (const struct fl_workspace_ops *const *w = fl_registry_workspaces(); *w; w++)
        for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
            if (strcmp((*w)->part.name, "null") != 0 && !fl_part_probe(&(*w)->part, NULL))
                must_pass_on(cells[i], *w, &rig);
    team_rig_close(&rig);
}

/* Bit for bit: the split decides who computes a chunk, not how. */
static void a_team_computes_what_one_thread_does(void **state)
{
    static const char cell[] = "kernel=dgemm-small-tn k=10 d=37 chunks=9";
    struct team_rig rig;
    struct harness one, many;
    const size_t bytes = 9 * 256 * 10 * sizeof(double);

    (void)state;
    team_rig_open(&rig, 4);
    harness_must_open(&one, cell, NULL);
    harness_must_open(&many, cell, &rig.team);
    assert_int_equal(one.ops->run(one.state, &one.workspace), 0);
    assert_int_equal(many.ops->run(many.state, &many.workspace), 0);
    const struct fl_small_tn *a = one.state, *b = many.state;
    assert_memory_equal(a->chunks.all.c, b->chunks.all.c, bytes);
    harness_close(&one);
    harness_close(&many);
    team_rig_close(&rig);
}

static void a_refused_workspace_is_an_error(void **state)
{
    struct fl_err err = {""};
    struct team_rig rig;
    struct harness h;

    (void)state;
    team_rig_open(&rig, 2);
    harness_must_open(&h, "kernel=dgemm-small-tn k=10 d=3 chunks=4", &rig.team);
    h.refuse = true;
    assert_int_equal(h.ops->run(h.state, &h.workspace), -ENOMEM);
    assert_int_equal(h.ops->check(h.state, &h.workspace, &err), -ENOMEM);
    harness_close(&h);
    team_rig_close(&rig);
}

/* Where the result is spoiled after each call; the harness hands its spoiler only the state. */
static size_t spoiled_chunk, spoiled_row, spoiled_column;

static void spoil(void *state)
{
    const struct fl_small_tn *s = state;
    const struct fl_product *p = &s->chunks.all;
    const size_t column = spoiled_chunk * FL_CHUNK_ROWS + spoiled_column;
    double *element = (double *)p->c + spoiled_row + column * p->ldc;

    *element += 1;
}

static void check_stops_one_wrong_element_of_any_chunk(void **state)
{
    (void)state;
    for (size_t i = 0; i < 24; i++) {
        struct fl_err err = {""};
        struct harness h;

        harness_must_open(&h, "kernel=dgemm-small-tn k=10 d=3 chunks=12", NULL);
        spoiled_chunk = i % 12; /* after the last call, whatever comes before is done */
        spoiled_row = i % 10;
        spoiled_column = i * 11 % FL_CHUNK_ROWS;
        h.spoil = spoil;
        if (h.ops->check(h.state, &h.workspace, &err) != -EBADMSG)
            fail_msg("a wrong element in row %zu passed", spoiled_row);
        harness_close(&h);
    }
}

static void skip_a_chunk(void *state)
{
    struct fl_small_tn *s = state;

    s->chunks.count = 5; /* of 6: the last is not computed */
}

static void check_stops_a_chunk_that_is_left_out(void **state)
{
    struct fl_err err = {""};
    struct harness h;

    (void)state;
    harness_must_open(&h, "kernel=sgemm-small-tn k=10 d=3 chunks=6", NULL);
    skip_a_chunk(h.state);
    assert_int_equal(h.ops->check(h.state, &h.workspace, &err), -EBADMSG);
    harness_close(&h);
}

static void bad_levels_are_refused(void **state)
{
    static const char *const cells[] = {
        "kernel=dgemm-small-tn k=10",
        "kernel=dgemm-small-tn d=10",
        "kernel=dgemm-small-tn k=0 d=3",
        "kernel=dgemm-small-tn k=10 d=4097",
        "kernel=dgemm-small-tn k=10 d=3 chunks=0",
        "kernel=dgemm-small-tn k=10 d=3 chunks=65537",
        "kernel=dgemm-small-tn k=10 d=3 small-path=sometimes",
        "kernel=dgemm-small-tn k=10 d=3 blocking=3x",
    };

    (void)state;
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        struct fl_err err = {""};
        struct harness h;

        if (harness_cell(&h, cells[i], &err) != -EINVAL)
            fail_msg("'%s' was taken", cells[i]);
        assert_true(err.text[0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_gemm_enters_the_workspace_once),
        cmocka_unit_test(the_published_region_has_1360_calls),
        cmocka_unit_test(calls_that_skip_packing_never_enter_the_workspace),
        cmocka_unit_test(the_gate_is_that_of_the_library),
        cmocka_unit_test(the_gate_decides_in_a_cell),
        cmocka_unit_test(results_are_right_on_every_path_and_team),
        cmocka_unit_test(results_are_right_under_each_instruction_set),
        cmocka_unit_test(idle_threads_come_back),
        cmocka_unit_test(every_workspace_serves_all_callers),
        cmocka_unit_test(a_team_computes_what_one_thread_does),
        cmocka_unit_test(a_refused_workspace_is_an_error),
        cmocka_unit_test(check_stops_one_wrong_element_of_any_chunk),
        cmocka_unit_test(check_stops_a_chunk_that_is_left_out),
        cmocka_unit_test(bad_levels_are_refused),
    };

    return cmocka_run_group_tests_name("small gemms", tests, NULL, NULL);
}
