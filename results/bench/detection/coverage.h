/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coverage: how often the 95 % interval of so many pairs holds no change, where there is none.
 *
 * The recording is cut into stretches of that many neighbouring rounds, as they were recorded:
 * labels are those that the run drew, and what favours a side, or hangs together from round to
 * round, is in it. (With labels drawn anew the share would be that of the tables, whatever the data
 * are.)
 */
#ifndef DETECTION_COVERAGE_H
#define DETECTION_COVERAGE_H

#include "pair-table.h"

struct fl_coverage {
    size_t pairs;     /* of an interval */
    size_t intervals; /* stretches times cells */
    double share;     /* that holds 0 */
    double error;     /* standard error of it; cells of one stretch count as one observation */
    double worst;     /* cell */
    double nominal;   /* what the ranks promise: at least 0.95 */
};

/* 0, -ENOMEM; -EINVAL: fewer than two stretches. */
int fl_coverage(const struct fl_pair_table *table, size_t pairs,
                struct fl_coverage *out) FL_MUST_CHECK;

#endif
