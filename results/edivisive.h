/* SPDX-License-Identifier: Apache-2.0 */
/*
 * E-divisive: where the distribution of a series changed (Matteson and James 2014).
 *
 * For pieces x and y, n and m points long and next to each other, the statistic is
 *   Q = 2/(n+m) sum |x_i - y_j| - 2m/((n+m)(n-1)) sum |x_i - x_k| - 2n/((n+m)(m-1)) sum |y_j - y_k|
 * with each pair once, and a sum within one point left out. A piece of the series is split where Q
 * is greatest over all pairs of a place and an end of y. Whether that is more than chance is asked
 * of the series with the points of each piece so far in random order: p is the share, out of one
 * more than there were orders, whose greatest Q is as great. Splitting goes on until a p is above
 * the level. This is what MongoDB's signal-processing-algorithms and Apache Otava compute.
 *
 * Pure functions; the same seed gives the same points. They suppose nothing about the series but
 * that its points are independent: those of benchmarks are not. See results/change-points.h.
 */
#ifndef RESULTS_EDIVISIVE_H
#define RESULTS_EDIVISIVE_H

#include <stddef.h>
#include <stdint.h>

#include "faultline/error.h"

struct fl_edivisive_split {
    size_t at;  /* first point of the later piece; 0: there is no place to split */
    size_t end; /* the later piece ends before this */
    double q;
};

/*
 * The best place for a split that leaves at least `least` points (1 or more) on both sides.
 * `work` has room for 2 * (count + 1) numbers. Cost: count^2 / 2 steps; memory: that room.
 */
struct fl_edivisive_split fl_edivisive_best(const double *series, size_t count, size_t least,
                                            double *work);

struct fl_edivisive_rule {
    double level;        /* greatest p of a change, such as 0.05 */
    size_t permutations; /* such as 100 */
    uint64_t seed;
};

/*
 * Ascending places of the changes, each the first point after one; `places` has room for `count`.
 * 0; -EINVAL: a point is not finite; -ENOMEM. Cost: permutations * count^2 / 2 steps for each
 * change and once more.
 */
int fl_edivisive(const double *series, size_t count, const struct fl_edivisive_rule *rule,
                 size_t *places, size_t *found) FL_MUST_CHECK;

#endif
