/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel dgemm-small-tn: one parallel region of many small gemms, doubles. */
#include "small-tn.h"

static int cost(const struct fl_cell *cell, struct fl_cost *out, struct fl_err *err)
{
    (void)err;
    fl_chunks_cost(cell, false, out);
    return 0;
}

static int open(void *state, const struct fl_kernel_env *env, struct fl_err *err)
{
    return fl_small_tn_open(false, state, env, err);
}

const struct fl_kernel_ops fl_kernel_dgemm_small_tn = {
    .part =
        {
            .name = "dgemm-small-tn",
            .summary = "a parallel region of small gemms, k x 256 = A' * B over d, doubles",
            .abi = FL_PART_ABI,
            .state_size = sizeof(struct fl_small_tn),
        },
    .factors = fl_small_tn_factors,
    .uses = FL_USES_WORKSPACE | FL_USES_TEAM,
    .cost = cost,
    .open = open,
    .requests = fl_small_tn_requests,
    .calls = fl_small_tn_calls,
    .run = fl_small_tn_run,
    .check = fl_small_tn_check,
    .close = fl_small_tn_close,
};
