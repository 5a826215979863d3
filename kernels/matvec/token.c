/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass through the nodes of a model, and its check.
 */
#include "token.h"

#include <errno.h>

#include "scalar.h"

#define PROBED_NODES 8 /* of which the first two are the first and the last */
#define PROBED_ROWS  4 /* likewise */

const struct fl_factor fl_token_isa = {
    .name = "isa",
    .summary = "instruction set of the kernel; avx512 needs VNNI, neon the dot products of Armv8.2",
    .type = FL_FACTOR_WORD,
    .fallback = "auto",
    .words = fl_isa_words,
};

int fl_token_choose(struct fl_token *token, const struct fl_kernel_env *env, struct fl_err *err)
{
    enum fl_isa isa;
    int rc = fl_isa_choose_dot(fl_cell_get(env->cell, "isa"), &isa, err);

    if (rc)
        return rc;
    token->micro = fl_q4_micro(isa);
    return fl_facts_set(env->facts, "isa", "%s", fl_isa_name(isa));
}

static int fill(void *arg, unsigned thread)
{
    const struct fl_token *token = arg;

    fl_model_fill(&token->model, token->seed, thread, token->team->threads);
    return 0;
}

static const struct fl_node *last_node(const struct fl_token *token)
{
    return &token->model.nodes[token->model.count - 1];
}

int fl_token_open(struct fl_token *token, const struct fl_kernel_env *env, struct fl_err *err)
{
    const unsigned threads = env->team->threads;
    int rc;

    token->team = env->team;
    token->seed = env->seed;
    token->scratch = fl_arena_alloc(env->arena, threads * sizeof(*token->scratch), 64);
    token->kept =
        fl_arena_alloc(env->arena, fl_q4_at(last_node(token)->w.rows) * sizeof(float) + 128, 64);
    rc = token->scratch && token->kept ? 0 : -ENOMEM;
    for (unsigned i = 0; i < threads && !rc; i++)
        rc = fl_node_scratch_open(&token->scratch[i], token->model.cols_max, env->arena);
    if (rc)
        return fl_fail(err, rc, "cannot allocate scratch for %u threads: out of memory", threads);
    fl_model_draw(token->model.input, token->model.inputs, token->seed);
    rc = fl_team_run(token->team, fill, token);
    if (rc)
        return fl_fail(err, rc, "cannot fill the weights: the team's region failed");
    return fl_facts_set(env->facts, "weight-bytes", "%zu", token->model.weight_bytes);
}

static int pass(void *arg, unsigned thread)
{
    const struct fl_token *token = arg;
    const struct fl_team *team = token->team;

    for (size_t i = 0; i < token->model.count; i++) {
        fl_node_run(&token->model.nodes[i], token->micro, &token->scratch[thread], thread,
                    team->threads);
        if (token->meets)
            fl_team_barrier(team, thread);
    }
    return 0;
}

int fl_token_run(struct fl_token *token)
{
    return fl_team_run(token->team, pass, token);
}

static void spoil(const struct fl_token *token)
{
    for (size_t i = 0; i < token->model.count; i++)
        fl_node_spoil(token->model.nodes[i].out, token->model.nodes[i].w.rows);
}

/* The first, the last, then random ones. */
static size_t probe(uint64_t seed, size_t which, size_t count)
{
    return which == 0 ? 0 : which == 1 ? count - 1 : fl_draw(seed, which, 1) % count;
}

static bool is_probed(const struct fl_token *token, size_t node)
{
    for (size_t i = 0; i < PROBED_NODES; i++)
        if (probe(token->seed, i, token->model.count) == node)
            return true;
    return false;
}

/* A node by one thread, and some of its rows by plain arithmetic. */
static int replay(const struct fl_token *token, size_t which, struct fl_err *err)
{
    const struct fl_node *node = &token->model.nodes[which];
    size_t rows[PROBED_ROWS];
    float before[PROBED_ROWS];
    int rc = 0;

    for (size_t i = 0; i < PROBED_ROWS; i++) {
        rows[i] = probe(token->seed + which, i, node->w.rows);
        before[i] = node->add ? node->add[fl_q4_at(rows[i])] : 0;
    }
    fl_node_run(node, token->micro, &token->scratch[0], 0, 1);
    for (size_t i = 0; i < PROBED_ROWS && is_probed(token, which) && !rc; i++)
        rc = fl_node_verify(node, &token->scratch[0], rows[i], before[i], err);
    return rc ? fl_fail_within(err, rc, "node %zu", which) : 0;
}

static int compare(const struct fl_token *token, struct fl_err *err)
{
    const struct fl_node *last = last_node(token);

    for (size_t row = 0; row < last->w.rows; row++) {
        const float got = token->kept[fl_q4_at(row)], want = last->out[fl_q4_at(row)];

        if (fl_q4_bits(got) != fl_q4_bits(want))
            return fl_fail(err, -EBADMSG,
                           "row %zu of the last node is %.9g by %u threads, %.9g by one; want the "
                           "same bits",
                           row, (double)got, token->team->threads, (double)want);
    }
    return 0;
}

int fl_token_check(struct fl_token *token, struct fl_err *err)
{
    const struct fl_node *last = last_node(token);
    int rc;

    fl_model_draw(token->model.input, token->model.inputs, ~token->seed);
    spoil(token);
    rc = fl_token_run(token);
    if (rc)
        return fl_fail(err, rc, "cannot make the call that is checked: the team's region failed");
    for (size_t row = 0; row < last->w.rows; row++)
        token->kept[fl_q4_at(row)] = last->out[fl_q4_at(row)];
    spoil(token);
    for (size_t i = 0; i < token->model.count && !rc; i++)
        rc = replay(token, i, err);
    return rc ? rc : compare(token, err);
}
