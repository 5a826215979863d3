/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel foreign-gemm-small-tn: a parallel region of small gemms, each a call of dgemm_ or sgemm_
 * of a shared library from one of the team's threads.
 */
#include "../region.h"
#include "../small/chunks.h"
#include "binding.h"
#include "foreign.h"

struct state {
    struct fl_chunks chunks;
    struct fl_foreign_state one; /* a call; each thread works on a copy of its arguments */
};

static const struct fl_factor *const factors[] = {
    &fl_factor_chunk_k, &fl_factor_chunk_d, &fl_factor_chunks, &fl_factor_isa, NULL,
};

static bool is_single(const struct fl_cell *cell)
{
    return fl_cell_get(cell, "kernel")[0] == 's';
}

static int cost(const struct fl_cell *cell, struct fl_cost *out, struct fl_err *err)
{
    (void)err;
    fl_chunks_cost(cell, is_single(cell), out);
    return 0;
}

static int open(void *state, const struct fl_kernel_env *env, struct fl_err *err)
{
    struct state *s = state;
    struct fl_blas_symbol symbol;
    int rc = fl_blas_symbol_read(is_single(env->cell) ? "sgemm" : "dgemm", &symbol, err);
    if (!rc)
        rc = fl_foreign_bind(env, &symbol, &s->one.call.function, err);
    if (!rc)
        rc = fl_chunks_open(&s->chunks, is_single(env->cell), env, err);
    if (rc)
        return rc;
    s->one.product = s->chunks.all;
    s->one.product.n = FL_CHUNK_ROWS;
    s->one.scalar = s->chunks.scalar;
    fl_foreign_arguments(&s->one);
    return 0;
}

static uint64_t calls(const void *state)
{
    const struct state *s = state;
    return s->chunks.count;
}

static int part(void *arg, unsigned thread)
{
    const struct state *s = arg;
    struct fl_blas_call call = s->one.call;
    size_t begin, end;
    fl_team_split(s->chunks.count, thread, fl_region_threads(s->chunks.team), &begin, &end);
    for (size_t i = begin; i < end; i++) {
        fl_chunks_at(&s->chunks, i, &call.b, &call.c);
        s->one.run(&call);
    }
    return 0;
}

static int run(void *state, const struct fl_workspace *workspace)
{
    struct state *s = state;
    (void)workspace;
    return fl_region(s->chunks.team, part, s);
}

static int check(void *state, const struct fl_workspace *workspace, struct fl_err *err)
{
    struct state *s = state;
    return fl_chunks_check(&s->chunks, run, s, workspace, err);
}

static const char *const symbols[] = {"dgemm-small-tn", "sgemm-small-tn", NULL};

const struct fl_kernel_ops fl_kernel_foreign_gemm_small_tn = {
    .part =
        {
            .name = "foreign-gemm-small-tn",
            .summary = "dgemm-small-tn or sgemm-small-tn: many calls of blas:dgemm_ or blas:sgemm_",
            .abi = FL_PART_ABI,
            .state_size = sizeof(struct state),
        },
    .factors = factors,
    .uses = FL_USES_LIBRARY | FL_USES_TEAM,
    .symbols = symbols,
    .cost = cost,
    .open = open,
    .calls = calls,
    .run = run,
    .check = check,
    .close = fl_foreign_close,
};
