/* SPDX-License-Identifier: Apache-2.0 */
/* Finding level-1 functions, and calling each kind of them. */
#include "level1-symbol.h"

#include <complex.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

#include "binding.h"

typedef float (*x_f32)(const int64_t *n, const void *x, const int64_t *incx);
typedef double (*x_f64)(const int64_t *n, const void *x, const int64_t *incx);
typedef int32_t (*x_index)(const int64_t *n, const void *x, const int64_t *incx);
typedef void (*copy_fn)(const int64_t *n, const void *x, const int64_t *incx, void *y,
                        const int64_t *incy);
typedef void (*axpy_fn)(const int64_t *n, const void *alpha, const void *x, const int64_t *incx,
                        void *y, const int64_t *incy);
typedef float (*dot_f32)(const int64_t *n, const void *x, const int64_t *incx, const void *y,
                         const int64_t *incy);
typedef double (*dot_f64)(const int64_t *n, const void *x, const int64_t *incx, const void *y,
                          const int64_t *incy);
typedef float complex (*dot_c32)(const int64_t *n, const void *x, const int64_t *incx,
                                 const void *y, const int64_t *incy);
typedef double complex (*dot_c64)(const int64_t *n, const void *x, const int64_t *incx,
                                  const void *y, const int64_t *incy);
/* Integers by value: a 32-bit one is the lower half of the register. */
typedef void (*dot_sub)(int64_t n, const void *x, int64_t incx, const void *y, int64_t incy,
                        void *result);

/* C's interface to a complex dot. -ENOENT where the library does not have it. */
static int bind_c(const struct fl_kernel_env *env, const struct fl_blas_symbol *spelt,
                  struct fl_level1_symbol *symbol)
{
    struct fl_blas_symbol c = {.wide = spelt->wide, .count = spelt->wide ? 2 : 1};
    fl_blas_fn function;

    snprintf(c.base, sizeof(c.base), "cblas_%s_sub", spelt->base);
    snprintf(c.spellings[0], sizeof(c.spellings[0]), "%.20s%s", c.base, spelt->wide ? "64_" : "");
    snprintf(c.spellings[1], sizeof(c.spellings[1]), "%.20s_64", c.base);
    if (fl_foreign_bind(env, &c, &function, NULL))
        return -ENOENT;
    *symbol = (struct fl_level1_symbol){function, true};
    return 0;
}

static bool is_loaded(const char *library)
{
    return library && dlopen(library, RTLD_NOW | RTLD_NOLOAD);
}

int fl_level1_symbol_bind(const struct fl_kernel_env *env, const struct fl_level1_name *name,
                          const struct fl_blas_symbol *spelt, struct fl_level1_symbol *symbol,
                          struct fl_err *err)
{
    const bool complex_dot = name->routine->op == FL_LEVEL1_DOT && fl_level1_is_complex(name->type);
    int rc;

    if (complex_dot && bind_c(env, spelt, symbol) == 0)
        return 0;
    symbol->by_address = false;
    rc = fl_foreign_bind(env, spelt, &symbol->function, err);
    if (rc == -ENOENT && name->routine->extension && is_loaded(env->library))
        return fl_fail(err, -ENOTSUP,
                       "library '%s' has no %s: it is an extension that OpenBLAS alone has",
                       fl_cell_get(env->cell, "library"), spelt->base);
    return rc;
}

static void call_dot(const struct fl_level1_symbol *symbol, enum fl_level1_type type,
                     const struct fl_level1_arguments *a, struct fl_level1_value *value)
{
    const fl_blas_fn f = symbol->function;

    if (type == FL_LEVEL1_S) {
        value->re = (double)((dot_f32)f)(&a->n, a->x, &a->stride_x, a->y, &a->stride_y);
    } else if (type == FL_LEVEL1_D) {
        value->re = ((dot_f64)f)(&a->n, a->x, &a->stride_x, a->y, &a->stride_y);
    } else if (type == FL_LEVEL1_C) {
        const float complex z = ((dot_c32)f)(&a->n, a->x, &a->stride_x, a->y, &a->stride_y);

        value->re = (double)crealf(z), value->im = (double)cimagf(z);
    } else {
        const double complex z = ((dot_c64)f)(&a->n, a->x, &a->stride_x, a->y, &a->stride_y);

        value->re = creal(z), value->im = cimag(z);
    }
}

static void call_dot_c(const struct fl_level1_symbol *symbol, bool single,
                       const struct fl_level1_arguments *a, struct fl_level1_value *value)
{
    union {
        float f32[2];
        double f64[2];
    } z;

    ((dot_sub)symbol->function)(a->n, a->x, a->stride_x, a->y, a->stride_y, &z);
    value->re = single ? (double)z.f32[0] : z.f64[0];
    value->im = single ? (double)z.f32[1] : z.f64[1];
}

void fl_level1_symbol_call(const struct fl_level1_symbol *symbol, const struct fl_level1_name *name,
                           const struct fl_level1_arguments *a, struct fl_level1_value *value)
{
    const fl_blas_fn f = symbol->function;
    const bool single = fl_level1_is_single(name->type);

    switch (name->routine->op) {
    case FL_LEVEL1_COPY:
        ((copy_fn)f)(&a->n, a->x, &a->stride_x, a->y, &a->stride_y);
        break;
    case FL_LEVEL1_AXPY:
        ((axpy_fn)f)(&a->n, single ? (const void *)a->alpha_single : a->alpha_double, a->x,
                     &a->stride_x, a->y, &a->stride_y);
        break;
    case FL_LEVEL1_DOT:
        if (symbol->by_address)
            call_dot_c(symbol, single, a, value);
        else
            call_dot(symbol, name->type, a, value);
        break;
    case FL_LEVEL1_IAMAX:
        value->index = (size_t)((x_index)f)(&a->n, a->x, &a->stride_x);
        break;
    default:
        value->re = single ? (double)((x_f32)f)(&a->n, a->x, &a->stride_x)
                           : ((x_f64)f)(&a->n, a->x, &a->stride_x);
        break;
    }
}
