/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Level 2: operands of small symmetric products and triangular solves, called from every thread.
 *
 *   symv: y = A * x           A is n x n and symmetric, one triangle is read
 *   trsv: op(A) * x = b       A is n x n and triangular; x starts as a copy of b in each call
 *
 * All threads read one A; each has vectors of its own, on lines of their own, and makes `chunks`
 * calls in a region. Values are integers so small that every sum is exact whatever its order:
 * results must be equal, not near. What a call must not read is not a number: the other triangle,
 * y, and the diagonal where it is taken as ones.
 */
#ifndef FAULTLINE_KERNELS_LEVEL2_H
#define FAULTLINE_KERNELS_LEVEL2_H

#include <stdbool.h>

#include "../scalar.h"
#include "faultline/kernel.h"

struct fl_level2_kind {
    bool solve, single;
};

struct fl_level2 {
    bool solve, lower, trans, unit;
    size_t n, chunks;
    const struct fl_scalar *scalar;
    struct fl_matrix a;
    char *vectors; /* of thread t: x or b at t * stride, y or x half a stride behind it */
    size_t stride; /* bytes */
    const struct fl_team *team; /* NULL: the caller alone */
};

extern const struct fl_factor fl_factor_level2_n, fl_factor_level2_uplo, fl_factor_level2_trans,
    fl_factor_level2_diag, fl_factor_level2_chunks;

void fl_level2_cost(const struct fl_level2_kind *kind, const struct fl_cell *cell,
                    struct fl_cost *cost);

/* Maps and fills the operands. 0 or -ENOMEM. */
int fl_level2_open(const struct fl_level2_kind *kind, struct fl_level2 *operands,
                   const struct fl_kernel_env *env, struct fl_err *err) FL_MUST_CHECK;

/* Elementary calls of a region. */
uint64_t fl_level2_calls(const struct fl_level2 *operands);

/* Vectors of a thread: what a call reads, and what it writes. */
static inline void *fl_level2_in(const struct fl_level2 *operands, unsigned thread)
{
    return operands->vectors + thread * operands->stride;
}

static inline void *fl_level2_out(const struct fl_level2 *operands, unsigned thread)
{
    return operands->vectors + thread * operands->stride + operands->stride / 2;
}

/* Spoils every result; what a run must then have put right. */
void fl_level2_spoil(const struct fl_level2 *operands);

/* Whether each thread's result is right. 0, or -EBADMSG naming the first element that is not. */
int fl_level2_verify(const struct fl_level2 *operands, struct fl_err *err) FL_MUST_CHECK;

#endif
