/* SPDX-License-Identifier: Apache-2.0 */
/* Callers of a library's level 1. */
#include "foreign-level1.h"

#include <errno.h>

#include "../level1/level1-kernel.h"
#include "../region.h"

static int read_cell(const struct fl_cell *cell, struct fl_blas_symbol *symbol,
                     const struct fl_level1_name **name, struct fl_err *err)
{
    int rc = fl_blas_symbol_read(fl_cell_get(cell, "kernel"), symbol, err);

    *name = rc ? NULL : fl_level1_find(symbol->base);
    return rc;
}

int fl_foreign_level1_cost(const struct fl_cell *cell, struct fl_cost *cost, struct fl_err *err)
{
    const struct fl_level1_name *name;
    struct fl_blas_symbol symbol;
    int rc = read_cell(cell, &symbol, &name, err);

    return rc ? rc : fl_level1_cost_of(name, cell, cost, err);
}

static int open_caller(struct fl_foreign_level1 *s, struct fl_foreign_level1_caller *caller,
                       const struct fl_kernel_env *env, uint64_t seed, struct fl_err *err)
{
    struct fl_level1_operands *o = &caller->operands;
    int rc = fl_level1_operands_read(s->name, env->cell, o, err);

    if (!rc)
        rc = fl_level1_operands_map(o, env->arena, seed, err);
    if (rc)
        return rc;
    o->lenient = true;
    fl_level1_operands_fill(o);
    caller->arguments = (struct fl_level1_arguments){
        .n = (int64_t)o->n,
        .stride_x = o->x.stride,
        .stride_y = o->y.stride,
        .x = o->x.matrix.at,
        .y = o->y.matrix.at,
        .alpha_single = {FL_LEVEL1_ALPHA_RE, FL_LEVEL1_ALPHA_IM},
        .alpha_double = {FL_LEVEL1_ALPHA_RE, FL_LEVEL1_ALPHA_IM},
    };
    return 0;
}

int fl_foreign_level1_open(void *state, const struct fl_kernel_env *env, struct fl_err *err)
{
    struct fl_foreign_level1 *s = state;
    const unsigned threads = fl_region_threads(env->team);
    struct fl_blas_symbol symbol;
    int rc = read_cell(env->cell, &symbol, &s->name, err);

    if (!rc)
        rc = fl_level1_symbol_bind(env, s->name, &symbol, &s->symbol, err);
    if (rc)
        return rc;
    s->team = env->team;
    s->callers = fl_arena_alloc(env->arena, threads * sizeof(*s->callers), 128);
    if (!s->callers)
        return fl_fail(err, -ENOMEM, "cannot allocate %u callers: out of memory", threads);
    for (unsigned i = 0; i < threads && !rc; i++)
        rc = open_caller(s, &s->callers[i], env, env->seed + 16 * (uint64_t)i, err);
    return rc;
}

uint64_t fl_foreign_level1_calls(const void *state)
{
    return fl_region_threads(((const struct fl_foreign_level1 *)state)->team);
}

static int call(void *arg, unsigned thread)
{
    const struct fl_foreign_level1 *s = arg;
    struct fl_foreign_level1_caller *caller = &s->callers[thread];

    fl_level1_symbol_call(&s->symbol, s->name, &caller->arguments, &caller->value);
    return 0;
}

/* One caller needs no region: it is the plain call. */
int fl_foreign_level1_run(void *state, const struct fl_workspace *workspace)
{
    struct fl_foreign_level1 *s = state;

    (void)workspace;
    return fl_region_threads(s->team) > 1 ? fl_team_run(s->team, call, s) : call(s, 0);
}

int fl_foreign_level1_check(void *state, const struct fl_workspace *workspace, struct fl_err *err)
{
    const struct fl_foreign_level1 *s = state;
    const unsigned threads = fl_region_threads(s->team);
    int rc;

    for (unsigned i = 0; i < threads; i++) {
        fl_level1_operands_prepare(&s->callers[i].operands);
        s->callers[i].value = (struct fl_level1_value){0};
    }
    rc = fl_foreign_level1_run(state, workspace);
    if (rc)
        return fl_fail(err, rc, "cannot make the call that is checked: the team failed");
    for (unsigned i = 0; i < threads && !rc; i++)
        rc = fl_level1_operands_check(&s->callers[i].operands, &s->callers[i].value, err);
    return rc;
}

/* The arena belongs to the harness, and the library stays. */
void fl_foreign_level1_close(void *state)
{
    (void)state;
}
