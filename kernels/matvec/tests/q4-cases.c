/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of the quantised products. */
#include "q4-cases.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "scalar.h"

#define ROWS_MAX 40
#define COLS_MAX 320
#define GUARD    -77.0f

struct operands {
    struct fl_q4 w;
    struct fl_q8 q;
    _Alignas(64) uint8_t nibbles[ROWS_MAX * COLS_MAX / 2];
    _Alignas(64) uint16_t scales[ROWS_MAX * COLS_MAX / FL_Q4_BLOCK];
    _Alignas(64) int8_t values[COLS_MAX];
    float q_scales[COLS_MAX / FL_Q4_BLOCK];
    int32_t offsets[COLS_MAX / FL_Q4_BLOCK];
    _Alignas(64) float x[COLS_MAX], y[2 * ROWS_MAX];
};

static int wrong(enum fl_isa isa, const char *what, size_t at, double got, double want)
{
    fprintf(stderr, "%s: %s %zu is %.9g, want %.9g\n", fl_isa_name(isa), what, at, got, want);
    return -EBADMSG;
}

static void shape(struct operands *o, size_t rows, size_t cols)
{
    fl_q4_shape(&o->w, rows, cols);
    o->w.nibbles = o->nibbles;
    o->w.scales = o->scales;
    o->q = (struct fl_q8){o->values, o->q_scales, o->offsets};
    for (size_t i = 0; i < 2 * ROWS_MAX; i++)
        o->y[i] = GUARD;
}

static int compare_vectors(enum fl_isa isa, const struct operands *got, const struct operands *want)
{
    for (size_t i = 0; i < want->w.cols; i++)
        if (got->values[i] != want->values[i])
            return wrong(isa, "quantised value", i, got->values[i], want->values[i]);
    for (size_t i = 0; i < want->w.blocks; i++) {
        if (fl_q4_bits(got->q_scales[i]) != fl_q4_bits(want->q_scales[i]))
            return wrong(isa, "scale", i, (double)got->q_scales[i], (double)want->q_scales[i]);
        if (got->offsets[i] != want->offsets[i])
            return wrong(isa, "offset", i, got->offsets[i], want->offsets[i]);
    }
    return 0;
}

static int compare_results(enum fl_isa isa, const struct operands *got, const struct operands *want)
{
    for (size_t i = 0; i < 2 * ROWS_MAX; i++)
        if (fl_q4_bits(got->y[i]) != fl_q4_bits(want->y[i]))
            return wrong(isa, "result", i, (double)got->y[i], (double)want->y[i]);
    return 0;
}

/* In two halves and in one, with and without something to add to. */
static int compare_on(enum fl_isa isa, struct operands *got, struct operands *want, uint64_t seed)
{
    const size_t rows = 1 + fl_draw(seed, 0, 0) % ROWS_MAX;
    const size_t cols = FL_Q4_BLOCK * (1 + fl_draw(seed, 0, 1) % (COLS_MAX / FL_Q4_BLOCK));
    const struct fl_q4_micro *micro = fl_q4_micro(isa), *plain = &fl_q4_micro_portable;
    const bool adds = seed % 2;
    int rc;

    shape(got, rows, cols);
    shape(want, rows, cols);
    fl_q4_fill(&want->w, seed, 0, want->w.groups);
    fl_q4_fill(&got->w, seed, 0, got->w.groups);
    for (size_t i = 0; i < cols; i++)
        got->x[i] = want->x[i] =
            ldexpf((float)fl_draw_integer(seed, 1, i, 24), (int)(fl_draw(seed, 2, i) % 30) - 40);
    micro->quantise(got->x, got->w.blocks, 0.7f, &got->q);
    plain->quantise(want->x, want->w.blocks, 0.7f, &want->q);
    rc = compare_vectors(isa, got, want);
    if (rc)
        return rc;
    const size_t middle = got->w.groups / 2;

    micro->groups(&got->w, &got->q, 0, middle, adds ? got->y : NULL, got->y);
    micro->groups(&got->w, &got->q, middle, got->w.groups, adds ? got->y : NULL, got->y);
    plain->groups(&want->w, &want->q, 0, want->w.groups, adds ? want->y : NULL, want->y);
    return compare_results(isa, got, want);
}

int q4_equals_portable(enum fl_isa isa, unsigned count)
{
    static struct operands got, want;
    int rc = 0;

    for (unsigned i = 0; i < count && !rc; i++)
        rc = compare_on(isa, &got, &want, i);
    return rc;
}

static int quantises(enum fl_isa isa, struct operands *o, float value, size_t at, int8_t expected)
{
    shape(o, 1, FL_Q4_BLOCK);
    o->x[at] = value;
    fl_q4_micro(isa)->quantise(o->x, 1, 1, &o->q);
    o->x[at] = 0;
    for (size_t i = 0; i < FL_Q4_BLOCK; i++)
        if (o->values[i] != (i == at ? expected : 0))
            return wrong(isa, "quantised value", i, o->values[i], i == at ? expected : 0);
    if (!isfinite(o->q_scales[0]) || o->offsets[0] != -8 * expected)
        return wrong(isa, "offset", 0, o->offsets[0], -8 * expected);
    const double back = (double)o->q_scales[0] * expected;

    if (expected && fabs(back - (double)value) > fabs((double)value) * 2 * (double)FLT_EPSILON)
        return wrong(isa, "value back", at, back, (double)value);
    return 0;
}

int q4_quantises_extremes(enum fl_isa isa)
{
    static struct operands o;
    int rc = quantises(isa, &o, 0, 0, 0);

    for (size_t at = 0; at < FL_Q4_BLOCK && !rc; at++)
        rc = quantises(isa, &o, 1, at, 127);
    if (!rc)
        rc = quantises(isa, &o, -FLT_MAX, 3, -127);
    if (!rc)
        rc = quantises(isa, &o, FLT_MAX, 31, 127);
    if (!rc)
        rc = quantises(isa, &o, FLT_MIN, 31, 0); /* too small to be told from nothing */
    return rc ? rc : quantises(isa, &o, -0x1p-149f, 5, 0);
}

/* Weights -8..7 and x -127..127 with scales of 1: sums stay below 2^24 and nothing rounds. */
static void integers(struct operands *o, uint64_t seed)
{
    for (size_t row = 0; row < o->w.rows; row++) {
        for (size_t block = 0; block < o->w.blocks; block++) {
            float weights[FL_Q4_BLOCK];

            for (size_t i = 0; i < FL_Q4_BLOCK; i++)
                weights[i] = (float)fl_draw_integer(seed, row, block * FL_Q4_BLOCK + i, 4);
            weights[fl_draw(seed, row, block) % FL_Q4_BLOCK] = -8;
            fl_q4_set_block(&o->w, row, block, weights);
        }
    }
    for (size_t i = 0; i < o->w.cols; i++) {
        o->x[i] = (float)fl_draw_integer(seed, ROWS_MAX, i, 7);
        if (i % FL_Q4_BLOCK == 0)
            o->x[i] = seed % 2 ? -127 : 127;
    }
}

int q4_is_exact_on_integers(enum fl_isa isa)
{
    static struct operands o;

    for (uint64_t seed = 0; seed < 50; seed++) {
        shape(&o, 1 + fl_draw(seed, 3, 0) % ROWS_MAX, COLS_MAX);
        integers(&o, seed);
        fl_q4_micro(isa)->quantise(o.x, o.w.blocks, 1, &o.q);
        fl_q4_micro(isa)->groups(&o.w, &o.q, 0, o.w.groups, NULL, o.y);
        for (size_t row = 0; row < o.w.rows; row++) {
            double sum = 0;

            for (size_t col = 0; col < o.w.cols; col++)
                sum += (double)fl_q4_get(&o.w, row, col) * (double)o.x[col];
            if ((double)o.y[fl_q4_at(row)] != sum)
                return wrong(isa, "row", row, (double)o.y[fl_q4_at(row)], sum);
        }
    }
    return 0;
}

int q4_run_cases(unsigned *sets)
{
    int rc = 0;

    *sets = 0;
    for (int i = 0; i < FL_ISA_COUNT && !rc; i++) {
        const enum fl_isa isa = (enum fl_isa)i;

        if (fl_isa_probe_dot(isa, NULL))
            continue;
        ++*sets;
        rc = q4_is_exact_on_integers(isa);
        if (!rc)
            rc = q4_quantises_extremes(isa);
        if (!rc)
            rc = q4_equals_portable(isa, 400);
    }
    return rc;
}
