/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel dsyrk: one triangle of C = alpha * op(A) * op(A)' + beta * C, doubles. */
#include "product-kernel.h"

static const struct fl_product_kind kind = {.syrk = true, .single = false};

static int cost(const struct fl_cell *cell, struct fl_cost *out, struct fl_err *err)
{
    return fl_product_cost(&kind, cell, out, err);
}

static int open(void *state, const struct fl_kernel_env *env, struct fl_err *err)
{
    return fl_product_open(&kind, state, env, err);
}

const struct fl_kernel_ops fl_kernel_dsyrk = {
    .part =
        {
            .name = "dsyrk",
            .summary =
                "one triangle of C = alpha * op(A) * op(A)' + beta * C, doubles, packed GEBP",
            .abi = FL_PART_ABI,
            .state_size = sizeof(struct fl_product_state),
        },
    .factors = fl_syrk_factors,
    .uses = FL_USES_WORKSPACE | FL_USES_TEAM,
    .cost = cost,
    .open = open,
    .requests = fl_product_requests,
    .calls = fl_product_calls,
    .run = fl_product_run,
    .check = fl_product_check,
    .close = fl_product_close,
};
