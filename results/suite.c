/* SPDX-License-Identifier: Apache-2.0 */
#include "results/suite.h"

#include <math.h>
#include <stdbool.h>

#include "faultline/reals.h"

double fl_suite_mean(double *losses, size_t cells)
{
    size_t left_out = cells > 2 ? (cells + 1) / 4 : 0;
    double sum = 0;

    fl_reals_sort(losses, cells);
    for (size_t i = left_out; i < cells - left_out; i++)
        sum += losses[i];
    return sum / (double)(cells - 2 * left_out);
}

static bool full(const double *losses, size_t cells)
{
    for (size_t i = 0; i < cells; i++)
        if (!isfinite(losses[i]))
            return false;
    return cells > 0;
}

size_t fl_suite_means(double *losses, size_t rounds, size_t cells, double *means)
{
    size_t count = 0;

    for (size_t i = 0; i < rounds; i++)
        if (full(losses + i * cells, cells))
            means[count++] = fl_suite_mean(losses + i * cells, cells);
    return count;
}
