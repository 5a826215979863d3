/* SPDX-License-Identifier: Apache-2.0 */
/* Reals: putting numbers in order, and the one in the middle. None is NaN. */
#ifndef FAULTLINE_REALS_H
#define FAULTLINE_REALS_H

#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline int fl_reals_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Ascending, in place. */
static inline void fl_reals_sort(double *values, size_t count)
{
    qsort(values, count, sizeof *values, fl_reals_compare);
}

/* Of sorted numbers, at least one: the mean of the middle two where they are even in number. */
static inline double fl_reals_middle(const double *sorted, size_t count)
{
    return sorted[(count - 1) / 2] / 2 + sorted[count / 2] / 2;
}

/* Sorts the numbers, at least one, and returns their median. */
static inline double fl_reals_median(double *values, size_t count)
{
    fl_reals_sort(values, count);
    return fl_reals_middle(values, count);
}

#ifdef __cplusplus
}
#endif

#endif
