/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels matvec-q4 and decode, on teams of 1 to 7 threads. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kernel-harness.h"
#include "team-rig.h"
#include "token.h"

enum { THREADS_MAX = 7 };

struct rig {
    struct harness h;
    struct team_rig team;
    struct fl_token *token; /* the kernel's state */
};

static void must_open(struct rig *rig, const char *cell, unsigned threads, uint64_t seed)
{
    struct fl_err err = {""};

    assert_int_equal(harness_cell(&rig->h, cell, &err), 0);
    team_rig_open(&rig->team, threads);
    const struct fl_kernel_env env = {
        .cell = &rig->h.cell,
        .arena = &rig->h.arena,
        .facts = &rig->h.facts,
        .seed = seed,
        .team = &rig->team.team,
    };

    rig->h.state = rig->token = fl_arena_alloc(&rig->h.arena, rig->h.ops->part.state_size, 64);
    if (rig->h.ops->open(rig->token, &env, &err))
        fail_msg("%s: %s", cell, err.text);
}

static void close_rig(struct rig *rig)
{
    harness_close(&rig->h);
    team_rig_close(&rig->team);
}

static void must_run(struct rig *rig)
{
    assert_int_equal(rig->h.ops->run(rig->token, NULL), 0);
}

static int check(struct rig *rig, struct fl_err *err)
{
    return rig->h.ops->check(rig->token, NULL, err);
}

static void must_hold(struct rig *rig)
{
    struct fl_err err = {""};

    if (check(rig, &err))
        fail_msg("%u threads: %s", rig->team.team.threads, err.text);
}

static const float *results_of(const struct rig *rig, size_t *rows)
{
    const struct fl_node *last = &rig->token->model.nodes[rig->token->model.count - 1];

    *rows = last->w.rows;
    return last->out;
}

static bool equal(const struct rig *left, const struct rig *right)
{
    size_t rows, others;
    const float *a = results_of(left, &rows), *b = results_of(right, &others);

    assert_int_equal(rows, others);
    for (size_t row = 0; row < rows; row++)
        if (fl_q4_bits(a[fl_q4_at(row)]) != fl_q4_bits(b[fl_q4_at(row)]))
            return false;
    return true;
}

/* The same cell by each number of threads gives the bits of one thread. */
static void all_splits_agree(const char *cell)
{
    struct rig one, many;
    size_t rows;

    must_open(&one, cell, 1, 42);
    must_run(&one);
    const float *results = results_of(&one, &rows);

    for (size_t row = 0; row < rows; row++)
        assert_true(isfinite(results[fl_q4_at(row)]));
    for (unsigned threads = 1; threads <= THREADS_MAX; threads++) {
        must_open(&many, cell, threads, 42);
        must_run(&many);
        assert_true(equal(&one, &many));
        must_hold(&many);
        close_rig(&many);
    }
    close_rig(&one);
}

static void matvecs_of_odd_sizes_agree_on_all_splits(void **state)
{
    (void)state;
    all_splits_agree("kernel=matvec-q4 m=1 k=32");
    all_splits_agree("kernel=matvec-q4 m=7 k=96");
    all_splits_agree("kernel=matvec-q4 m=57 k=4128");
    all_splits_agree("kernel=matvec-q4 m=1000 k=64 isa=portable");
}

static void tokens_agree_on_all_splits(void **state)
{
    (void)state;
    all_splits_agree("kernel=decode model=chain nodes=51");
    all_splits_agree("kernel=decode model=tiny");
}

static void instruction_sets_agree_on_a_token(void **state)
{
    const char *const cells[] = {"kernel=decode model=chain isa=portable",
                                 "kernel=decode model=chain isa=auto"};
    struct rig rigs[2];

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        must_open(&rigs[i], cells[i], 1, 1);
        must_run(&rigs[i]);
    }
    assert_true(equal(&rigs[0], &rigs[1]));
    close_rig(&rigs[0]);
    close_rig(&rigs[1]);
}

/* Two runs are the same token; another seed is another. */
static void a_seed_makes_the_token(void **state)
{
    struct rig first, again, other;

    (void)state;
    must_open(&first, "kernel=decode model=chain nodes=100", 2, 9);
    must_open(&again, "kernel=decode model=chain nodes=100", 2, 9);
    must_open(&other, "kernel=decode model=chain nodes=100", 2, 10);
    must_run(&first);
    must_run(&again);
    must_run(&again);
    must_run(&other);
    assert_true(equal(&first, &again));
    assert_false(equal(&first, &other));
    close_rig(&first);
    close_rig(&again);
    close_rig(&other);
}

static void long_chains_stay_finite(void **state)
{
    struct rig rig;
    size_t rows;

    (void)state;
    must_open(&rig, "kernel=decode model=chain nodes=20000", 1, 4);
    must_run(&rig);
    const float *results = results_of(&rig, &rows);
    double square = 0;

    for (size_t row = 0; row < rows; row++)
        square += (double)results[fl_q4_at(row)] * (double)results[fl_q4_at(row)];
    assert_int_equal(rows, 64);
    assert_true(square > 0.1 * (double)rows && square < 10 * (double)rows);
    close_rig(&rig);
}

static void one_token_is_one_region_of_all_nodes(void **state)
{
    struct rig rig;

    (void)state;
    must_open(&rig, "kernel=decode model=tiny", 2, 4);
    const size_t before = rig.team.regions;

    must_run(&rig);
    assert_int_equal(rig.team.regions, before + 1);
    assert_int_equal(rig.h.ops->calls(rig.token), 6 * 4 + 1);
    close_rig(&rig);
    must_open(&rig, "kernel=decode model=chain", 2, 4);
    assert_int_equal(rig.h.ops->calls(rig.token), 2000);
    close_rig(&rig);
}

/* Who reads what: q, k and v; o from v; gate and up; down from both; the stream goes around. */
static void layers_are_wired_as_in_a_transformer(void **state)
{
    struct rig rig;

    (void)state;
    must_open(&rig, "kernel=decode model=tiny", 1, 4);
    const struct fl_node *n = rig.token->model.nodes;
    const float *input = rig.token->model.input, *stream = n[1].out;

    for (size_t at = 0; at < 24; at += 4) {
        const float *before = at ? stream : input;

        assert_ptr_equal(n[at].in, before);
        assert_ptr_equal(n[at + 1].in, n[at].out + fl_q4_at(2 * 288));
        assert_ptr_equal(n[at + 1].add, before);
        assert_ptr_equal(n[at + 2].in, stream);
        assert_ptr_equal(n[at + 3].in, n[at + 2].out);
        assert_ptr_equal(n[at + 3].up, n[at + 2].out + fl_q4_at(768));
        assert_ptr_equal(n[at + 3].add, stream);
        assert_ptr_equal(n[at + 3].out, stream);
        assert_true(n[at].norm && !n[at + 1].norm && n[at + 2].norm && !n[at + 3].norm);
        assert_true(!n[at].add && !n[at + 2].add);
    }
    assert_ptr_equal(n[24].in, stream);
    assert_int_equal(n[24].w.rows, 32000);
    close_rig(&rig);
}

/* Two heads of 16 for four of q; and gates on both sides of zero. */
static void inputs_are_made_of_heads_and_gates(void **state)
{
    float in[2 * 64], up[2 * 64];
    struct fl_arena arena = {0};
    struct fl_node_scratch scratch;
    struct fl_node node = {.input = FL_INPUT_HEADS, .head = 16, .repeat = 2, .in = in, .up = up};

    (void)state;
    assert_int_equal(fl_node_scratch_open(&scratch, 64, &arena), 0);
    fl_q4_shape(&node.w, 8, 64);
    for (size_t i = 0; i < 64; i++) {
        in[fl_q4_at(i)] = (float)i - 20;
        up[fl_q4_at(i)] = 3;
    }
    fl_node_input(&node, &fl_q4_micro_portable, &scratch);
    for (size_t i = 0; i < 64; i++) {
        const size_t from = i / 32 * 16 + i % 16;
        assert_true(scratch.x[i] == (float)from - 20);
    }
    node.input = FL_INPUT_GATED;
    fl_node_input(&node, &fl_q4_micro_portable, &scratch);
    assert_true(scratch.x[20] == 0);
    assert_true(scratch.x[21] == 1.5f && scratch.x[19] == -1.5f);
    assert_true(scratch.x[23] == 9.0f / 4);
    fl_arena_release(&arena);
}

static void models_have_their_public_shapes(void **state)
{
    struct fl_model model;

    (void)state;
    fl_model_measure("tiny", 2000, &model);
    assert_int_equal(model.count, 25);
    assert_int_equal(model.weights, 6 * (4 * 288 * 288 + 3 * 288 * 768) + 288 * 32000);
    fl_model_measure("1b", 2000, &model);
    assert_int_equal(model.count, 89);
    assert_int_equal(model.weights, 1034420224); /* 1.10e9 less embedding and norms */
    fl_model_measure("7b", 2000, &model);
    assert_int_equal(model.count, 129);
    assert_int_equal(model.cols_max, 14336);
    assert_int_equal(model.weights, 7110393856); /* 7.24e9 less embedding and norms */
    assert_int_equal(model.weight_bytes, 7110393856 / 32 * 18);
}

static void costs_are_per_node(void **state)
{
    struct fl_err err = {""};
    struct fl_cost cost;
    struct rig rig;

    (void)state;
    must_open(&rig, "kernel=decode model=chain nodes=2", 1, 4);
    assert_int_equal(rig.h.ops->cost(&rig.h.cell, &cost, &err), 0);
    assert_true(cost.flops == 2 * 64 * 128);
    assert_true(cost.bytes == 4608 + 4 * (64 + 128));
    close_rig(&rig);
    must_open(&rig, "kernel=matvec-q4 m=10 k=64", 1, 4);
    assert_int_equal(rig.h.ops->cost(&rig.h.cell, &cost, &err), 0);
    assert_true(cost.flops == 2 * 10 * 64);
    assert_true(cost.bytes == 360 + 4 * (10 + 64));
    close_rig(&rig);
}

static void refuses(const char *cell, const char *reason)
{
    struct fl_err err = {""};
    struct fl_cost cost;
    struct harness h;
    int rc = harness_cell(&h, cell, &err);

    if (!rc)
        rc = h.ops->cost(&h.cell, &cost, &err);
    assert_int_equal(rc, -EINVAL);
    if (!strstr(err.text, reason))
        fail_msg("'%s' does not say '%s'", err.text, reason);
}

static void bad_levels_name_the_cure(void **state)
{
    (void)state;
    refuses("kernel=matvec-q4 m=8 k=100", "want k=96 or k=128");
    refuses("kernel=matvec-q4 m=0 k=32", "m");
    refuses("kernel=matvec-q4 m=8 k=16", "k");
    refuses("kernel=matvec-q4 k=32", "m");
    refuses("kernel=decode model=tiny nodes=7", "leave nodes out");
    refuses("kernel=decode model=tinny", "tiny");
    refuses("kernel=decode model=chain nodes=0", "nodes");
    refuses("kernel=decode", "model");
}

static void a_model_that_does_not_fit_says_so(void **state)
{
    struct fl_err err = {""};
    struct fl_arena arena = {.limit = 1 << 20};
    struct fl_model model;

    (void)state;
    assert_int_equal(fl_model_open("7b", 2000, &arena, &model, &err), -ENOMEM);
    assert_non_null(strstr(err.text, "MiB"));
    fl_arena_release(&arena);
    arena.limit = 1 << 20;
    assert_int_equal(fl_model_open_single(4096, 4096, &arena, &model, &err), -ENOMEM);
    assert_non_null(strstr(err.text, "9 MiB"));
    fl_arena_release(&arena);
}

static void instruction_set_and_size_are_facts(void **state)
{
    struct rig rig;

    (void)state;
    must_open(&rig, "kernel=decode model=chain nodes=2 isa=portable", 1, 4);
    assert_string_equal(fl_facts_get(&rig.h.facts, "isa"), "portable");
    assert_string_equal(fl_facts_get(&rig.h.facts, "weight-bytes"), "9216");
    close_rig(&rig);
}

/* A team that loses one thread's part. */
static int run_the_first_alone(void *state, fl_region_fn body, void *arg)
{
    (void)state;
    return body(arg, 0);
}

static void checks_find_rows_that_are_left_out(void **state)
{
    const struct fl_team_ops losing = {.run = run_the_first_alone};
    struct fl_err err = {""};
    struct rig rig;

    (void)state;
    must_open(&rig, "kernel=matvec-q4 m=64 k=64", 2, 4);
    must_hold(&rig);
    const struct fl_team_ops *whole = rig.team.team.ops;

    rig.team.team.ops = &losing;
    assert_int_equal(check(&rig, &err), -EBADMSG);
    if (!strstr(err.text, "row 32 "))
        fail_msg("%s", err.text);
    rig.team.team.ops = whole;
    must_hold(&rig);
    close_rig(&rig);
}

static void multiply_badly(const struct fl_q4 *w, const struct fl_q8 *x, size_t begin, size_t end,
                           const float *add, float *y)
{
    fl_q4_micro_portable.groups(w, x, begin, end, add, y);
    if (w->rows == 64 && end == w->groups)
        y[fl_q4_at(63)] *= 1.0001f;
}

static void checks_find_products_that_are_wrong(void **state)
{
    const struct fl_q4_micro bad = {FL_ISA_PORTABLE, fl_q4_micro_portable.quantise, multiply_badly};
    struct fl_err err = {""};
    struct rig rig;

    (void)state;
    must_open(&rig, "kernel=decode model=chain nodes=10", 2, 4);
    rig.token->micro = &bad;
    assert_int_equal(check(&rig, &err), -EBADMSG);
    if (!strstr(err.text, "node ") || !strstr(err.text, "row 63 of 64x128"))
        fail_msg("%s", err.text);
    close_rig(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matvecs_of_odd_sizes_agree_on_all_splits),
        cmocka_unit_test(tokens_agree_on_all_splits),
        cmocka_unit_test(instruction_sets_agree_on_a_token),
        cmocka_unit_test(a_seed_makes_the_token),
        cmocka_unit_test(long_chains_stay_finite),
        cmocka_unit_test(one_token_is_one_region_of_all_nodes),
        cmocka_unit_test(layers_are_wired_as_in_a_transformer),
        cmocka_unit_test(inputs_are_made_of_heads_and_gates),
        cmocka_unit_test(models_have_their_public_shapes),
        cmocka_unit_test(costs_are_per_node),
        cmocka_unit_test(bad_levels_name_the_cure),
        cmocka_unit_test(a_model_that_does_not_fit_says_so),
        cmocka_unit_test(instruction_set_and_size_are_facts),
        cmocka_unit_test(checks_find_rows_that_are_left_out),
        cmocka_unit_test(checks_find_products_that_are_wrong),
    };

    return cmocka_run_group_tests_name("decode-kernel", tests, NULL, NULL);
}
