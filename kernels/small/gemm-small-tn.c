/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels dgemm-small-tn, sgemm-small-tn: one parallel region of many small gemms. */
#include "small-tn.h"

#define SMALL_TN_KERNEL(symbol_, name_, single_, type_)                                            \
    static int symbol_##_cost(const struct fl_cell *cell, struct fl_cost *out, struct fl_err *err) \
    {                                                                                              \
        (void)err;                                                                                 \
        fl_chunks_cost(cell, single_, out);                                                        \
        return 0;                                                                                  \
    }                                                                                              \
                                                                                                   \
    static int symbol_##_open(void *state, const struct fl_kernel_env *env, struct fl_err *err)    \
    {                                                                                              \
        return fl_small_tn_open(single_, state, env, err);                                         \
    }                                                                                              \
                                                                                                   \
    const struct fl_kernel_ops fl_kernel_##symbol_ = {                                             \
        .part = {.name = name_,                                                                    \
                 .summary = "a parallel region of small gemms, k x 256 = A' * B over d, " type_,   \
                 .abi = FL_PART_ABI,                                                               \
                 .state_size = sizeof(struct fl_small_tn)},                                        \
        .factors = fl_small_tn_factors,                                                            \
        .uses = FL_USES_WORKSPACE | FL_USES_TEAM,                                                  \
        .cost = symbol_##_cost,                                                                    \
        .open = symbol_##_open,                                                                    \
        .requests = fl_small_tn_requests,                                                          \
        .calls = fl_small_tn_calls,                                                                \
        .run = fl_small_tn_run,                                                                    \
        .check = fl_small_tn_check,                                                                \
        .close = fl_small_tn_close,                                                                \
    }

SMALL_TN_KERNEL(dgemm_small_tn, "dgemm-small-tn", false, "doubles");
SMALL_TN_KERNEL(sgemm_small_tn, "sgemm-small-tn", true, "floats");
