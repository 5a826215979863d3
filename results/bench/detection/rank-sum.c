/* SPDX-License-Identifier: Apache-2.0 */
#include "rank-sum.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

struct sided {
    double value;
    bool head;
};

static int compare_sided(const void *a, const void *b)
{
    const struct sided *x = a, *y = b;

    return (x->value > y->value) - (x->value < y->value);
}

/* Of sorted values: the ranks of the head's, and the sum of t^3 - t over ties of t. */
static double sum_ranks(const struct sided *all, size_t count, double *ties)
{
    double sum = 0;

    *ties = 0;
    for (size_t first = 0, last; first < count; first = last) {
        for (last = first; last < count && all[last].value <= all[first].value;)
            last++;
        const double alike = (double)(last - first);
        *ties += alike * alike * alike - alike;
        for (size_t i = first; i < last; i++)
            sum += all[i].head ? (double)(first + last + 1) / 2 : 0;
    }
    return sum;
}

int fl_rank_sum(const double *base, size_t base_count, const double *head, size_t head_count,
                double *p)
{
    const size_t count = base_count + head_count;
    const double b = (double)base_count, h = (double)head_count, n = b + h;
    struct sided *all = calloc(count + 1, sizeof(*all));
    double ties;

    if (!all)
        return -ENOMEM;
    for (size_t i = 0; i < base_count; i++)
        all[i].value = base[i];
    for (size_t i = 0; i < head_count; i++)
        all[base_count + i] = (struct sided){head[i], true};
    qsort(all, count, sizeof(*all), compare_sided);
    const double off = fabs(sum_ranks(all, count, &ties) - h * (n + 1) / 2) - 0.5;
    const double variance = b * h / 12 * (n + 1 - ties / (n * (n - 1)));
    free(all);
    *p = variance > 0 && off > 0 ? erfc(off / sqrt(2 * variance)) : 1;
    return 0;
}
