/* SPDX-License-Identifier: Apache-2.0 */
/* The losses of all cells of a comparison together, round by round. Private to results/. */
#ifndef RESULTS_COMPARE_SUITE_H
#define RESULTS_COMPARE_SUITE_H

#include "compare-match.h"

struct fl_suite_of {
    const struct fl_series_set *base, *head;
    const struct fl_matches *matches;
    const bool *apart; /* per match: its times cannot be compared */
    const struct fl_metric *metric;
    size_t base_metric, head_metric; /* its places in the plans */
};

/*
 * The means of the rounds that all comparable cells have a pair of (results/suite.h), in the order
 * of rounds; the caller frees *means, whatever comes back. 0 or -ENOMEM.
 */
int fl_compare_suite(const struct fl_suite_of *of, double **means, size_t *count) FL_MUST_CHECK;

#endif
