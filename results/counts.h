/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts: what counting processes of both sides say about a metric whose values are to be the same
 * in every process, or one of a few.
 *
 * Values are per call, from counting samples alone, whose number of calls is fixed; in the order of
 * their rounds, both sides interleaved. Never from timed samples: their calls vary, and what
 * happens once in a window looks rarer where calls are many.
 *
 * Exact: at least two processes a side, which must agree; any difference counts. Where they do not
 * agree, the metric is judged as a set.
 *
 * Set: ten processes a side (FL_COUNTS_FIRST). An alarm at once only where the head's least is
 * above the base's most by more than the slack: without a change, chance 1 in 184,756. Where the
 * head has a value that the base has not, or looks worse as a whole (chance below 1 %), twenty
 * fresh ones a side decide (FL_COUNTS_FRESH): an alarm where as bad a ranking of those forty, the
 * head less the slack, would come by chance at most 0.01 / planned times. That is an exact
 * permutation test of the sum of ranks, ties sharing theirs. Else it is a pass. "The median
 * differs" would cry wolf in 11-25 % of cells.
 *
 * Pure functions, no state. Whoever measures asks `needs` and goes on until it is 0 or the
 * processes that may be spent are; the same function judges what is stored.
 */
#ifndef RESULTS_COUNTS_H
#define RESULTS_COUNTS_H

#include <stdbool.h>
#include <stddef.h>

#include "faultline/counter.h"

#define FL_COUNTS_EXACT 2  /* samples a side of an exact count */
#define FL_COUNTS_FIRST 10 /* of a set */
#define FL_COUNTS_FRESH                                                                            \
    20 /* after them, of a set that they left open; later ones are not looked at */

struct fl_counts_rule {
    bool exact;                   /* FL_METRIC_EXACT; else FL_METRIC_SET */
    enum fl_metric_better better; /* FL_NOT_RANKED is taken for less */
    double slack;                 /* a loss of up to this, in values, is none */
    size_t planned;               /* tests that share the chance of a false alarm, at least 1; of
                                     all cells and counts, or more */
};

struct fl_counts_values {
    const double *values; /* per call, finite */
    size_t count;
};

enum fl_counts_state {
    FL_COUNTS_UNDECIDED,
    FL_COUNTS_PASS,
    FL_COUNTS_REGRESSION,
    FL_COUNTS_IMPROVEMENT,
};

struct fl_counts {
    enum fl_counts_state state; /* of a run that ends here */
    size_t needs;       /* samples a side at which more can be said, in all; 0: no more ever */
    const char *reason; /* static; NULL: nothing to add */
    double chance;      /* of the permutation test; NAN: none was made */
};

/* 0; -EINVAL: planned is 0; -ENOMEM. */
int fl_counts_judge(const struct fl_counts_rule *rule, const struct fl_counts_values *base,
                    const struct fl_counts_values *head, struct fl_counts *out) FL_MUST_CHECK;

/*
 * The chance that a random choice of as many of all these values as the head has ranks as high as
 * its do, or higher. 0; -EINVAL: none on a side, or more than FL_COUNTS_FRESH; -ENOMEM.
 */
int fl_counts_chance(const struct fl_counts_values *base, const struct fl_counts_values *head,
                     double *out) FL_MUST_CHECK;

#endif
