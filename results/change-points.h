/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Change points: where a series of log ratios moved for good, by the statistic of E-divisive
 * (results/edivisive.h) with safeguards for what series of benchmarks are like.
 *
 * - A point further than 4 times the usual step from the median of the five about it takes that
 *   median: single and double spikes are no change, and neither are the newest two points.
 * - Both sides of a change have at least 3 points, and its size, the difference of their medians,
 * is at least `least`.
 * - Candidates are where the statistic is above what independent noise of the usual step gives.
 * They are more than there are changes, so that what is left when the levels between them are taken
 * out is noise, however many changes there were.
 * - Neighbours in time are alike, so chance is asked of blocks: 199 series are put together from
 * blocks of 10 points of that noise within 100 points of the change, with random signs. 4 points
 * are worth one independent one, as where lag-1 correlation is 0.6, and each level costs one; the
 * noise is scaled to the upper 98 % bound that goes with so few. Below 16 points nothing is said.
 * - p is the share of those series in which the statistic is as great; where none is, the tail
 * above their upper tenth, which is exponential for this statistic, is drawn out. Candidates with
 *   p * tests * candidates > level are taken out, the worst first, and the others asked again.
 *
 * The figures behind these choices are in docs/history.md, measured by results/bench/change-rates.
 * Pure functions; the same series gives the same changes.
 */
#ifndef RESULTS_CHANGE_POINTS_H
#define RESULTS_CHANGE_POINTS_H

#include <stddef.h>

#include "faultline/error.h"

#define FL_CHANGE_LEVEL  0.002 /* for all series tested together */
#define FL_CHANGE_SIDE   3     /* points on each side, at least */
#define FL_CHANGE_POINTS 16    /* of a series, at least */

struct fl_change_rule {
    double level; /* FL_CHANGE_LEVEL */
    double least; /* size, as a difference of logarithms; 0 or more */
    size_t tests; /* series tested together, at least 1 */
};

struct fl_change {
    size_t at;            /* first point after it */
    double size;          /* difference of the medians of both sides: log(after / before) */
    double low, high;     /* 95 % interval, for reading */
    double before, after; /* the medians */
    double p;             /* chance of the like where nothing changed, times tests and pieces */
};

/*
 * Ascending; `changes` has room for count / FL_CHANGE_SIDE. 0; -EINVAL: a point is not finite, or a
 * rule as it must not be; -ENOMEM. Cost: count^2 / 2 steps, and 20,000 x 199 for each candidate of
 * the size looked for.
 */
int fl_change_points(const double *series, size_t count, const struct fl_change_rule *rule,
                     struct fl_change *changes, size_t *found) FL_MUST_CHECK;

#endif
