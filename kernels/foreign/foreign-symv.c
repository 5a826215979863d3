/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel foreign-symv: dsymv_, ssymv_ and their 64-bit spellings of a shared library. */
#include "../product-kernel.h"
#include "foreign-level2.h"

static const struct fl_factor *const factors[] = {&fl_factor_level2_n, &fl_factor_level2_uplo,
                                                  &fl_factor_level2_chunks, &fl_factor_isa, NULL};
static const char *const symbols[] = {"dsymv", "ssymv", NULL};

static int cost(const struct fl_cell *cell, struct fl_cost *out, struct fl_err *err)
{
    return fl_foreign_level2_cost(false, cell, out, err);
}

static int open(void *state, const struct fl_kernel_env *env, struct fl_err *err)
{
    return fl_foreign_level2_open(false, state, env, err);
}

const struct fl_kernel_ops fl_kernel_foreign_symv = {
    .part =
        {
            .name = "foreign-symv",
            .summary = "blas:dsymv_ or blas:ssymv_ of the cell's library",
            .abi = FL_PART_ABI,
            .state_size = sizeof(struct fl_foreign_level2),
        },
    .factors = factors,
    .uses = FL_USES_LIBRARY | FL_USES_TEAM,
    .symbols = symbols,
    .cost = cost,
    .open = open,
    .calls = fl_foreign_level2_calls,
    .run = fl_foreign_level2_run,
    .check = fl_foreign_level2_check,
    .close = fl_foreign_level2_close,
};
