/* SPDX-License-Identifier: Apache-2.0 */
/* Foreign products: operands, calling and checking. */
#include "foreign.h"

#include <errno.h>
#include <string.h>

#include "../region.h"
#include "../verify.h"
#include "binding.h"

static int read_cell(bool syrk, const struct fl_cell *cell, struct fl_blas_symbol *symbol,
                     struct fl_product_kind *kind, struct fl_err *err)
{
    int rc = fl_blas_symbol_read(fl_cell_get(cell, "kernel"), symbol, err);
    if (rc)
        return rc;
    *kind = (struct fl_product_kind){.syrk = syrk, .single = symbol->base[0] == 's'};
    return 0;
}

int fl_foreign_cost(bool syrk, const struct fl_cell *cell, struct fl_cost *cost, struct fl_err *err)
{
    struct fl_blas_symbol symbol;
    struct fl_product_kind kind;
    int rc = read_cell(syrk, cell, &symbol, &kind, err);
    return rc ? rc : fl_product_cost(&kind, cell, cost, err);
}

/* A scale factor in the type of the operands, at an address that stays. */
static const void *scale(const struct fl_foreign_state *state, double value, double *place)
{
    float narrow = (float)value;
    if (state->scalar->bytes == sizeof narrow)
        memcpy(place, &narrow, sizeof narrow);
    else
        *place = value;
    return place;
}

void fl_foreign_arguments(struct fl_foreign_state *state)
{
    const struct fl_product *p = &state->product;
    struct fl_blas_call *call = &state->call;
    call->trans_a = p->trans_a ? 'T' : 'N';
    call->trans_b = p->trans_b ? 'T' : 'N';
    call->uplo = p->lower ? 'L' : 'U';
    call->m = (int64_t)p->m;
    call->n = (int64_t)p->n;
    call->k = (int64_t)p->k;
    call->lda = (int64_t)p->lda;
    call->ldb = (int64_t)p->ldb;
    call->ldc = (int64_t)p->ldc;
    call->alpha = scale(state, p->alpha, &state->alpha);
    call->beta = scale(state, p->beta, &state->beta);
    call->a = p->a;
    call->b = p->b;
    call->c = p->c;
    state->run = p->syrk ? fl_blas_syrk : fl_blas_gemm;
}

/* How often a library rounds an element of C is its secret: no more than once for each product. */
static struct fl_verify verify_of(const struct fl_foreign_state *state)
{
    return (struct fl_verify){.product = &state->product,
                              .scalar = state->scalar,
                              .seed = state->seed,
                              .roundings = state->product.k};
}

/* Operands of one caller. */
static int open_operands(struct fl_foreign_state *s, struct fl_err *err)
{
    int rc = fl_product_allocate(&s->product, s->scalar, s->arena, err);
    if (rc)
        return rc;
    fl_foreign_arguments(s);
    const struct fl_verify verify = verify_of(s);
    fl_verify_fill(&verify);
    return 0;
}

/* The other callers, with seeds of their own: results of two differ, so that each is told apart. */
static int open_members(struct fl_foreign_state *s, struct fl_err *err)
{
    const unsigned threads = fl_region_threads(s->team);
    if (threads == 1)
        return 0;
    s->members = fl_arena_alloc(s->arena, threads * sizeof *s->members, 64);
    if (!s->members)
        return fl_fail(err, -ENOMEM, "cannot open %u callers: out of memory", threads);
    s->members[0] = *s;
    for (unsigned t = 1; t < threads; t++) {
        s->members[t] = *s;
        s->members[t].seed = s->seed + ((uint64_t)t << 32);
        int rc = open_operands(&s->members[t], err);
        if (rc)
            return fl_fail_within(err, rc, "caller %u of %u", t + 1, threads);
    }
    return 0;
}

int fl_foreign_open(bool syrk, struct fl_foreign_state *state, const struct fl_kernel_env *env,
                    struct fl_err *err)
{
    struct fl_blas_symbol symbol;
    struct fl_product_kind kind;
    int rc = read_cell(syrk, env->cell, &symbol, &kind, err);
    if (!rc)
        rc = fl_product_read(&kind, env->cell, &state->product, err);
    if (!rc)
        rc = fl_foreign_bind(env, &symbol, &state->call.function, err);
    if (rc)
        return rc;
    state->scalar = kind.single ? &fl_scalar_f32 : &fl_scalar_f64;
    state->arena = env->arena;
    state->seed = env->seed;
    state->team = env->team;
    rc = open_operands(state, err);
    return rc ? rc : open_members(state, err);
}

uint64_t fl_foreign_calls(const void *state)
{
    const struct fl_foreign_state *s = state;
    return s->members ? s->team->threads : 1;
}

static int part(void *arg, unsigned thread)
{
    const struct fl_foreign_state *member = (const struct fl_foreign_state *)arg + thread;
    member->run(&member->call);
    return 0;
}

int fl_foreign_run(void *state, const struct fl_workspace *workspace)
{
    struct fl_foreign_state *s = state;
    (void)workspace;
    if (s->members)
        return fl_team_run(s->team, part, s->members);
    s->run(&s->call);
    return 0;
}

int fl_foreign_check(void *state, const struct fl_workspace *workspace, struct fl_err *err)
{
    struct fl_foreign_state *s = state;
    const size_t count = (size_t)fl_foreign_calls(s);
    const struct fl_verify_run all = {
        .products = fl_arena_alloc(s->arena, count * sizeof(struct fl_verify), sizeof(double)),
        .count = count,
        .arena = s->arena,
        .run = fl_foreign_run,
        .state = s,
    };
    if (!all.products)
        return fl_fail(err, -ENOMEM, "cannot check the product: out of memory");
    for (size_t i = 0; i < count; i++)
        all.products[i] = verify_of(s->members ? &s->members[i] : s);
    return fl_verify_run(&all, workspace, err);
}

/* The arena belongs to the harness, and the library stays. */
void fl_foreign_close(void *state)
{
    (void)state;
}
