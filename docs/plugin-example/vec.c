/* SPDX-License-Identifier: Apache-2.0 */
/* The library as it is: it knows nothing of faultline. */
#include "vec.h"

#include <string.h>

void vec_axpy(size_t n, double a, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

static void merge(size_t left, size_t n, const double *from, double *to)
{
    for (size_t i = 0, j = left, k = 0; k < n; k++)
        to[k] = j == n || (i < left && from[i] <= from[j]) ? from[i++] : from[j++];
}

void vec_sort(size_t n, double *x, double *scratch)
{
    if (n < 2)
        return;
    vec_sort(n / 2, x, scratch);
    vec_sort(n - n / 2, x + n / 2, scratch);
    merge(n / 2, n, x, scratch);
    memcpy(x, scratch, n * sizeof *x);
}
