/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often change points are found where there are none, and how late where there are: simulated
 * series with known truth. Prints the tables of docs/history.md. change-rates [SERIES]
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/random.h"
#include "faultline/reals.h"
#include "results/change-points.h"
#include "results/edivisive.h"

#define POINTS 1000 /* of a series, at most */

static double normal(uint64_t *random)
{
    const double u = ((double)(fl_random_next(random) >> 11) + 0.5) * 0x1p-53;
    const double v = (double)(fl_random_next(random) >> 11) * 0x1p-53;

    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

/* Standard deviation 1, lag-1 correlation `lag`. */
static void make_noise(double *series, size_t count, double lag, uint64_t *random)
{
    double point = normal(random);

    for (size_t i = 0; i < count; i++) {
        series[i] = point;
        point = lag * point + sqrt(1 - lag * lag) * normal(random);
    }
}

/* One point in fifty is far off. */
static void add_spikes(double *series, size_t count, uint64_t *random)
{
    for (size_t i = 0; i < count; i++)
        if (fl_random_below(random, 50) == 0)
            series[i] += 10 + 10 * fabs(normal(random));
}

static size_t count_changes(const double *series, size_t count, double least, size_t tests)
{
    const struct fl_change_rule rule = {FL_CHANGE_LEVEL, least, tests};
    struct fl_change changes[POINTS / FL_CHANGE_SIDE];
    size_t found;

    if (fl_change_points(series, count, &rule, changes, &found))
        abort();
    return found;
}

static size_t count_reference(const double *series, size_t count, uint64_t seed)
{
    const struct fl_edivisive_rule rule = {.level = 0.05, .permutations = 100, .seed = seed};
    size_t places[POINTS], found;

    if (fl_edivisive(series, count, &rule, places, &found))
        abort();
    return found;
}

struct rates {
    size_t points, plain, tested, spiked;
};

static struct rates null_rates(size_t length, double lag, size_t series_count, bool reference)
{
    struct rates rates = {0, 0, 0, 0};
    uint64_t random = length + (uint64_t)(100 * lag);
    double series[POINTS];

    for (size_t i = 0; i < series_count; i++) {
        make_noise(series, length, lag, &random);
        rates.points += length;
        rates.plain += reference ? count_reference(series, length, i) : 0;
        rates.tested += count_changes(series, length, 0, 1);
        add_spikes(series, length, &random);
        rates.spiked += count_changes(series, length, 0, 1);
    }
    return rates;
}

static void print_null(size_t series_count)
{
    static const size_t lengths[] = {20, 30, 40, 60, 100, 150, 300, 1000};
    static const double lags[] = {0, 0.35, 0.6};

    puts("| points | lag-1 correlation | E-divisive | ours | ours, 2 % spikes |\n"
         "| --- | --- | --- | --- | --- |");
    for (size_t i = 0; i < 8; i++)
        for (size_t k = 0; k < 3; k++) {
            size_t count = series_count * 40 / lengths[i] + 1;
            struct rates r = null_rates(lengths[i], lags[k], count, lengths[i] <= 100);
            const double per = 1000.0 / (double)r.points;
            printf("| %zu | %.2f | ", lengths[i], lags[k]);
            if (lengths[i] <= 100)
                printf("%.1f", (double)r.plain * per);
            printf(" | %.2f | %.2f |\n", (double)r.tested * per, (double)r.spiked * per);
            fflush(stdout);
        }
}

/* Points after the change when it is first reported within 3 of its place; 0: not within `most`. */
static size_t delay_of(const double *series, size_t at, size_t most, size_t tests)
{
    const struct fl_change_rule rule = {FL_CHANGE_LEVEL, 0, tests};
    struct fl_change changes[POINTS / FL_CHANGE_SIDE];
    size_t found;

    for (size_t after = FL_CHANGE_SIDE; after <= most; after++) {
        if (fl_change_points(series, at + after, &rule, changes, &found))
            abort();
        for (size_t i = 0; i < found; i++)
            if (changes[i].at + 3 >= at && changes[i].at <= at + 3)
                return after;
    }
    return 0;
}

static void print_delay(size_t series_count, size_t before, double lag, double size, size_t tests)
{
    enum { MOST = 40 };
    double series[POINTS], delays[4096] = {0};
    uint64_t random = 7;
    size_t found = 0;

    for (size_t i = 0; i < series_count && i < 4096; i++) {
        make_noise(series, before + MOST, lag, &random);
        for (size_t k = before; k < before + MOST; k++)
            series[k] += size;
        size_t delay = delay_of(series, before, MOST, tests);
        if (delay)
            delays[found++] = (double)delay;
    }
    fl_reals_sort(delays, found);
    printf("| %zu | %.2f | %.0f | %zu | %.0f %% | %.0f | %.0f |\n", before, lag, size, tests,
           100.0 * (double)found / (double)series_count, found ? delays[found / 2] : 0,
           found ? delays[found * 9 / 10] : 0);
    fflush(stdout);
}

static void print_delays(size_t series_count)
{
    static const size_t earlier[] = {10, 40, 200};
    static const double lags[] = {0.35, 0.6}, sizes[] = {2, 3, 5, 10};

    puts("\n| points before | lag-1 | size / SD | series | found within 40 | median delay | 90 % "
         "|\n| --- | --- | --- | --- | --- | --- | --- |");
    for (size_t b = 0; b < 3; b++)
        for (size_t l = 0; l < 2; l++)
            for (size_t s = 0; s < 4; s++)
                print_delay(series_count, earlier[b], lags[l], sizes[s], 24);
}

/* How often the 95 % interval of a step of 8 standard deviations holds it. */
static void print_coverage(size_t series_count)
{
    enum { BEFORE = 40, SIZE = 8 };
    static const size_t afters[] = {5, 10, 40};
    static const double lags[] = {0, 0.35, 0.6};
    const struct fl_change_rule rule = {FL_CHANGE_LEVEL, 0, 1};
    struct fl_change changes[POINTS / FL_CHANGE_SIDE];
    double series[POINTS];
    uint64_t random = 3;

    puts("\n| lag-1 | points after | interval holds the size |\n| --- | --- | --- |");
    for (size_t i = 0; i < 9; i++) {
        const size_t after = afters[i % 3];
        size_t found, seen = 0, held = 0;
        for (size_t s = 0; s < series_count; s++) {
            make_noise(series, BEFORE + after, lags[i / 3], &random);
            for (size_t k = BEFORE; k < BEFORE + after; k++)
                series[k] += SIZE;
            if (fl_change_points(series, BEFORE + after, &rule, changes, &found))
                abort();
            seen += found == 1;
            held += found == 1 && changes[0].low <= SIZE && changes[0].high >= SIZE;
        }
        printf("| %.2f | %zu | %.1f %% |\n", lags[i / 3], after,
               seen ? 100 * (double)held / (double)seen : 0);
    }
}

int main(int argc, char **argv)
{
    const size_t series_count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;

    print_null(series_count);
    print_delays(series_count / 10 + 1);
    print_coverage(2 * series_count);
    return 0;
}
