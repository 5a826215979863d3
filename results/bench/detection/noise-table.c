/* SPDX-License-Identifier: Apache-2.0 */
#include "noise-table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "faultline/random.h"
#include "results/suite.h"

#define DRIFT_LAG 0.35
#define CALL_NS   1000.0

static double normal(uint64_t *state)
{
    const double u = ((double)(fl_random_next(state) >> 11) + 0.5) * 0x1p-53;
    const double v = (double)(fl_random_next(state) >> 11) * 0x1p-53;

    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

static double follow(double before, double lag, uint64_t *state)
{
    return lag * before + sqrt(1 - lag * lag) * normal(state);
}

/* The middle cell has the deviation, the last one the worst. */
static double deviation_of(const struct fl_noise *noise, size_t cell)
{
    const double place = noise->cells > 1 ? (double)cell / (double)(noise->cells - 1) : 0.5;
    const double ratio = noise->worst > 0 ? noise->worst / noise->deviation : 1;

    return noise->deviation / 100 * pow(ratio, 2 * place - 1);
}

/* One side's own noise, of half the variance of a ratio, on top of what both share. */
static void fill_side(const struct fl_noise *noise, double deviation, const double *shared,
                      double *times, uint64_t *state)
{
    double own = normal(state);

    for (size_t i = 0; i < noise->rounds; i++) {
        const double far = (double)fl_random_below(state, 1000000) < 1e6 * noise->spikes ? 10 : 1;
        times[i] = CALL_NS * exp(shared[i] + deviation * far * own / sqrt(2));
        own = follow(own, noise->lag, state);
    }
}

static void fill_cell(const struct fl_noise *noise, size_t cell, const double *shared,
                      struct fl_pair_table *out, uint64_t *state)
{
    const double deviation = deviation_of(noise, cell);
    double *head = out->head + cell * out->rounds;

    fill_side(noise, deviation, shared, out->base + cell * out->rounds, state);
    fill_side(noise, deviation, shared, head, state);
    for (size_t i = 0; i < out->rounds; i++)
        head[i] *= 1 + noise->slower / 100;
}

static int name_cell(struct fl_pair_table *out, size_t cell)
{
    char *key = fl_arena_alloc(&out->arena, 32, 1);

    if (!key)
        return -ENOMEM;
    snprintf(key, 32, "kernel=noise n=%zu", cell + 1);
    out->keys[cell] = key;
    return 0;
}

int fl_noise_table(const struct fl_noise *noise, struct fl_pair_table *out)
{
    uint64_t state = noise->seed;
    double drift = normal(&state);
    int rc = fl_pair_table_init(out, noise->cells, noise->rounds);

    if (rc)
        return rc;
    for (size_t i = 0; i < out->rounds; i++) {
        out->losses[i] = noise->drift / 100 * drift;
        drift = follow(drift, DRIFT_LAG, &state);
    }
    for (size_t c = 0; c < out->cells && !rc; c++) {
        fill_cell(noise, c, out->losses, out, &state);
        rc = name_cell(out, c);
    }
    out->seconds = noise->seconds;
    out->planned = out->cells + (out->cells >= FL_SUITE_CELLS);
    out->settle = 0.02;
    out->window = 0.05;
    out->host = "simulated";
    fl_pair_table_finish(out);
    if (rc)
        fl_pair_table_release(out);
    return rc;
}
