/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels dtrsv, strsv: op(A) * x = b of a small triangular matrix, many calls a region. */
#include "level2-table.h"

FL_LEVEL2_KERNEL(dtrsv, true, false, fl_trsv_factors,
                 "op(A) * x = b of a small triangular matrix, doubles, many calls a region");
FL_LEVEL2_KERNEL(strsv, true, true, fl_trsv_factors,
                 "op(A) * x = b of a small triangular matrix, floats, many calls a region");
