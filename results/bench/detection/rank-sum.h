/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rank sum: Mann and Whitney's test of two lists that are no pairs, as Google Benchmark's compare
 * tool asks SciPy for it: two-sided, normal with continuity and ties corrected, which SciPy takes
 * for lists of more than 8. Here it stands for what others do, and decides nothing of ours.
 */
#ifndef DETECTION_RANK_SUM_H
#define DETECTION_RANK_SUM_H

#include <stddef.h>

#include "faultline/error.h"

/* *p of two lists that are not empty. 0 or -ENOMEM. */
int fl_rank_sum(const double *base, size_t base_count, const double *head, size_t head_count,
                double *p) FL_MUST_CHECK;

#endif
