/* SPDX-License-Identifier: Apache-2.0 */
/* Quantised products in portable C. */
#include "q8-quantise.h"

/* The integer sums of a block: one for each row. */
static void sums_of(const uint8_t *nibbles, const int8_t *x, int32_t *sums)
{
    for (size_t step = 0; step < FL_Q4_BLOCK / FL_Q4_STEP; step++) {
        for (size_t row = 0; row < FL_Q4_ROWS; row++) {
            for (size_t i = 0; i < 4; i++) {
                const uint8_t byte = nibbles[4 * row + i];

                sums[row] += (byte & 0xf) * x[i] + (byte >> 4) * x[i + 4];
            }
        }
        nibbles += 4 * FL_Q4_ROWS;
        x += FL_Q4_STEP;
    }
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

static void quantise(const float *x, size_t blocks, float gain, struct fl_q8 *out)
{
    fl_q8_quantise(x, blocks, gain, out);
}

const struct fl_q4_micro fl_q4_micro_portable = {FL_ISA_PORTABLE, quantise, groups};
