/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Product: one matrix product as the loops see it, whatever the type of its scalars.
 *
 *   gemm: C = alpha * op(A) * op(B) + beta * C       C is m x n, the sum runs over k
 *   syrk: C = alpha * op(A) * op(A)' + beta * C      C is n x n, one triangle is touched; m = n
 *
 * Column-major, BLAS semantics: beta = 0 overwrites whatever C held, alpha = 0 reads neither A nor
 * B.
 */
#ifndef FAULTLINE_KERNELS_PRODUCT_H
#define FAULTLINE_KERNELS_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>

#include "blocking.h"

struct fl_product {
    bool syrk, lower;      /* lower: of syrk only */
    bool trans_a, trans_b; /* syrk: trans_b is set to !trans_a and b, ldb to a, lda */
    size_t m, n, k;
    size_t lda, ldb, ldc;
    double alpha, beta;
    const void *a, *b;
    void *c;
    struct fl_blocking blocking;
};

/* Scalars of the two packing buffers of one call. */
static inline size_t fl_product_packed_a(const struct fl_product *p)
{
    return p->blocking.kc * p->blocking.mc;
}

static inline size_t fl_product_packed_b(const struct fl_product *p)
{
    return p->blocking.kc * (p->syrk ? p->n : p->blocking.nc);
}

#endif
