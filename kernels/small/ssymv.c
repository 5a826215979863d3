/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel ssymv: y = A * x of a small symmetric matrix, floats, many calls a region. */
#include "level2-kernel.h"

static const struct fl_level2_kind kind = {.solve = false, .single = true};

static int cost(const struct fl_cell *cell, struct fl_cost *out, struct fl_err *err)
{
    (void)err;
    fl_level2_cost(&kind, cell, out);
    return 0;
}

static int open(void *state, const struct fl_kernel_env *env, struct fl_err *err)
{
    return fl_level2_kernel_open(&kind, state, env, err);
}

const struct fl_kernel_ops fl_kernel_ssymv = {
    .part =
        {
            .name = "ssymv",
            .summary = "y = A * x of a small symmetric matrix, floats, many calls a region",
            .abi = FL_PART_ABI,
            .state_size = sizeof(struct fl_level2_state),
        },
    .factors = fl_symv_factors,
    .uses = FL_USES_WORKSPACE | FL_USES_TEAM,
    .cost = cost,
    .open = open,
    .requests = fl_level2_kernel_requests,
    .calls = fl_level2_kernel_calls,
    .run = fl_level2_kernel_run,
    .check = fl_level2_kernel_check,
    .close = fl_level2_kernel_close,
};
