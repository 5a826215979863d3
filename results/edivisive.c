/* SPDX-License-Identifier: Apache-2.0 */
/* The statistic over all splits in one pass, and splitting while chance does not explain it. */
#include "results/edivisive.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/random.h"

/* Sums within pieces of the series. */
struct sums {
    double *tail; /* [t]: pairs of points t .. now */
    double *head; /* [t]: pairs of points 0 .. t - 1 */
};

/* Takes point `last` in. */
static void extend(const double *series, size_t last, const struct sums *sums)
{
    double distance = 0;

    for (size_t i = last; i-- > 0;) {
        distance += fabs(series[i] - series[last]);
        sums->tail[i] += distance;
    }
    sums->tail[last] = 0;
    sums->head[last + 1] = sums->head[last] + distance;
}

/* The best place among 0 .. end - 1 for a split. */
static void look(const struct sums *sums, size_t end, size_t least, struct fl_edivisive_split *best)
{
    const double all = sums->head[end], scale = 2.0 / (double)end;

    for (size_t at = least; at + least <= end; at++) {
        const double n = (double)at, m = (double)(end - at);
        const double head = sums->head[at], tail = sums->tail[at];
        double inner = at > 1 ? head * m / (n - 1) : 0;
        if (end - at > 1)
            inner += tail * n / (m - 1);
        const double q = scale * (all - head - tail - inner);
        if (best->at == 0 || q > best->q)
            *best = (struct fl_edivisive_split){at, end, q};
    }
}

struct fl_edivisive_split fl_edivisive_best(const double *series, size_t count, size_t least,
                                            double *work)
{
    const struct sums sums = {.tail = work, .head = work + count + 1};
    struct fl_edivisive_split best = {0, 0, 0};

    sums.head[0] = 0;
    for (size_t last = 0; last < count; last++) {
        extend(series, last, &sums);
        if (last + 1 >= 2 * least)
            look(&sums, last + 1, least, &best);
    }
    return best;
}

/* ---- pieces ---- */

/* The series in pieces: cuts[0] = 0, ..., cuts[count] = its length. */
struct pieces {
    size_t *cuts, count;
    double *work;
};

static struct fl_edivisive_split best_of_all(const double *series, const struct pieces *pieces)
{
    struct fl_edivisive_split best = {0, 0, 0};

    for (size_t i = 0; i < pieces->count; i++) {
        const size_t from = pieces->cuts[i], length = pieces->cuts[i + 1] - from;
        struct fl_edivisive_split split = fl_edivisive_best(series + from, length, 1, pieces->work);
        if (split.at && (best.at == 0 || split.q > best.q))
            best = (struct fl_edivisive_split){from + split.at, from + split.end, split.q};
    }
    return best;
}

static void shuffle(double *points, size_t count, uint64_t *random)
{
    for (size_t i = count; i > 1; i--) {
        const size_t j = fl_random_below(random, i);
        const double point = points[i - 1];
        points[i - 1] = points[j];
        points[j] = point;
    }
}

/* How many of the random orders have a Q as great. `shuffled` is the series. */
static size_t count_as_great(double *shuffled, const struct pieces *pieces, double q,
                             size_t permutations, uint64_t *random)
{
    size_t count = 0;

    for (size_t i = 0; i < permutations; i++) {
        for (size_t k = 0; k < pieces->count; k++)
            shuffle(shuffled + pieces->cuts[k], pieces->cuts[k + 1] - pieces->cuts[k], random);
        count += best_of_all(shuffled, pieces).q >= q;
    }
    return count;
}

static void cut(struct pieces *pieces, size_t at)
{
    size_t i = pieces->count++;

    for (; pieces->cuts[i] > at; i--)
        pieces->cuts[i + 1] = pieces->cuts[i];
    pieces->cuts[i + 1] = at;
}

static void divide(const double *series, const struct fl_edivisive_rule *rule, double *shuffled,
                   struct pieces *pieces)
{
    uint64_t random = rule->seed;

    for (;;) {
        struct fl_edivisive_split split = best_of_all(series, pieces);
        if (split.at == 0)
            return;
        memcpy(shuffled, series, pieces->cuts[pieces->count] * sizeof(*series));
        const size_t great = count_as_great(shuffled, pieces, split.q, rule->permutations, &random);
        if ((double)great > rule->level * (double)(rule->permutations + 1))
            return;
        cut(pieces, split.at);
    }
}

int fl_edivisive(const double *series, size_t count, const struct fl_edivisive_rule *rule,
                 size_t *places, size_t *found)
{
    *found = 0;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(series[i]))
            return -EINVAL;
    if (count < 2)
        return 0;
    double *numbers = malloc((3 * count + 2) * sizeof(*numbers));
    size_t *cuts = malloc((count + 2) * sizeof(*cuts));
    if (numbers && cuts) {
        struct pieces pieces = {.cuts = cuts, .count = 1, .work = numbers + count};
        cuts[0] = 0;
        cuts[1] = count;
        divide(series, rule, numbers, &pieces);
        *found = pieces.count - 1;
        memcpy(places, cuts + 1, *found * sizeof(*places));
    }
    int rc = numbers && cuts ? 0 : -ENOMEM;
    free(numbers);
    free(cuts);
    return rc;
}
