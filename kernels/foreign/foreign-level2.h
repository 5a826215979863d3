/* SPDX-License-Identifier: Apache-2.0 */
/* What foreign-symv and foreign-trsv share: operands and check are those of our own kernels. */
#ifndef FL_FOREIGN_LEVEL2_H
#define FL_FOREIGN_LEVEL2_H

#include "../small/level2.h"
#include "blas-symbol.h"

struct fl_foreign_level2 {
    struct fl_level2 operands;
    fl_blas_fn function;
    char uplo, trans, diag;
    int64_t n;
};

int fl_foreign_level2_cost(bool solve, const struct fl_cell *cell, struct fl_cost *cost,
                           struct fl_err *err) FL_MUST_CHECK;

/* 0, or what fl_foreign_bind() or the arena said. */
int fl_foreign_level2_open(bool solve, struct fl_foreign_level2 *state,
                           const struct fl_kernel_env *env, struct fl_err *err) FL_MUST_CHECK;

/* Slots of the table; they take a struct fl_foreign_level2. */
uint64_t fl_foreign_level2_calls(const void *state);
int fl_foreign_level2_run(void *state, const struct fl_workspace *workspace);
int fl_foreign_level2_check(void *state, const struct fl_workspace *workspace, struct fl_err *err);
void fl_foreign_level2_close(void *state);

#endif
