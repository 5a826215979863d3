/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel decode: one token, a chain of matvecs with a barrier behind each. */
#include <errno.h>

#include "token.h"

#define CHAIN_NODES "2000" /* of ggml's test of its barrier */

static const struct fl_factor model_factor = {
    .name = "model",
    .summary = "chain: small matvecs; else the matvecs of stories15M, TinyLlama 1.1B, Mistral 7B",
    .type = FL_FACTOR_WORD,
    .words = fl_model_words,
};

static const struct fl_factor nodes_factor = {
    .name = "nodes",
    .summary = "matvecs of a token, for model=chain; the other models have their own number",
    .type = FL_FACTOR_INT,
    .fallback = CHAIN_NODES,
    .min = 1,
    .max = FL_MODEL_NODES_MAX,
};

static const struct fl_factor *const factors[] = {&model_factor, &nodes_factor, &fl_token_isa,
                                                  NULL};

static size_t nodes_of(const struct fl_cell *cell)
{
    return (size_t)fl_cell_number(cell, "nodes", 1);
}

/* Of one node, on average. */
static int cost(const struct fl_cell *cell, struct fl_cost *out, struct fl_err *err)
{
    const char *name = fl_cell_get(cell, "model"), *nodes = fl_cell_get(cell, "nodes");
    struct fl_model model;

    if (strcmp(name, "chain") != 0 && strcmp(nodes, CHAIN_NODES) != 0)
        return fl_fail(err, -EINVAL,
                       "cannot use nodes=%s: model '%s' has its own number; leave nodes out", nodes,
                       name);
    fl_model_measure(name, nodes_of(cell), &model);
    out->flops = 2 * (double)model.weights / (double)model.count;
    out->bytes = (double)model.bytes / (double)model.count;
    return 0;
}

static int open(void *state, const struct fl_kernel_env *env, struct fl_err *err)
{
    struct fl_token *token = state;
    int rc = fl_token_choose(token, env, err);

    token->meets = true;
    if (!rc)
        rc = fl_model_open(fl_cell_get(env->cell, "model"), nodes_of(env->cell), env->arena,
                           &token->model, err);
    return rc ? rc : fl_token_open(token, env, err);
}

static uint64_t calls(const void *state)
{
    const struct fl_token *token = state;

    return token->model.count;
}

static int run(void *state, const struct fl_workspace *workspace)
{
    (void)workspace;
    return fl_token_run(state);
}

static int check(void *state, const struct fl_workspace *workspace, struct fl_err *err)
{
    (void)workspace;
    return fl_token_check(state, err);
}

/* The arena belongs to the harness. */
static void close(void *state)
{
    (void)state;
}

const struct fl_kernel_ops fl_kernel_decode = {
    .part =
        {
            .name = "decode",
            .summary = "a token: a chain of matvecs, a barrier behind each; counts are per node",
            .abi = FL_PART_ABI,
            .state_size = sizeof(struct fl_token),
        },
    .factors = factors,
    .uses = FL_USES_TEAM | FL_MAKES_TOKENS,
    .cost = cost,
    .open = open,
    .calls = calls,
    .run = run,
    .check = check,
    .close = close,
};
