/* SPDX-License-Identifier: Apache-2.0 */
#include "results/signed-rank.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/reals.h"

#define TAIL 0.025 /* of a 95 % interval */

static int check(const double *differences, size_t count)
{
    if (count > FL_SIGNED_RANK_MAX)
        return -E2BIG;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(differences[i]))
            return -EINVAL;
    return count ? 0 : -EINVAL;
}

/* ---- distribution ---- */

static double normal_below(double z)
{
    return 0.5 * erfc(-z / sqrt(2));
}

/*
 * chances[s], s <= limit: of a sum s of a random half of the ranks. In place, rank by rank, from
 * above: each rank is in the sum or not, with a chance of a half. The least one, 2^-600, is far
 * from the smallest double.
 */
static void spread(double *chances, size_t limit, const size_t *ranks, size_t count)
{
    size_t reach = 0;

    for (size_t s = 0; s <= limit; s++)
        chances[s] = s == 0;
    for (size_t i = 0; i < count; i++) {
        size_t step = ranks[i];
        reach = reach + step < limit ? reach + step : limit;
        for (size_t s = reach; s >= step; s--)
            chances[s] = (chances[s] + chances[s - step]) / 2;
        for (size_t s = 0; s < step && s <= reach; s++)
            chances[s] /= 2;
    }
}

static int exact_below(const size_t *ranks, size_t count, size_t sum, double *p)
{
    double *chances = malloc((sum + 1) * sizeof(*chances));

    if (!chances)
        return -ENOMEM;
    spread(chances, sum, ranks, count);
    *p = 0;
    for (size_t s = 0; s <= sum; s++)
        *p += chances[s];
    *p = *p < 1 ? *p : 1;
    free(chances);
    return 0;
}

/* ---- ranks ---- */

struct signed_size {
    double size;
    bool positive;
};

static int compare_sizes(const void *a, const void *b)
{
    const struct signed_size *x = a, *y = b;

    return (x->size > y->size) - (x->size < y->size);
}

struct ranked {
    struct signed_size sizes[FL_SIGNED_RANK_MAX];
    size_t ranks[FL_SIGNED_RANK_MAX]; /* twice the ranks, zeros left out */
    size_t count, total, positive;    /* sums of those ranks */
};

/* Twice the mean rank of first .. last - 1, of places from 0, is first + last + 1. */
static void rank(struct ranked *r, size_t all)
{
    qsort(r->sizes, all, sizeof(*r->sizes), compare_sizes);
    for (size_t first = 0, last; first < all; first = last) {
        for (last = first; last < all && r->sizes[last].size <= r->sizes[first].size;)
            last++;
        for (size_t i = first; i < last && r->sizes[i].size > 0; i++) {
            r->ranks[r->count++] = first + last + 1;
            r->total += first + last + 1;
            r->positive += r->sizes[i].positive ? first + last + 1 : 0;
        }
    }
}

/* Half the work where no rank is a half. */
static void halve(struct ranked *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->ranks[i] % 2)
            return;
    for (size_t i = 0; i < r->count; i++)
        r->ranks[i] /= 2;
    r->total /= 2;
    r->positive /= 2;
}

/* `sum` of doubled ranks, whose steps are 2. */
static double normal_tail(const struct ranked *r, size_t sum)
{
    double variance = 0;

    for (size_t i = 0; i < r->count; i++)
        variance += (double)r->ranks[i] * (double)r->ranks[i] / 4;
    return normal_below(((double)sum + 1 - (double)r->total / 2) / sqrt(variance));
}

/* The chance of a sum of the given sign's ranks as small as it is; the distribution is symmetric.
 */
static int tail(struct ranked *r, bool of_positive, double *p)
{
    *p = 1;
    if (!r->count)
        return 0;
    if (r->count > FL_SIGNED_RANK_EXACT) {
        *p = normal_tail(r, of_positive ? r->positive : r->total - r->positive);
        return 0;
    }
    halve(r);
    return exact_below(r->ranks, r->count, of_positive ? r->positive : r->total - r->positive, p);
}

static int test(const double *differences, size_t count, double shift, bool above, double *p)
{
    int rc = check(differences, count);

    if (rc || !isfinite(shift))
        return rc ? rc : -EINVAL;
    struct ranked *r = calloc(1, sizeof(*r));
    if (!r)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        double d = differences[i] - shift;
        r->sizes[i] = (struct signed_size){fabs(d), d > 0};
    }
    rank(r, count);
    rc = tail(r, !above, p);
    free(r);
    return rc;
}

int fl_signed_rank_above(const double *differences, size_t count, double shift, double *p)
{
    return test(differences, count, shift, true, p);
}

int fl_signed_rank_below(const double *differences, size_t count, double shift, double *p)
{
    return test(differences, count, shift, false, p);
}

/* ---- estimate ---- */

/* How many sums from 0 on have a chance of at most `level` together. */
static int exact_quantile(size_t count, size_t half, double level, size_t *out)
{
    size_t ranks[FL_SIGNED_RANK_EXACT];
    double *chances = malloc((half + 1) * sizeof(*chances)), below = 0;

    if (!chances)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        ranks[i] = i + 1;
    spread(chances, half, ranks, count);
    size_t s = 0;
    while (s < half && below + chances[s] <= level)
        below += chances[s++];
    *out = s;
    free(chances);
    return 0;
}

/* The most sums, from either end, whose chance is at most `level`, which is below a half. */
static int quantile(size_t count, double level, size_t *out)
{
    double n = (double)count, middle = n * (n + 1) / 4;
    double scale = sqrt(middle * (2 * n + 1) / 6);
    size_t sums = 0;

    if (count <= FL_SIGNED_RANK_EXACT)
        return exact_quantile(count, count * (count + 1) / 4, level, out);
    while (normal_below(((double)sums + 0.5 - middle) / scale) <= level)
        sums++;
    *out = sums;
    return 0;
}

/*
 * The means of all pairs, each with itself included, are never written down: 600 differences have
 * 180,300 of them, and two or four are wanted. The n-th smallest is the least number that has more
 * than n means at or below it; numbers are halved in the order of their bits, 64 times at most, and
 * means counted in one pass over the sorted differences.
 */
static int sort_differences(const double *differences, size_t count, double **out)
{
    *out = malloc(count * sizeof(**out));
    if (!*out)
        return -ENOMEM;
    memcpy(*out, differences, count * sizeof(**out));
    fl_reals_sort(*out, count);
    return 0;
}

static size_t means_up_to(const double *sorted, size_t count, double limit)
{
    size_t found = 0, end = count;

    for (size_t i = 0; i < end; i++) {
        while (end > i && sorted[i] / 2 + sorted[end - 1] / 2 > limit)
            end--;
        found += end - i;
    }
    return found;
}

/* Bits that are in the order of the numbers, and back. */
static uint64_t order_of(double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof(bits));
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double number_of(uint64_t order)
{
    uint64_t bits = order >> 63 ? order & ~(UINT64_C(1) << 63) : ~order;
    double number;

    memcpy(&number, &bits, sizeof(number));
    return number;
}

static double nth_mean(const double *sorted, size_t count, size_t n)
{
    uint64_t low = order_of(sorted[0]), high = order_of(sorted[count - 1]);

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (means_up_to(sorted, count, number_of(middle)) > n)
            high = middle;
        else
            low = middle + 1;
    }
    return number_of(low) + 0.0; /* no zero with a sign */
}

int fl_signed_rank_shift(const double *differences, size_t count, struct fl_shift *out)
{
    size_t pairs = count * (count + 1) / 2, skipped = 0;
    double *sorted = NULL;
    int rc = check(differences, count);

    *out = (struct fl_shift){(double)NAN, (double)NAN, (double)NAN};
    if (!rc)
        rc = sort_differences(differences, count, &sorted);
    if (rc)
        return rc;
    out->estimate =
        nth_mean(sorted, count, (pairs - 1) / 2) / 2 + nth_mean(sorted, count, pairs / 2) / 2;
    rc = quantile(count, TAIL, &skipped);
    if (!rc && skipped) {
        out->low = nth_mean(sorted, count, skipped - 1);
        out->high = nth_mean(sorted, count, pairs - skipped);
    }
    free(sorted);
    return rc;
}

int fl_signed_rank_bounds(const double *differences, size_t count, double low_level,
                          double high_level, double *low, double *high)
{
    size_t pairs = count * (count + 1) / 2, under = 0, over = 0;
    double *sorted = NULL;
    int rc = check(differences, count);

    *low = -(double)INFINITY;
    *high = (double)INFINITY;
    if (!rc)
        rc = quantile(count, low_level, &under);
    if (!rc)
        rc = quantile(count, high_level, &over);
    if (!rc && (under || over))
        rc = sort_differences(differences, count, &sorted);
    if (!rc && under)
        *low = nth_mean(sorted, count, under - 1);
    if (!rc && over)
        *high = nth_mean(sorted, count, pairs - over);
    free(sorted);
    return rc;
}
