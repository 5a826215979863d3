/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel foreign-level1-x: sasum_, isamax_ and other operations on one vector of a shared library.
 */
#include "../level1/level1-kernel.h"
#include "foreign-level1.h"

static const char *const symbols[] = {"sasum",  "dasum",  "scasum", "dzasum", "ssum",
                                      "dsum",   "scsum",  "dzsum",  "isamax", "idamax",
                                      "icamax", "izamax", NULL};

const struct fl_kernel_ops fl_kernel_foreign_level1_x = {
    .part =
        {
            .name = "foreign-level1-x",
            .summary =
                "blas:dasum_, blas:dsum_, blas:idamax_ and their other types of the cell's library",
            .abi = FL_PART_ABI,
            .state_size = sizeof(struct fl_foreign_level1),
        },
    .factors = fl_level1_factors_foreign_x,
    .uses = FL_USES_LIBRARY | FL_USES_TEAM,
    .symbols = symbols,
    .cost = fl_foreign_level1_cost,
    .open = fl_foreign_level1_open,
    .calls = fl_foreign_level1_calls,
    .run = fl_foreign_level1_run,
    .check = fl_foreign_level1_check,
    .close = fl_foreign_level1_close,
};
