/* SPDX-License-Identifier: Apache-2.0 */
#include "results/unpaired.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/random.h"
#include "faultline/reals.h"

#define TAIL       0.025 /* of a 95 % interval */
#define EXACT_MOST 2500
#define RESAMPLES  2000

static bool positive(const struct fl_unpaired_values *side)
{
    for (size_t i = 0; i < side->count; i++)
        if (!(side->values[i] > 0))
            return false;
    return side->count > 0;
}

/* ---- all ratios ---- */

/*
 * chances[u]: of u of all pairs to stand in one order, every arrangement of the two lists equally
 * likely. Their generating function is a product of (1 - q^(m+i)) / (1 - q^i), i = 1 .. n; only the
 * lower part is needed, and one factor at a time keeps the sum of all of them at 1.
 */
static void spread(double *chances, size_t limit, size_t m, size_t n)
{
    for (size_t u = 0; u <= limit; u++)
        chances[u] = u == 0;
    for (size_t i = 1; i <= n; i++) {
        for (size_t u = limit; u >= m + i && u <= limit; u--)
            chances[u] -= chances[u - m - i];
        for (size_t u = i; u <= limit; u++)
            chances[u] += chances[u - i];
        for (size_t u = 0; u <= limit; u++)
            chances[u] *= (double)i / (double)(m + i);
    }
}

static int exact_quantile(size_t m, size_t n, size_t *out)
{
    size_t half = m * n / 2, u = 0;
    double *chances = malloc((half + 1) * sizeof(*chances)), below = 0;

    if (!chances)
        return -ENOMEM;
    spread(chances, half, m, n);
    while (u < half && below + chances[u] <= TAIL)
        below += chances[u++];
    *out = u;
    free(chances);
    return 0;
}

/* How many ratios are outside of the interval at either end. */
static int quantile(size_t m, size_t n, size_t *out)
{
    double all = (double)m * (double)n, scale = sqrt(all * ((double)(m + n) + 1) / 12);

    if (m * n <= EXACT_MOST)
        return exact_quantile(m, n, out);
    *out = (size_t)fmax(0, all / 2 + 0.5 - 1.9599639845400545 * scale);
    return 0;
}

int fl_unpaired_shift(const struct fl_unpaired_values *base, const struct fl_unpaired_values *head,
                      struct fl_unpaired *out)
{
    size_t all = base->count * head->count, used = 0, outside = 0;

    *out = (struct fl_unpaired){(double)NAN, (double)NAN, (double)NAN};
    if (!positive(base) || !positive(head))
        return 0;
    double *ratios = malloc(all * sizeof(*ratios));
    if (!ratios)
        return -ENOMEM;
    for (size_t i = 0; i < base->count; i++)
        for (size_t k = 0; k < head->count; k++)
            ratios[used++] = head->values[k] / base->values[i];
    out->ratio = fl_reals_median(ratios, all);
    int rc = quantile(base->count, head->count, &outside);
    if (!rc && outside) {
        out->low = ratios[outside - 1];
        out->high = ratios[all - outside];
    }
    free(ratios);
    return rc;
}

/* ---- resampling ---- */

static double resample(const struct fl_unpaired_values *side, double *drawn, uint64_t *random)
{
    for (size_t i = 0; i < side->count; i++)
        drawn[i] = side->values[fl_random_below(random, side->count)];
    return fl_reals_median(drawn, side->count);
}

int fl_unpaired_bootstrap(const struct fl_unpaired_values *base,
                          const struct fl_unpaired_values *head, struct fl_unpaired *out)
{
    enum { CUT = RESAMPLES / 40 }; /* 2.5 % */
    size_t most = base->count > head->count ? base->count : head->count;
    uint64_t random = 1;

    *out = (struct fl_unpaired){(double)NAN, (double)NAN, (double)NAN};
    if (!positive(base) || !positive(head))
        return 0;
    double *drawn = malloc((most + RESAMPLES) * sizeof(*drawn));
    if (!drawn)
        return -ENOMEM;
    double *ratios = drawn + most;
    memcpy(drawn, base->values, base->count * sizeof(*drawn));
    double below = fl_reals_median(drawn, base->count);
    memcpy(drawn, head->values, head->count * sizeof(*drawn));
    out->ratio = fl_reals_median(drawn, head->count) / below;
    for (size_t i = 0; i < RESAMPLES; i++) {
        double head_median = resample(head, drawn, &random);
        ratios[i] = head_median / resample(base, drawn, &random);
    }
    fl_reals_sort(ratios, RESAMPLES);
    if (base->count > 1 && head->count > 1) {
        out->low = ratios[CUT];
        out->high = ratios[RESAMPLES - 1 - CUT];
    }
    free(drawn);
    return 0;
}
