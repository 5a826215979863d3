/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop over groups on vectors of 256 bits. The file that includes it has defined sums_of(), the
 * integer sums of a block.
 *
 * Weights are read once and from far away, and the processor's own prefetching ends at every page:
 * so a block is asked for some blocks ahead.
 */
#ifndef FAULTLINE_KERNELS_Q4_GROUPS_256_H
#define FAULTLINE_KERNELS_Q4_GROUPS_256_H

#include "q8-quantise.h"

#define FL_Q4_AHEAD 1024 /* bytes */

static void groups(const struct fl_q4 *w, const struct fl_q8 *x, size_t begin, size_t end,
                   const float *add, float *y)
{
    const uint8_t *nibbles = w->nibbles + begin * w->blocks * FL_Q4_BYTES;
    const uint16_t *scales = w->scales + begin * w->blocks * FL_Q4_ROWS;

    for (size_t group = begin; group < end; group++) {
        __m256 sum = add ? _mm256_load_ps(add + group * FL_Q4_PITCH) : _mm256_setzero_ps();

        for (size_t block = 0; block < w->blocks; block++) {
            const __m256 scale =
                _mm256_mul_ps(_mm256_cvtph_ps(_mm_load_si128((const __m128i *)scales)),
                              _mm256_set1_ps(x->scales[block]));
            const __m256i sums =
                sums_of(nibbles, x->values + block * FL_Q4_BLOCK, x->offsets[block]);

            _mm_prefetch((const char *)nibbles + FL_Q4_AHEAD, _MM_HINT_T0);
            _mm_prefetch((const char *)nibbles + FL_Q4_AHEAD + 64, _MM_HINT_T0);
            sum = _mm256_add_ps(sum, _mm256_mul_ps(_mm256_cvtepi32_ps(sums), scale));
            nibbles += FL_Q4_BYTES;
            scales += FL_Q4_ROWS;
        }
        _mm256_store_ps(y + group * FL_Q4_PITCH, sum);
    }
}

static void quantise(const float *x, size_t blocks, float gain, struct fl_q8 *out)
{
    fl_q8_quantise(x, blocks, gain, out);
}

#endif
