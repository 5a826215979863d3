/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Level 1 of a shared library, called from every thread of the team at once: each on vectors of its
 * own. How many threads the library starts by itself is its environment's affair. Vectors and check
 * are those of our own kernels.
 */
#ifndef FL_FOREIGN_LEVEL1_H
#define FL_FOREIGN_LEVEL1_H

#include "faultline/kernel.h"
#include "level1-symbol.h"

struct fl_foreign_level1_caller {
    _Alignas(128) struct fl_level1_operands operands;
    struct fl_level1_arguments arguments;
    struct fl_level1_value value;
};

struct fl_foreign_level1 {
    const struct fl_level1_name *name;
    struct fl_level1_symbol symbol;
    const struct fl_team *team;
    struct fl_foreign_level1_caller *callers; /* one for each thread */
};

/* Slots of the table; they take a struct fl_foreign_level1. */
int fl_foreign_level1_cost(const struct fl_cell *cell, struct fl_cost *cost, struct fl_err *err);
int fl_foreign_level1_open(void *state, const struct fl_kernel_env *env, struct fl_err *err);
uint64_t fl_foreign_level1_calls(const void *state);
int fl_foreign_level1_run(void *state, const struct fl_workspace *workspace);
int fl_foreign_level1_check(void *state, const struct fl_workspace *workspace, struct fl_err *err);
void fl_foreign_level1_close(void *state);

#endif
