/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels dsymv, ssymv: y = A * x of a small symmetric matrix, many calls a region. */
#include "level2-table.h"

FL_LEVEL2_KERNEL(dsymv, false, false, fl_symv_factors,
                 "y = A * x of a small symmetric matrix, doubles, many calls a region");
FL_LEVEL2_KERNEL(ssymv, false, true, fl_symv_factors,
                 "y = A * x of a small symmetric matrix, floats, many calls a region");
