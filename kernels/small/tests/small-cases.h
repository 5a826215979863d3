/* SPDX-License-Identifier: Apache-2.0 */
/* Products without packing against plain sums; without a test framework, for any architecture. */
#ifndef FAULTLINE_KERNELS_SMALL_CASES_H
#define FAULTLINE_KERNELS_SMALL_CASES_H

#include <stdbool.h>

#include "../../isa.h"

/* All shapes up to 9 x 7 with sums of up to 70 terms: how many are wrong; the first is printed. */
int small_cases(enum fl_isa isa, bool single);

#endif
