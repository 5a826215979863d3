/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BLAS symbol: from the text of a kernel level to a function of a loaded library, and its call.
 *
 * Fortran's calling convention: everything by address, the lengths of the character arguments
 * behind. Integers are stored as 64 bits: on a little-endian machine a library with 32-bit integers
 * finds its value at the same address, so one call serves both widths.
 */
#ifndef FL_BLAS_SYMBOL_H
#define FL_BLAS_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "faultline/error.h"

#define FL_BLAS_SPELLINGS 5
#define FL_BLAS_NAME_MAX  24

/* What a kernel level names. */
struct fl_blas_symbol {
    char base[FL_BLAS_NAME_MAX]; /* `dgemm` */
    bool wide;                   /* ILP64: 64-bit integers, by its suffix */
    /* In the order in which they are tried; the one that was written comes first. */
    char spellings[FL_BLAS_SPELLINGS][FL_BLAS_NAME_MAX];
    size_t count;
};

/*
 * Reads `blas:SYMBOL` or the name of one of our own kernels. Suffixes: none or `_`; for 64-bit
 * integers `_64_`, `64_`, `_64` or `64`. 0, or -EINVAL.
 */
int fl_blas_symbol_read(const char *level, struct fl_blas_symbol *symbol,
                        struct fl_err *err) FL_MUST_CHECK;

/* Generic function pointer: what a symbol is before its type is known. */
typedef void (*fl_blas_fn)(void);

/*
 * The first spelling that the library has. 0; -ENOENT: the reason lists what was tried and what
 * the library has in its place.
 */
int fl_blas_symbol_find(void *handle, const struct fl_blas_symbol *symbol, fl_blas_fn *function,
                        const char **spelling, struct fl_err *err) FL_MUST_CHECK;

/* The arguments of one call; real numbers by address, in the type of the operands. */
struct fl_blas_call {
    fl_blas_fn function;
    char trans_a, trans_b, uplo;
    int64_t m, n, k, lda, ldb, ldc;
    const void *alpha, *a, *b, *beta;
    void *c;
};

void fl_blas_gemm(const struct fl_blas_call *call);
void fl_blas_syrk(const struct fl_blas_call *call);

#endif
