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
    DRAWS = 199,     /* of noise */
    TAIL = 20,       /* greatest of them, whose tail is drawn out */
    BLOCK = 10,      /* points */
    INDEPENDENT = 4, /* points worth one where lag-1 correlation is 0.6: (1 + 0.6) / (1 - 0.6) */
};

#define CANDIDATE 12.0  /* least Q of one, in usual steps */
#define QUANTILE  2.054 /* of the normal distribution: 98 % */

struct search {
    const struct fl_change_rule *rule;
    double *series; /* without spikes */
    double *scratch, *work;
    size_t count;
    struct fl_change *changes;
    size_t found;
    double tests; /* series, and candidates of this one */
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

/* ---- candidates ---- */

static void insert(struct search *s, size_t at)
{
    size_t i = s->found++;

    for (; i > 0 && s->changes[i - 1].at > at; i--)
        s->changes[i] = s->changes[i - 1];
    s->changes[i] = (struct fl_change){.at = at};
}

static void take_out(struct search *s, size_t i)
{
    memmove(&s->changes[i], &s->changes[i + 1], (--s->found - i) * sizeof(*s->changes));
}

/* Splits wherever independent noise of the usual step would hardly: more often than there are
 * changes where neighbours are alike. */
static void divide(struct search *s, size_t from, size_t to, double least)
{
    while (to - from >= 2 * FL_CHANGE_SIDE) {
        const struct fl_edivisive_split split =
            fl_edivisive_best(s->series + from, to - from, FL_CHANGE_SIDE, s->work);
        if (!(split.q > least))
            return;
        insert(s, from + split.at);
        divide(s, from, from + split.at, least);
        from += split.at;
    }
}

static size_t side_start(const struct search *s, size_t i)
{
    return i ? s->changes[i - 1].at : 0;
}

static size_t side_end(const struct search *s, size_t i)
{
    return i + 1 < s->found ? s->changes[i + 1].at : s->count;
}

/* ---- chance ---- */

/* Points about a change, less their levels. */
struct noise {
    double points[2 * REACH];
    size_t count, levels;
};

static void collect_noise(const struct search *s, size_t at, struct noise *noise)
{
    const size_t start = at > REACH ? at - REACH : 0;
    const size_t end = s->count > at + REACH ? at + REACH : s->count;

    *noise = (struct noise){.count = 0};
    for (size_t i = 0; i <= s->found; i++) {
        const size_t from = side_start(s, i), to = i < s->found ? s->changes[i].at : s->count;
        if (to <= start || from >= end)
            continue;
        const double level = median_of(s->series + from, to - from, s->scratch);
        noise->levels++;
        for (size_t k = from > start ? from : start; k < to && k < end; k++)
            noise->points[noise->count++] = s->series[k] - level;
    }
}

/*
 * How much wider the noise may be than what is left: the upper bound of a standard deviation from
 * as many independent points as these are worth (Wilson and Hilferty 1931). Negative: too few.
 */
static double noise_factor(const struct noise *noise)
{
    const double worth = (double)noise->count / INDEPENDENT, left = worth - (double)noise->levels;
    const double root = left > 0 ? 1 - 2 / (9 * left) - QUANTILE * sqrt(2 / (9 * left)) : 0;

    return root > 0 ? sqrt(worth / (left * root * root * root)) : -1;
}

/* `count` points of noise, in blocks from anywhere in it, around its end, with random signs. */
static void draw_blocks(const struct noise *noise, size_t count, double factor, double *out,
                        uint64_t *random)
{
    for (size_t filled = 0; filled < count;) {
        const size_t from = fl_random_below(random, noise->count);
        const double by = fl_random_next(random) & 1 ? factor : -factor;
        for (size_t k = 0; k < BLOCK && filled < count; k++)
            out[filled++] = by * noise->points[(from + k) % noise->count];
    }
}

/* What the greatest of the drawn series say about a q above all of them. */
static double draw_out_tail(double *greatest, double q)
{
    double excess = 0;

    fl_reals_sort(greatest, DRAWS);
    const double *top = greatest + DRAWS - TAIL, foot = top[-1];
    for (size_t i = 0; i < TAIL; i++)
        excess += (top[i] - foot) / TAIL;
    const double p = excess > 0 ? TAIL * exp(-(q - foot) / excess) / DRAWS : 0;
    return fmin(p, 1.0 / (DRAWS + 1));
}

/* The chance of a split as good as q among `count` points of noise; 1 where it is above `level`. */
static double chance(const struct search *s, const struct noise *noise, size_t count, double q,
                     double level)
{
    double greatest[DRAWS], drawn[2 * REACH];
    const double factor = noise_factor(noise);
    uint64_t random = count;
    size_t great = 0;

    if (factor < 0)
        return 1;
    for (size_t i = 0; i < DRAWS; i++) {
        draw_blocks(noise, count, factor, drawn, &random);
        greatest[i] = fl_edivisive_best(drawn, count, FL_CHANGE_SIDE, s->work).q;
        great += greatest[i] >= q;
        if (great && (double)(great + 1) > level * (DRAWS + 1))
            return 1;
    }
    return great ? (double)(great + 1) / (DRAWS + 1) : draw_out_tail(greatest, q);
}

/* Asks chance of the points between a change's neighbours. */
static void judge(struct search *s, size_t i)
{
    struct fl_change *change = &s->changes[i];
    const size_t start = side_start(s, i), end = side_end(s, i);
    const size_t from = change->at - start > REACH ? change->at - REACH : start;
    const size_t to = end - change->at > REACH ? change->at + REACH : end;
    const double q = fl_edivisive_best(s->series + from, to - from, FL_CHANGE_SIDE, s->work).q;
    struct noise noise;

    collect_noise(s, change->at, &noise);
    change->p = s->tests * chance(s, &noise, to - from, q, s->rule->level / s->tests);
}

/* ---- sizes ---- */

static void measure(struct search *s, size_t i)
{
    struct fl_change *change = &s->changes[i];
    const size_t start = side_start(s, i), end = side_end(s, i);

    change->before = median_of(s->series + start, change->at - start, s->scratch);
    change->after = median_of(s->series + change->at, end - change->at, s->scratch);
    change->size = change->after - change->before;
}

/* Takes out what is too small or too likely between its neighbours, the worst first. */
static void drop_weak(struct search *s)
{
    while (s->found) {
        size_t worst = 0;
        for (size_t i = 0; i < s->found; i++) {
            measure(s, i);
            if (fabs(s->changes[i].size) < fabs(s->changes[worst].size))
                worst = i;
        }
        if (fabs(s->changes[worst].size) >= s->rule->least) {
            for (size_t i = 0; i < s->found; i++) {
                judge(s, i);
                if (s->changes[i].p > s->changes[worst].p)
                    worst = i;
            }
            if (s->changes[worst].p <= s->rule->level)
                return;
        }
        take_out(s, worst);
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
    divide(&s, 0, count, CANDIDATE * usual_step(s.series, count, s.scratch));
    s.tests = (double)(rule->tests * (s.found ? s.found : 1));
    drop_weak(&s);
    find_intervals(&s);
    *found = s.found;
    free(numbers);
    return 0;
}
