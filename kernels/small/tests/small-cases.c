/* SPDX-License-Identifier: Apache-2.0 */
/* Integers whose sums are exact: results must be equal. */
#include "small-cases.h"

#include <stdio.h>

#include "../../scalar.h"
#include "../small-path.h"

#define M_MAX 9
#define N_MAX 7
#define K_MAX 70

static double a[M_MAX * K_MAX], b[N_MAX * K_MAX], c[(M_MAX + 2) * N_MAX];

/* Whether C = -2 * A' * B, and the rows behind each column are as they were. */
static bool is_right(const struct fl_product *p, const struct fl_scalar *scalar)
{
    const struct fl_matrix ma = {a, p->k, p->m, p->lda, 1}, mb = {b, p->k, p->n, p->ldb, 2};
    const struct fl_matrix mc = {c, p->m, p->n, p->ldc, 3};

    for (size_t j = 0; j < p->n; j++)
        for (size_t i = 0; i < p->ldc; i++) {
            double want = 0;

            for (size_t k = 0; k < p->k && i < p->m; k++)
                want -= 2 * scalar->get(&ma, k, i) * scalar->get(&mb, k, j);
            if (scalar->get(&mc, i, j) != (i < p->m ? want : 1234))
                return false;
        }
    return true;
}

static bool one_case(enum fl_isa isa, bool single, size_t m, size_t n, size_t k)
{
    const struct fl_scalar *scalar = single ? &fl_scalar_f32 : &fl_scalar_f64;
    const struct fl_product p = {.trans_a = true,
                                 .m = m,
                                 .n = n,
                                 .k = k,
                                 .lda = k,
                                 .ldb = k,
                                 .ldc = m + 2,
                                 .alpha = -2,
                                 .a = a,
                                 .b = b,
                                 .c = c};
    const struct fl_matrix filled[] = {
        {a, k, m, k, 1},
        {b, k, n, k, 2},
        {c, m, n, m + 2, 3},
    };

    for (size_t i = 0; i < 3; i++)
        scalar->fill(&filled[i], 5, 1234);
    fl_small_function(isa, single)(&p);
    return is_right(&p, scalar);
}

int small_cases(enum fl_isa isa, bool single)
{
    int wrong = 0;

    for (size_t m = 1; m <= M_MAX; m++)
        for (size_t n = 1; n <= N_MAX; n++)
            for (size_t k = 1; k <= K_MAX; k++)
                if (!one_case(isa, single, m, n, k) && !wrong++)
                    fprintf(stderr, "%s, %s: %zu x %zu x %zu is wrong\n", fl_isa_name(isa),
                            single ? "floats" : "doubles", m, n, k);
    return wrong;
}
