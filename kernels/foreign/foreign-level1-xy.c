/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel foreign-level1-xy: saxpy_, sdot_ and other operations on two vectors of a shared library.
 */
#include "../level1/level1-kernel.h"
#include "foreign-level1.h"

static const char *const symbols[] = {"scopy", "dcopy", "ccopy", "zcopy", "sdot",
                                      "ddot",  "cdotu", "cdotc", "zdotu", "zdotc",
                                      "saxpy", "daxpy", "caxpy", "zaxpy", NULL};

const struct fl_kernel_ops fl_kernel_foreign_level1_xy = {
    .part =
        {
            .name = "foreign-level1-xy",
            .summary =
                "blas:dcopy_, blas:ddot_, blas:daxpy_ and their other types of the cell's library",
            .abi = FL_PART_ABI,
            .state_size = sizeof(struct fl_foreign_level1),
        },
    .factors = fl_level1_factors_foreign_xy,
    .uses = FL_USES_LIBRARY | FL_USES_TEAM,
    .symbols = symbols,
    .cost = fl_foreign_level1_cost,
    .open = fl_foreign_level1_open,
    .calls = fl_foreign_level1_calls,
    .run = fl_foreign_level1_run,
    .check = fl_foreign_level1_check,
    .close = fl_foreign_level1_close,
};
