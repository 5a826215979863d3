/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Template of small-path.h for one type and instruction set; included after FL_REAL and FL_NAME(x).
 *
 * Column i of A and column j of B are both contiguous, so each element of C is one dot product:
 * vectors run along the sum, and 4 x 2 of them are summed side by side to hide the latency of the
 * multiply-add. Sums are split over lanes: the order of summation is free.
 */
#include <stddef.h>

#include "../product.h"

static inline FL_REAL FL_NAME(dot)(size_t k, const FL_REAL *a, const FL_REAL *b)
{
    FL_REAL sum = 0;

#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < k; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Rows i to i + 3 of columns j and j + 1. */
static inline void FL_NAME(block)(const struct fl_product *p, size_t i, size_t j)
{
    const FL_REAL *a0 = (const FL_REAL *)p->a + i * p->lda, *a1 = a0 + p->lda;
    const FL_REAL *a2 = a1 + p->lda, *a3 = a2 + p->lda;
    const FL_REAL *b0 = (const FL_REAL *)p->b + j * p->ldb, *b1 = b0 + p->ldb;
    FL_REAL *c = (FL_REAL *)p->c + i + j * p->ldc;
    const FL_REAL alpha = (FL_REAL)p->alpha;
    FL_REAL s0 = 0, s1 = 0, s2 = 0, s3 = 0, t0 = 0, t1 = 0, t2 = 0, t3 = 0;

#pragma omp simd reduction(+ : s0, s1, s2, s3, t0, t1, t2, t3)
    for (size_t k = 0; k < p->k; k++) {
        const FL_REAL x = b0[k], y = b1[k];

        s0 += a0[k] * x, s1 += a1[k] * x, s2 += a2[k] * x, s3 += a3[k] * x;
        t0 += a0[k] * y, t1 += a1[k] * y, t2 += a2[k] * y, t3 += a3[k] * y;
    }
    c[0] = alpha * s0, c[1] = alpha * s1, c[2] = alpha * s2, c[3] = alpha * s3;
    c += p->ldc;
    c[0] = alpha * t0, c[1] = alpha * t1, c[2] = alpha * t2, c[3] = alpha * t3;
}

void FL_NAME(fl_small)(const struct fl_product *p)
{
    const size_t rows = p->m - p->m % 4, cols = p->n - p->n % 2;
    const FL_REAL *a = p->a, *b = p->b;
    FL_REAL *c = p->c;

    for (size_t j = 0; j < p->n; j++) {
        size_t i = j < cols ? rows : 0;

        for (size_t at = 0; j < cols && j % 2 == 0 && at < rows; at += 4)
            FL_NAME(block)(p, at, j);
        for (; i < p->m; i++)
            c[i + j * p->ldc] =
                (FL_REAL)p->alpha * FL_NAME(dot)(p->k, a + i * p->lda, b + j * p->ldb);
    }
}
