/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases of the quantised products that need no test framework, so that they run under an emulator
 * too. Each prints what is wrong and returns 0 or -EBADMSG.
 */
#ifndef FAULTLINE_KERNELS_Q4_CASES_H
#define FAULTLINE_KERNELS_Q4_CASES_H

#include "q4.h"

/* Every bit of quantised vectors and of products equals portable C's, on `count` random shapes. */
int q4_equals_portable(enum fl_isa isa, unsigned count);

/* Vectors of extreme values: zeros, the smallest, the largest, one that stands alone. */
int q4_quantises_extremes(enum fl_isa isa);

/* Numbers that integers can tell: scales of 1, so that every product is an exact integer. */
int q4_is_exact_on_integers(enum fl_isa isa);

/* All of the above, for every instruction set that runs here; their number in *sets. */
int q4_run_cases(unsigned *sets);

#endif
