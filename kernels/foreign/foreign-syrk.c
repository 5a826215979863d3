/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel foreign-syrk: dsyrk_, ssyrk_ and their 64-bit spellings of a shared library. */
#include "foreign.h"

static const char *const symbols[] = {"dsyrk", "ssyrk", NULL};

static int cost(const struct fl_cell *cell, struct fl_cost *out, struct fl_err *err)
{
    return fl_foreign_cost(true, cell, out, err);
}

static int open(void *state, const struct fl_kernel_env *env, struct fl_err *err)
{
    return fl_foreign_open(true, state, env, err);
}

const struct fl_kernel_ops fl_kernel_foreign_syrk = {
    .part =
        {
            .name = "foreign-syrk",
            .summary = "blas:dsyrk_ or blas:ssyrk_ of the cell's library",
            .abi = FL_PART_ABI,
            .state_size = sizeof(struct fl_foreign_state),
        },
    .factors = fl_foreign_syrk_factors,
    .uses = FL_USES_LIBRARY | FL_USES_TEAM,
    .symbols = symbols,
    .cost = cost,
    .open = open,
    .calls = fl_foreign_calls,
    .run = fl_foreign_run,
    .check = fl_foreign_check,
    .close = fl_foreign_close,
};
