/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of a level-2 kernel of one type. A part's name is its symbol's, its slots are those of
 * level2-kernel.h; what is left to say is the operation and the type.
 */
#ifndef FAULTLINE_KERNELS_LEVEL2_TABLE_H
#define FAULTLINE_KERNELS_LEVEL2_TABLE_H

#include "level2-kernel.h"

#define FL_LEVEL2_KERNEL(name_, solve_, single_, factors_, summary_)                               \
    static const struct fl_level2_kind name_##_kind = {.solve = (solve_), .single = (single_)};    \
                                                                                                   \
    static int name_##_cost(const struct fl_cell *cell, struct fl_cost *out, struct fl_err *err)   \
    {                                                                                              \
        (void)err;                                                                                 \
        fl_level2_cost(&name_##_kind, cell, out);                                                  \
        return 0;                                                                                  \
    }                                                                                              \
                                                                                                   \
    static int name_##_open(void *state, const struct fl_kernel_env *env, struct fl_err *err)      \
    {                                                                                              \
        return fl_level2_kernel_open(&name_##_kind, state, env, err);                              \
    }                                                                                              \
                                                                                                   \
    const struct fl_kernel_ops fl_kernel_##name_ = {                                               \
        .part = {.name = #name_,                                                                   \
                 .summary = summary_,                                                              \
                 .abi = FL_PART_ABI,                                                               \
                 .state_size = sizeof(struct fl_level2_state)},                                    \
        .factors = factors_,                                                                       \
        .uses = FL_USES_WORKSPACE | FL_USES_TEAM,                                                  \
        .cost = name_##_cost,                                                                      \
        .open = name_##_open,                                                                      \
        .requests = fl_level2_kernel_requests,                                                     \
        .calls = fl_level2_kernel_calls,                                                           \
        .run = fl_level2_kernel_run,                                                               \
        .check = fl_level2_kernel_check,                                                           \
        .close = fl_level2_kernel_close,                                                           \
    }

#endif
