/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shared library with a 64-bit BLAS symbol and nothing else, for the tests: an ILP64 library is
 * not part of Debian's default set. It refuses, by leaving C alone, integers whose upper half is
 * not what a 64-bit caller would write.
 */
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

/* NOLINTBEGIN(readability-function-size): BLAS fixes the number of parameters. */
EXPORT void dgemm_64_(const char *transa, const char *transb, const int64_t *m, const int64_t *n,
                      const int64_t *k, const double *alpha, const double *a, const int64_t *lda,
                      const double *b, const int64_t *ldb, const double *beta, double *c,
                      const int64_t *ldc);
void dgemm_64_(const char *transa, const char *transb, const int64_t *m, const int64_t *n,
               const int64_t *k, const double *alpha, const double *a, const int64_t *lda,
               const double *b, const int64_t *ldb, const double *beta, double *c,
               const int64_t *ldc)
{
    if ((*m | *n | *k | *lda | *ldb | *ldc) >> 32)
        return;
    for (int64_t j = 0; j < *n; j++)
        for (int64_t i = 0; i < *m; i++) {
            double sum = 0;
            for (int64_t l = 0; l < *k; l++)
                sum += (*transa == 'N' ? a[i + l * *lda] : a[l + i * *lda]) *
                       (*transb == 'N' ? b[l + j * *ldb] : b[j + l * *ldb]);
            c[i + j * *ldc] = *alpha * sum + (*beta == 0 ? 0 : *beta * c[i + j * *ldc]);
        }
}

/* NOLINTEND(readability-function-size) */

/* A name that is no BLAS operation. */
EXPORT int tiny_answer(void);
int tiny_answer(void)
{
    return 42;
}
