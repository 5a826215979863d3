/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a comparison. Private to results/. */
#ifndef RESULTS_COMPARE_ROWS_H
#define RESULTS_COMPARE_ROWS_H

#include "compare-match.h"

struct fl_compare_of {
    struct fl_store *store;
    const struct fl_compare_options *options;
    const struct fl_series_set *base, *head; /* may be the same */
    const struct fl_matches *matches;
    const char *unpaired;     /* why rounds are no pairs; NULL: they are */
    double tolerance, detect; /* asked for all of a pairing; 0 and 0: not */
    struct fl_compare *out;   /* planned is 0 where the tests are still to be counted */
    struct fl_err *err;
};

/* Judges all matches and sorts the rows. 0, or -errno with the reason in err. */
int fl_compare_make_rows(struct fl_compare_of *of) FL_MUST_CHECK;

#endif
