/* SPDX-License-Identifier: Apache-2.0 */
/* symv and trsv of a shared library, called from every thread of the team. */
#include "foreign-level2.h"

#include <string.h>

#include "../region.h"
#include "binding.h"

typedef void (*symv_fn)(const char *uplo, const int64_t *n, const void *alpha, const void *a,
                        const int64_t *lda, const void *x, const int64_t *incx, const void *beta,
                        void *y, const int64_t *incy, size_t uplo_length);

typedef void (*trsv_fn)(const char *uplo, const char *trans, const char *diag, const int64_t *n,
                        const void *a, const int64_t *lda, void *x, const int64_t *incx,
                        size_t uplo_length, size_t trans_length, size_t diag_length);

static const int64_t unit_stride = 1;

static int read_cell(bool solve, const struct fl_cell *cell, struct fl_blas_symbol *symbol,
                     struct fl_level2_kind *kind, struct fl_err *err)
{
    int rc = fl_blas_symbol_read(fl_cell_get(cell, "kernel"), symbol, err);
    *kind = (struct fl_level2_kind){.solve = solve, .single = symbol->base[0] == 's'};
    return rc;
}

int fl_foreign_level2_cost(bool solve, const struct fl_cell *cell, struct fl_cost *cost,
                           struct fl_err *err)
{
    struct fl_blas_symbol symbol;
    struct fl_level2_kind kind;
    int rc = read_cell(solve, cell, &symbol, &kind, err);
    if (!rc)
        fl_level2_cost(&kind, cell, cost);
    return rc;
}

int fl_foreign_level2_open(bool solve, struct fl_foreign_level2 *state,
                           const struct fl_kernel_env *env, struct fl_err *err)
{
    struct fl_blas_symbol symbol;
    struct fl_level2_kind kind;
    int rc = read_cell(solve, env->cell, &symbol, &kind, err);
    if (!rc)
        rc = fl_foreign_bind(env, &symbol, &state->function, err);
    if (!rc)
        rc = fl_level2_open(&kind, &state->operands, env, err);
    if (rc)
        return rc;
    state->uplo = state->operands.lower ? 'L' : 'U';
    state->trans = state->operands.trans ? 'T' : 'N';
    state->diag = state->operands.unit ? 'U' : 'N';
    state->n = (int64_t)state->operands.n;
    return 0;
}

uint64_t fl_foreign_level2_calls(const void *state)
{
    const struct fl_foreign_level2 *s = state;
    return fl_level2_calls(&s->operands);
}

static void symv(const struct fl_foreign_level2 *s, const void *in, void *out)
{
    static const double one = 1, zero = 0;
    static const float one_f32 = 1, zero_f32 = 0;
    const bool single = s->operands.scalar->bytes == sizeof(float);
    ((symv_fn)s->function)(&s->uplo, &s->n, single ? (const void *)&one_f32 : &one,
                           s->operands.a.at, &s->n, in, &unit_stride,
                           single ? (const void *)&zero_f32 : &zero, out, &unit_stride, 1);
}

static void trsv(const struct fl_foreign_level2 *s, const void *in, void *out)
{
    memcpy(out, in, s->operands.n * s->operands.scalar->bytes);
    ((trsv_fn)s->function)(&s->uplo, &s->trans, &s->diag, &s->n, s->operands.a.at, &s->n, out,
                           &unit_stride, 1, 1, 1);
}

static int part(void *arg, unsigned thread)
{
    const struct fl_foreign_level2 *s = arg;
    const void *in = fl_level2_in(&s->operands, thread);
    void *out = fl_level2_out(&s->operands, thread);
    for (size_t i = 0; i < s->operands.chunks; i++)
        (s->operands.solve ? trsv : symv)(s, in, out);
    return 0;
}

int fl_foreign_level2_run(void *state, const struct fl_workspace *workspace)
{
    struct fl_foreign_level2 *s = state;
    (void)workspace;
    return fl_region(s->operands.team, part, s);
}

int fl_foreign_level2_check(void *state, const struct fl_workspace *workspace, struct fl_err *err)
{
    struct fl_foreign_level2 *s = state;
    fl_level2_spoil(&s->operands);
    int rc = fl_foreign_level2_run(s, workspace);
    return rc ? rc : fl_level2_verify(&s->operands, err);
}

/* The arena belongs to the harness, and the library stays. */
void fl_foreign_level2_close(void *state)
{
    (void)state;
}
