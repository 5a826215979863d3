/* SPDX-License-Identifier: Apache-2.0 */
/* Quantised products in portable C. */
#include "q4.h"

#define LANES 8 /* numbers of 16 bits that are multiplied side by side: two rows */

/*
 * The integer sums of a block: one for each row.
 *
 * A product is at most 15 * 127 and 8 of them are added in 16 bits. Constant lengths and one kind
 * of number let a compiler use whatever vectors its target has.
 */
static void sums_of(const uint8_t *nibbles, const int8_t *x, int32_t *sums)
{
    int16_t products[4 * FL_Q4_ROWS] = {0};

    for (size_t step = 0; step < FL_Q4_BLOCK / FL_Q4_STEP; step++) {
        int16_t low[LANES], high[LANES];

        for (size_t i = 0; i < LANES; i++) {
            low[i] = (int16_t)x[i % 4];
            high[i] = (int16_t)x[4 + i % 4];
        }
        for (size_t at = 0; at < 4 * FL_Q4_ROWS; at += LANES)
            for (size_t i = 0; i < LANES; i++)
                products[at + i] = (int16_t)(products[at + i] + (nibbles[at + i] & 0xf) * low[i] +
                                             (nibbles[at + i] >> 4) * high[i]);
        nibbles += 4 * FL_Q4_ROWS;
        x += FL_Q4_STEP;
    }
    for (size_t row = 0; row < FL_Q4_ROWS; row++)
        for (size_t i = 0; i < 4; i++)
            sums[row] += products[4 * row + i];
}

static void groups(const struct fl_q4 *w, const struct fl_q8 *x, size_t begin, size_t end,
                   const float *add, float *y)
{
    for (size_t group = begin; group < end; group++) {
        const uint8_t *nibbles = w->nibbles + group * w->blocks * FL_Q4_BYTES;
        const uint16_t *scales = w->scales + group * w->blocks * FL_Q4_ROWS;
        float *to = y + group * FL_Q4_PITCH;

        for (size_t row = 0; row < FL_Q4_ROWS; row++)
            to[row] = add ? add[group * FL_Q4_PITCH + row] : 0;
        for (size_t block = 0; block < w->blocks; block++) {
            int32_t sums[FL_Q4_ROWS];

            for (size_t row = 0; row < FL_Q4_ROWS; row++)
                sums[row] = x->offsets[block];
            sums_of(nibbles, x->values + block * FL_Q4_BLOCK, sums);
            for (size_t row = 0; row < FL_Q4_ROWS; row++)
                to[row] += (float)sums[row] * (fl_q4_from_half(scales[row]) * x->scales[block]);
            nibbles += FL_Q4_BYTES;
            scales += FL_Q4_ROWS;
        }
    }
}

/* Adding it leaves the nearest integer in the low bits of a float: 1.5 * 2^23. */
#define ROUND      12582912.0f
#define ROUND_BITS 0x4b400000

/* As integers, magnitudes have the order of the floats, and the loop can be vectorised. */
static float largest_of(const float *x)
{
    uint32_t top = 0;
    float largest;

    for (size_t i = 0; i < FL_Q4_BLOCK; i++) {
        const uint32_t bits = fl_q4_bits(x[i]) & 0x7fffffffu;

        top = bits > top ? bits : top;
    }
    memcpy(&largest, &top, sizeof(largest));
    return largest;
}

static void quantise(const float *x, size_t blocks, float gain, struct fl_q8 *out)
{
    const float unit = gain / 127;

    for (size_t block = 0; block < blocks; block++, x += FL_Q4_BLOCK) {
        const float largest = largest_of(x);
        const float inverse = largest > FL_Q8_TINY ? 127 / largest : 0;
        int8_t *values = out->values + block * FL_Q4_BLOCK;
        int32_t sum = 0;

        for (size_t i = 0; i < FL_Q4_BLOCK; i++) {
            values[i] = (int8_t)((int32_t)fl_q4_bits(x[i] * inverse + ROUND) - ROUND_BITS);
            sum += values[i];
        }
        out->scales[block] = largest > FL_Q8_TINY ? largest * unit : 0;
        out->offsets[block] = -8 * sum;
    }
}

const struct fl_q4_micro fl_q4_micro_portable = {FL_ISA_PORTABLE, quantise, groups};
