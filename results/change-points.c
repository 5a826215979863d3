/* SPDX-License-Identifier: Apache-2.0 */
/* Spikes, candidates, what chance makes of them, and the sizes of what is left. */
#include "results/change-points.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/random.h"
#include "faultline/reals.h"
#include "results/edivisive.h"

enum {
    ABOUT = 5,       /* points whose median stands for a spike */
    REACH = 100,     /* points on each side that a test looks at, at most */
    ORDERS = 199,    /* random ones */
    TAIL = 20,       /* greatest of them, whose tail is drawn out */
    BLOCK = 10,      /* points, at most */
    INDEPENDENT = 4, /* points worth one where lag-1 correlation is 0.6: (1 + 0.6) / (1 - 0.6) */
};

#define QUANTILE 2.576 /* of the normal distribution: 99.5 % */

struct search {
    const struct fl_change_rule *rule;
    double *series; /* without spikes */
    double *scratch, *work;
    size_t count;
    struct fl_change *changes;
    size_t found;
};

static double median_of(const double *points, size_t count, double *scratch)
{
    memcpy(scratch, points, count * sizeof(*points));
    return fl_reals_median(scratch, count);
}

/* ---- spikes ---- */

/* How far one point usually is from the next, as the standard deviation of a point would be. */
static double usual_step(const double *series, size_t count, double *scratch)
{
    for (size_t i = 0; i + 1 < count; i++)
        scratch[i] = fabs(series[i + 1] - series[i]);
    return fl_reals_median(scratch, count - 1) * 1.4826 / sqrt(2.0);
}

static void without_spikes(const double *series, size_t count, double *scratch, double *out)
{
    const double limit = 4 * usual_step(series, count, scratch);

    for (size_t i = 0; i < count; i++) {
        size_t from = i < ABOUT / 2 ? 0 : i - ABOUT / 2;
        if (from + ABOUT > count)
            from = count - ABOUT;
        const double about = median_of(series + from, ABOUT, scratch);
        out[i] = fabs(series[i] - about) > limit ? about : series[i];
    }
}

/* ---- chance ---- */

/* A window of a piece, and where its levels change. */
struct window {
    const double *points;
    size_t count, cuts[3], levels; /* cuts: ends of the levels, the last one `count` */
};

/*
 * How much wider the noise may be than what is left when the levels are taken out: the upper 99.5 %
 * bound of a standard deviation from as many independent points as these are worth (Wilson and
 * Hilferty 1931). Negative: they are worth too few.
 */
static double noise_factor(const struct window *window)
{
    const double worth = (double)window->count / INDEPENDENT, left = worth - (double)window->levels;
    const double root = left > 0 ? 1 - 2 / (9 * left) - QUANTILE * sqrt(2 / (9 * left)) : 0;

    return root > 0 ? sqrt(worth / (left * root * root * root)) : -1;
}

static void level_out(const struct window *window, double factor, double *scratch, double *out)
{
    size_t from = 0;

    for (size_t i = 0; i < window->levels; from = window->cuts[i++]) {
        const size_t to = window->cuts[i];
        const double level = median_of(window->points + from, to - from, scratch);
        for (size_t k = from; k < to; k++)
            out[k] = factor * (window->points[k] - level);
    }
}

static size_t block_length(size_t count)
{
    const size_t quarter = count / 4;

    return quarter < BLOCK ? quarter : BLOCK;
}

/* The points in blocks that begin anywhere, around the end, in random order, turned at random. */
static void shuffle_blocks(const double *points, size_t count, double *out, uint64_t *random)
{
    size_t order[2 * REACH], length = block_length(count), blocks = (count + length - 1) / length;
    size_t first = fl_random_below(random, count), filled = 0;

    fl_random_order(random, order, blocks);
    for (size_t i = 0; i < blocks; i++) {
        const double sign = fl_random_next(random) & 1 ? 1 : -1;
        const size_t from = order[i] * length;
        for (size_t k = from; k < from + length && k < count; k++)
            out[filled++] = sign * points[(first + k) % count];
    }
}

/* What the greatest of the random orders say about one above all of them. */
static double draw_out_tail(double *greatest, double q)
{
    double excess = 0;

    fl_reals_sort(greatest, ORDERS);
    const double *top = greatest + ORDERS - TAIL, foot = top[-1];
    for (size_t i = 0; i < TAIL; i++)
        excess += (top[i] - foot) / TAIL;
    const double p = excess > 0 ? TAIL * exp(-(q - foot) / excess) / ORDERS : 0;
    return fmin(p, 1.0 / (ORDERS + 1));
}

/* The chance of a split as good as q among points of one level; 1 where it is above `level`. */
static double chance(const struct search *s, const struct window *window, double q, double level)
{
    double greatest[ORDERS], left[2 * REACH], shuffled[2 * REACH];
    const double factor = noise_factor(window);
    uint64_t random = window->count;
    size_t great = 0;

    if (factor < 0)
        return 1;
    level_out(window, factor, s->scratch, left);
    for (size_t i = 0; i < ORDERS; i++) {
        shuffle_blocks(left, window->count, shuffled, &random);
        greatest[i] = fl_edivisive_best(shuffled, window->count, FL_CHANGE_SIDE, s->work).q;
        great += greatest[i] >= q;
        if (great && (double)(great + 1) > level * (ORDERS + 1))
            return 1;
    }
    return great ? (double)(great + 1) / (ORDERS + 1) : draw_out_tail(greatest, q);
}

/* ---- candidates ---- */

static struct window window_about(const double *piece, size_t count,
                                  const struct fl_edivisive_split *split)
{
    const size_t start = split->at > REACH ? split->at - REACH : 0;
    const size_t stop = count > split->at + REACH ? split->at + REACH : count;
    const size_t end = split->end + FL_CHANGE_SIDE > stop ? stop : split->end;
    struct window window = {.points = piece + start, .count = stop - start, .levels = 2};

    window.cuts[0] = split->at - start;
    window.cuts[1] = end - start;
    if (end < stop)
        window.cuts[window.levels++] = stop - start;
    return window;
}

static double size_in(const struct window *window, double *scratch)
{
    const size_t at = window->cuts[0];
    const double before = median_of(window->points, at, scratch);

    return median_of(window->points + at, window->cuts[1] - at, scratch) - before;
}

static bool is_change(const struct search *s, size_t from, size_t to, struct fl_change *change)
{
    const double *piece = s->series + from;
    const struct fl_edivisive_split split =
        fl_edivisive_best(piece, to - from, FL_CHANGE_SIDE, s->work);
    const struct window window = window_about(piece, to - from, &split);
    const double size = size_in(&window, s->scratch);
    const double tests = (double)(s->rule->tests * (1 + (to - from - 1) / REACH));

    if (size == 0 || fabs(size) < s->rule->least)
        return false;
    const double q = fl_edivisive_best(window.points, window.count, FL_CHANGE_SIDE, s->work).q;
    *change = (struct fl_change){.at = from + split.at};
    change->p = tests * chance(s, &window, q, s->rule->level / tests);
    return change->p <= s->rule->level;
}

static void keep(struct search *s, const struct fl_change *change)
{
    size_t i = s->found++;

    for (; i > 0 && s->changes[i - 1].at > change->at; i--)
        s->changes[i] = s->changes[i - 1];
    s->changes[i] = *change;
}

/* Splits depth first; a piece has at most count / 3 more in it. */
static void divide(struct search *s, size_t from, size_t to)
{
    struct fl_change change;

    while (to - from >= FL_CHANGE_POINTS && is_change(s, from, to, &change)) {
        keep(s, &change);
        divide(s, from, change.at);
        from = change.at;
    }
}

/* ---- sizes ---- */

static size_t side_start(const struct search *s, size_t i)
{
    return i ? s->changes[i - 1].at : 0;
}

static size_t side_end(const struct search *s, size_t i)
{
    return i + 1 < s->found ? s->changes[i + 1].at : s->count;
}

static void measure(struct search *s, size_t i)
{
    struct fl_change *change = &s->changes[i];
    const size_t start = side_start(s, i), end = side_end(s, i);

    change->before = median_of(s->series + start, change->at - start, s->scratch);
    change->after = median_of(s->series + change->at, end - change->at, s->scratch);
    change->size = change->after - change->before;
}

/* Takes out what is too small between its neighbours, the smallest first. */
static void drop_small(struct search *s)
{
    for (;;) {
        size_t least = 0;
        for (size_t i = 0; i < s->found; i++) {
            measure(s, i);
            if (fabs(s->changes[i].size) < fabs(s->changes[least].size))
                least = i;
        }
        if (s->found == 0 || fabs(s->changes[least].size) >= s->rule->least)
            return;
        memmove(&s->changes[least], &s->changes[least + 1],
                (--s->found - least) * sizeof(*s->changes));
    }
}

/* Standard deviation of one point about its level, and what lag-1 correlation does to means: from
 * 1, independent, to INDEPENDENT. */
static double spread(const struct search *s, double *inflation)
{
    double squares = 0, products = 0;

    for (size_t i = 0; i <= s->found; i++) {
        const size_t from = side_start(s, i), to = i < s->found ? s->changes[i].at : s->count;
        const double level = i < s->found ? s->changes[i].before : s->changes[i - 1].after;
        for (size_t k = from; k < to; k++) {
            squares += (s->series[k] - level) * (s->series[k] - level);
            if (k > from)
                products += (s->series[k] - level) * (s->series[k - 1] - level);
        }
    }
    const double lag = squares > 0 ? products / squares : 0;
    *inflation = fmin(fmax((1 + lag) / (1 - fmin(lag, 0.9)), 1), INDEPENDENT);
    return sqrt(squares / (double)(s->count - s->found - 1));
}

static void find_intervals(struct search *s)
{
    double inflation;

    if (s->found == 0)
        return;
    const double sd = spread(s, &inflation);
    for (size_t i = 0; i < s->found; i++) {
        struct fl_change *change = &s->changes[i];
        const double n = (double)(change->at - side_start(s, i));
        const double m = (double)(side_end(s, i) - change->at);
        const double half = 1.96 * sd * sqrt(1.5708 * inflation * (1 / n + 1 / m));
        change->low = change->size - half;
        change->high = change->size + half;
    }
}

int fl_change_points(const double *series, size_t count, const struct fl_change_rule *rule,
                     struct fl_change *changes, size_t *found)
{
    *found = 0;
    if (!(rule->level > 0 && rule->level < 1) || !(rule->least >= 0) || rule->tests == 0)
        return -EINVAL;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(series[i]))
            return -EINVAL;
    if (count < FL_CHANGE_POINTS)
        return 0;
    double *numbers = malloc((4 * count + 2) * sizeof(*numbers));
    if (!numbers)
        return -ENOMEM;
    struct search s = {.rule = rule,
                       .series = numbers,
                       .scratch = numbers + count,
                       .work = numbers + 2 * count,
                       .count = count,
                       .changes = changes};
    without_spikes(series, count, s.scratch, s.series);
    divide(&s, 0, count);
    drop_small(&s);
    find_intervals(&s);
    *found = s.found;
    free(numbers);
    return 0;
}
