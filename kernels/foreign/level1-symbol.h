/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Level-1 functions of a shared library and their calls.
 *
 * Fortran's convention, as in blas-symbol.h, with results in registers. How a complex result comes
 * back differs from compiler to compiler; C's own interface (cblas_cdotu_sub) writes it to an
 * address, so that is what is called where the library has it. Otherwise the result is taken from
 * registers, as GNU Fortran leaves it.
 */
#ifndef FL_LEVEL1_SYMBOL_H
#define FL_LEVEL1_SYMBOL_H

#include "../level1/level1-routine.h"
#include "blas-symbol.h"
#include "faultline/kernel.h"

struct fl_level1_symbol {
    fl_blas_fn function;
    bool by_address; /* the function is C's */
};

/* One call's arguments: vectors as BLAS takes them, at their first place in memory. */
struct fl_level1_arguments {
    int64_t n, stride_x, stride_y;
    const void *x;
    void *y;
    float alpha_single[2];
    double alpha_double[2];
};

/* As fl_foreign_bind(). -ENOTSUP also where the routine is an extension that this library lacks. */
int fl_level1_symbol_bind(const struct fl_kernel_env *env, const struct fl_level1_name *name,
                          const struct fl_blas_symbol *spelt, struct fl_level1_symbol *symbol,
                          struct fl_err *err) FL_MUST_CHECK;

/* The call; an index counts from 1. */
void fl_level1_symbol_call(const struct fl_level1_symbol *symbol, const struct fl_level1_name *name,
                           const struct fl_level1_arguments *arguments,
                           struct fl_level1_value *value);

#endif
