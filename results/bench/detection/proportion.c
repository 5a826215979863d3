/* SPDX-License-Identifier: Apache-2.0 */
#include "proportion.h"

#include <math.h>

#define LEVEL 0.05

/* The chance of `hits` or fewer. Terms far from the middle come out as 0, as they nearly are. */
static double at_most(size_t hits, size_t trials, double chance)
{
    const double n = (double)trials;
    double sum = 0;

    for (size_t i = 0; i <= hits; i++) {
        const double k = (double)i;
        sum += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(chance) +
                   (n - k) * log1p(-chance));
    }
    return sum;
}

double fl_proportion_upper(size_t hits, size_t trials)
{
    double low = 0, high = 1;

    if (hits >= trials)
        return 1;
    for (int i = 0; i < 50; i++) {
        const double middle = (low + high) / 2;
        if (at_most(hits, trials, middle) > LEVEL)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double fl_proportion_lower(size_t hits, size_t trials)
{
    return hits ? 1 - fl_proportion_upper(trials - hits, trials) : 0;
}
