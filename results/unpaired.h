/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unpaired: how two lists of values, whose rounds are no pairs, stand to each other.
 *
 * For reading; it decides nothing: the interval holds what varied within each list, and nothing of
 * what was different between the two times at which they were measured.
 */
#ifndef RESULTS_UNPAIRED_H
#define RESULTS_UNPAIRED_H

#include <stddef.h>

#include "faultline/error.h"

struct fl_unpaired {
    double ratio;     /* of head to base; NAN where a list is empty or has a value of 0 or less */
    double low, high; /* 95 % interval; NAN where so few values have none */
};

struct fl_unpaired_values {
    const double *values;
    size_t count;
};

/*
 * The median of the ratios of all of the head to all of the base, and the interval that comes with
 * it (Hodges and Lehmann; Mann and Whitney's distribution, exact up to 2500 ratios, normal beyond).
 * Sorts as many ratios as there are. 0 or -ENOMEM.
 */
int fl_unpaired_shift(const struct fl_unpaired_values *base, const struct fl_unpaired_values *head,
                      struct fl_unpaired *out) FL_MUST_CHECK;

/*
 * The ratio of the medians; percentiles over 2000 resamples of both lists, NAN for lists of one.
 * Deterministic: the resampling has a fixed seed. 0 or -ENOMEM.
 */
int fl_unpaired_bootstrap(const struct fl_unpaired_values *base,
                          const struct fl_unpaired_values *head,
                          struct fl_unpaired *out) FL_MUST_CHECK;

#endif
