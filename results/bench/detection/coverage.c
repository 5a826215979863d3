/* SPDX-License-Identifier: Apache-2.0 */
#include "coverage.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "results/signed-rank.h"

/* Intervals are cut where all signs are equally likely: so of losses 1 .. n, the chance that a sum
 * of a random half of the ranks is below that cut is what one tail misses. */
static int find_nominal(size_t pairs, double *nominal)
{
    double ladder[64], tail = 0, p;

    if (pairs > sizeof(ladder) / sizeof(ladder[0]))
        return -E2BIG;
    /* The largest p of a sum that is at most 0.025: one rank after the other turns negative. */
    for (size_t negative = 0; negative <= pairs * (pairs + 1) / 2; negative++) {
        size_t left = negative;
        for (size_t i = pairs; i-- > 0;) {
            const bool turned = left >= i + 1;
            left -= turned ? i + 1 : 0;
            ladder[i] = turned ? -(double)(i + 1) : (double)(i + 1);
        }
        int rc = fl_signed_rank_above(ladder, pairs, 0, &p);
        if (rc)
            return rc;
        if (p > 0.025)
            break;
        tail = p;
    }
    *nominal = 1 - 2 * tail;
    return 0;
}

static int holds(const struct fl_pair_table *table, size_t cell, size_t from, size_t pairs,
                 bool *held)
{
    struct fl_shift shift;
    int rc = fl_signed_rank_shift(table->losses + cell * table->rounds + from, pairs, &shift);

    *held = shift.low <= 0 && shift.high >= 0;
    return rc;
}

static int count(const struct fl_pair_table *table, size_t stretches, struct fl_coverage *out,
                 size_t *by_cell)
{
    double squares = 0, sum = 0;

    for (size_t s = 0; s < stretches; s++) {
        size_t here = 0;
        for (size_t c = 0; c < table->cells; c++) {
            bool held;
            int rc = holds(table, c, s * out->pairs, out->pairs, &held);
            if (rc)
                return rc;
            here += held;
            by_cell[c] += held;
        }
        const double share = (double)here / (double)table->cells;
        sum += share;
        squares += share * share;
    }
    const double n = (double)stretches;
    out->share = sum / n;
    out->error = sqrt(fmax(squares / n - out->share * out->share, 0) / (n - 1));
    return 0;
}

int fl_coverage(const struct fl_pair_table *table, size_t pairs, struct fl_coverage *out)
{
    const size_t stretches = table->rounds / pairs;
    size_t *by_cell = calloc(table->cells, sizeof(*by_cell));

    *out = (struct fl_coverage){.pairs = pairs, .intervals = stretches * table->cells, .worst = 1};
    int rc = !by_cell ? -ENOMEM : stretches < 2 ? -EINVAL : find_nominal(pairs, &out->nominal);
    if (!rc)
        rc = count(table, stretches, out, by_cell);
    for (size_t c = 0; c < table->cells && !rc; c++)
        out->worst = fmin(out->worst, (double)by_cell[c] / (double)stretches);
    free(by_cell);
    return rc;
}
