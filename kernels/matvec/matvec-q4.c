/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel matvec-q4: y = W x, 4-bit weights, x quantised to 8 bits on each call. */
#include <errno.h>

#include "token.h"

#define DIMENSION_MAX (1 << 20)

static const struct fl_factor m_factor = {
    .name = "m",
    .summary = "rows of W",
    .type = FL_FACTOR_INT,
    .min = 1,
    .max = DIMENSION_MAX,
};

static const struct fl_factor k_factor = {
    .name = "k",
    .summary = "columns of W, a multiple of 32",
    .type = FL_FACTOR_INT,
    .min = FL_Q4_BLOCK,
    .max = DIMENSION_MAX,
};

static const struct fl_factor *const factors[] = {&m_factor, &k_factor, &fl_token_isa, NULL};

static int cost(const struct fl_cell *cell, struct fl_cost *out, struct fl_err *err)
{
    const size_t m = (size_t)fl_cell_number(cell, "m", 1);
    const size_t k = (size_t)fl_cell_number(cell, "k", FL_Q4_BLOCK);
    const size_t below = k / FL_Q4_BLOCK * FL_Q4_BLOCK;

    if (k != below)
        return fl_fail(err, -EINVAL,
                       "cannot use k=%zu: weights come in blocks of %d; want k=%zu or k=%zu", k,
                       FL_Q4_BLOCK, below, below + FL_Q4_BLOCK);
    out->flops = 2 * (double)(m * k);
    out->bytes = (double)fl_q4_bytes(m, k);
    return 0;
}

static int open(void *state, const struct fl_kernel_env *env, struct fl_err *err)
{
    struct fl_token *token = state;
    int rc = fl_token_choose(token, env, err);

    if (!rc)
        rc = fl_model_open_single((size_t)fl_cell_number(env->cell, "m", 1),
                                  (size_t)fl_cell_number(env->cell, "k", FL_Q4_BLOCK), env->arena,
                                  &token->model, err);
    return rc ? rc : fl_token_open(token, env, err);
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

const struct fl_kernel_ops fl_kernel_matvec_q4 = {
    .part =
        {
            .name = "matvec-q4",
            .summary = "y = W x, weights of 4 bits, x quantised to 8 bits on each call",
            .abi = FL_PART_ABI,
            .state_size = sizeof(struct fl_token),
        },
    .factors = factors,
    .uses = FL_USES_TEAM,
    .cost = cost,
    .open = open,
    .run = run,
    .check = check,
    .close = close,
};
