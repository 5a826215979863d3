/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shared library with 64-bit BLAS symbols and nothing else, for the tests: an ILP64 library is
 * not part of Debian's default set. It refuses, by leaving C alone, integers whose upper half is
 * not what a 64-bit caller would write.
 */
#include <complex.h>
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

/* Complex dots, returned as GNU Fortran does. */
EXPORT double complex zdotc_64_(const int64_t *n, const double complex *x, const int64_t *incx,
                                const double complex *y, const int64_t *incy);
double complex zdotc_64_(const int64_t *n, const double complex *x, const int64_t *incx,
                         const double complex *y, const int64_t *incy)
{
    double complex sum = 0;
    for (int64_t i = 0; i < *n; i++)
        sum +=
            conj(x[(*incx < 0 ? i + 1 - *n : i) * *incx]) * y[(*incy < 0 ? i + 1 - *n : i) * *incy];
    return sum;
}

EXPORT float complex cdotu_64_(const int64_t *n, const float complex *x, const int64_t *incx,
                               const float complex *y, const int64_t *incy);
float complex cdotu_64_(const int64_t *n, const float complex *x, const int64_t *incx,
                        const float complex *y, const int64_t *incy)
{
    float complex sum = 0;
    for (int64_t i = 0; i < *n; i++)
        sum += x[i * *incx] * y[i * *incy];
    return sum;
}

/* A name that is no BLAS operation. */
EXPORT int tiny_answer(void);
int tiny_answer(void)
{
    return 42;
}
