/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the level-1 kernels share: factors and slots. A kernel finds its routine by its own name, so
 * that each of them is a row: FL_LEVEL1_KERNEL().
 */
#ifndef FAULTLINE_KERNELS_LEVEL1_KERNEL_H
#define FAULTLINE_KERNELS_LEVEL1_KERNEL_H

#include "faultline/kernel.h"
#include "level1-call.h"
#include "level1-routine.h"

struct fl_level1_state {
    struct fl_level1_operands operands;
    struct fl_level1_call call;
    bool shares; /* what the rule decided */
};

/* Factors of our kernels, with one vector and with two, and of a library's. */
extern const struct fl_factor *const fl_level1_factors_x[];
extern const struct fl_factor *const fl_level1_factors_xy[];
extern const struct fl_factor *const fl_level1_factors_foreign_x[];
extern const struct fl_factor *const fl_level1_factors_foreign_xy[];

int fl_level1_cost(const struct fl_cell *cell, struct fl_cost *cost, struct fl_err *err);
int fl_level1_open(void *state, const struct fl_kernel_env *env, struct fl_err *err);
int fl_level1_run(void *state, const struct fl_workspace *workspace);
int fl_level1_check(void *state, const struct fl_workspace *workspace, struct fl_err *err);
void fl_level1_close(void *state);

/* Work of one call of a routine on a cell's sizes. */
int fl_level1_cost_of(const struct fl_level1_name *name, const struct fl_cell *cell,
                      struct fl_cost *cost, struct fl_err *err) FL_MUST_CHECK;

/* join() of the routines that add up: in the type of the operands. */
void fl_level1_join_sums(bool single, struct fl_level1_value *into,
                         const struct fl_level1_value *next);

#define FL_LEVEL1_KERNEL(id, text, list)                                                           \
    const struct fl_kernel_ops fl_kernel_##id = {                                                  \
        .part = {.name = #id,                                                                      \
                 .summary = (text),                                                                \
                 .abi = FL_PART_ABI,                                                               \
                 .state_size = sizeof(struct fl_level1_state)},                                    \
        .factors = (list),                                                                         \
        .uses = FL_USES_TEAM,                                                                      \
        .cost = fl_level1_cost,                                                                    \
        .open = fl_level1_open,                                                                    \
        .run = fl_level1_run,                                                                      \
        .check = fl_level1_check,                                                                  \
        .close = fl_level1_close,                                                                  \
    }

#endif
