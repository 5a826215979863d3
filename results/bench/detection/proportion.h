/* SPDX-License-Identifier: Apache-2.0 */
/* Proportion: what so many of so many trials say about their chance (Clopper and Pearson 1934). */
#ifndef DETECTION_PROPORTION_H
#define DETECTION_PROPORTION_H

#include <stddef.h>

/* The largest chance that gives `hits` or fewer with a chance of at least 5 %: a one-sided 95 %
 * bound. 1 where there were no trials. */
double fl_proportion_upper(size_t hits, size_t trials);
/* The smallest chance that gives `hits` or more with a chance of at least 5 %. */
double fl_proportion_lower(size_t hits, size_t trials);

#endif
