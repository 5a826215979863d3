/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the foreign kernels share: a BLAS operation called from a shared library that is loaded at
 * run time. Factors, operands, cost and check are those of our own products; there is no blocking
 * and no workspace, since memory is the library's own affair.
 */
#ifndef FL_FOREIGN_H
#define FL_FOREIGN_H

#include "../product-kernel.h"
#include "blas-symbol.h"
#include "identity.h"

struct fl_foreign_state {
    struct fl_product product;
    struct fl_blas_call call;
    void (*run)(const struct fl_blas_call *call);
    double alpha, beta; /* in the operands' type, which may be float */
    const struct fl_scalar *scalar;
    struct fl_arena *arena;
    uint64_t seed;
    const struct fl_team *team;
    /* One for each thread of a team of several, each on operands of its own, the first on those
     * above; read only while a region runs. NULL: the caller alone, and no region. */
    struct fl_foreign_state *members;
};

int fl_foreign_cost(bool syrk, const struct fl_cell *cell, struct fl_cost *cost,
                    struct fl_err *err) FL_MUST_CHECK;

/*
 * Loads env->library, finds the symbol that the cell's kernel names and records what was loaded.
 * -ENOENT: no such library or symbol. -ENOTSUP: the library cannot be loaded, or runs on another
 * instruction set than the cell asks for. The library stays loaded until the process ends.
 */
int fl_foreign_open(bool syrk, struct fl_foreign_state *state, const struct fl_kernel_env *env,
                    struct fl_err *err) FL_MUST_CHECK;

/* The call's arguments, from the product and the type of its scalars. */
void fl_foreign_arguments(struct fl_foreign_state *state);

/* Slots of the table; they take a struct fl_foreign_state. */
uint64_t fl_foreign_calls(const void *state);
int fl_foreign_run(void *state, const struct fl_workspace *workspace);
int fl_foreign_check(void *state, const struct fl_workspace *workspace, struct fl_err *err);
void fl_foreign_close(void *state);

#endif
