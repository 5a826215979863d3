/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signed rank: what paired differences say about their centre (Wilcoxon 1945, Hodges and Lehmann
 * 1963), without supposing that they are normal: only that they are symmetric about it.
 *
 * Pure functions. The null distribution is conditional on the absolute values, every pattern of
 * signs equally likely: ties share the mean of their ranks, and differences of 0 take the lowest
 * ranks and are then left out (Pratt 1959), so that p moves one way only as the shift does. It is
 * exact up to FL_SIGNED_RANK_EXACT differences, summed in double precision (relative error below
 * 1e-12); beyond, it is normal with the variance of the ranks as they are and half a step of
 * continuity.
 *
 * All: 0; -E2BIG: more than FL_SIGNED_RANK_MAX; -EINVAL: none, or one is not finite; -ENOMEM.
 */
#ifndef RESULTS_SIGNED_RANK_H
#define RESULTS_SIGNED_RANK_H

#include <stddef.h>

#include "faultline/error.h"

#define FL_SIGNED_RANK_EXACT 600
#define FL_SIGNED_RANK_MAX   1000

struct fl_shift {
    double estimate;  /* Hodges-Lehmann: the median of the means of all pairs */
    double low, high; /* 95 % interval at this count; NAN below 6, where there is none */
};

/* Cost: sorts the differences; the means of their pairs are counted, not kept. */
int fl_signed_rank_shift(const double *differences, size_t count,
                         struct fl_shift *out) FL_MUST_CHECK;

/*
 * One-sided bounds of the centre: the tests below reject every centre under `low` at the chance
 * `low_level`, and every one over `high` at `high_level`. -INFINITY and INFINITY where so few
 * differences bound nothing.
 */
int fl_signed_rank_bounds(const double *differences, size_t count, double low_level,
                          double high_level, double *low, double *high) FL_MUST_CHECK;

/* The chance of signs as positive as these, or more so, where the centre is `shift` or less. */
int fl_signed_rank_above(const double *differences, size_t count, double shift,
                         double *p) FL_MUST_CHECK;
/* The chance of signs as negative as these, or more so, where the centre is `shift` or more. */
int fl_signed_rank_below(const double *differences, size_t count, double shift,
                         double *p) FL_MUST_CHECK;

#endif
