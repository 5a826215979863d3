/* SPDX-License-Identifier: Apache-2.0 */
/* vec: a library of two functions, which stands for yours. */
#ifndef VEC_H
#define VEC_H

#include <stddef.h>

/* y = y + a * x */
void vec_axpy(size_t n, double a, const double *x, double *y);

/* Sorts x; `scratch` has room for n numbers. */
void vec_sort(size_t n, double *x, double *scratch);

#endif
