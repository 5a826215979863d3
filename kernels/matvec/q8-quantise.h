/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantising a vector: plain C that each instruction set's file compiles for itself.
 *
 * Nothing here may be rounded differently from one compilation to the next: no sum of floats, no
 * product that is contracted with an addition (-ffp-contract=off).
 */
#ifndef FAULTLINE_KERNELS_Q8_QUANTISE_H
#define FAULTLINE_KERNELS_Q8_QUANTISE_H

#include "q4.h"

/* Below it 127/x is no number; such a block counts as zero. */
#define FL_Q8_TINY 1e-30f

/* Adding it leaves the nearest integer in the low bits of a float: 1.5 * 2^23. */
#define FL_Q8_ROUND      12582912.0f
#define FL_Q8_ROUND_BITS 0x4b400000

static inline float fl_q8_largest(const float *x)
{
    uint32_t top = 0;
    float largest;

    /* As integers, magnitudes have the order of the floats, and the loop can be vectorised. */
    for (size_t i = 0; i < FL_Q4_BLOCK; i++) {
        uint32_t bits;

        memcpy(&bits, x + i, sizeof(bits));
        bits &= 0x7fffffffu;
        top = bits > top ? bits : top;
    }
    memcpy(&largest, &top, sizeof(largest));
    return largest;
}

static inline void fl_q8_quantise(const float *x, size_t blocks, float gain, struct fl_q8 *out)
{
    for (size_t block = 0; block < blocks; block++, x += FL_Q4_BLOCK) {
        const float largest = fl_q8_largest(x);
        const float inverse = largest > FL_Q8_TINY ? 127 / largest : 0;
        int8_t *values = out->values + block * FL_Q4_BLOCK;
        int32_t sum = 0;

        for (size_t i = 0; i < FL_Q4_BLOCK; i++) {
            const float rounded = x[i] * inverse + FL_Q8_ROUND;
            int32_t bits;

            memcpy(&bits, &rounded, sizeof(bits));
            values[i] = (int8_t)(bits - FL_Q8_ROUND_BITS);
            sum += values[i];
        }
        out->scales[block] = largest > FL_Q8_TINY ? largest / 127 * gain : 0;
        out->offsets[block] = -8 * sum;
    }
}

#endif
