/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantising, and the loop over groups, on vectors of 256 bits. The file that includes it has
 * defined sums_of(), the integer sums of a block.
 *
 * Weights are read once and from far away, and the processor's own prefetching ends at every page:
 * so a block is asked for some blocks ahead.
 */
#ifndef FAULTLINE_KERNELS_Q4_GROUPS_256_H
#define FAULTLINE_KERNELS_Q4_GROUPS_256_H

#include <immintrin.h>

#include "q4.h"

#define FL_Q4_AHEAD 2048 /* bytes */

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

static inline float largest_of(const __m256 *x)
{
    const __m256 size = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
    const __m256 eight =
        _mm256_max_ps(_mm256_max_ps(_mm256_and_ps(x[0], size), _mm256_and_ps(x[1], size)),
                      _mm256_max_ps(_mm256_and_ps(x[2], size), _mm256_and_ps(x[3], size)));
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));

    four = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(four, _mm_movehdup_ps(four)));
}

static inline int32_t sum_of(__m256i bytes)
{
    const __m256i pairs = _mm256_maddubs_epi16(_mm256_set1_epi8(1), bytes);
    const __m256i eight = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
    __m128i four = _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));

    four = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
    return _mm_cvtsi128_si32(_mm_add_epi32(four, _mm_shuffle_epi32(four, 1)));
}

static void quantise(const float *x, size_t blocks, float gain, struct fl_q8 *out)
{
    const float unit = gain / 127;
    /* Packing takes four numbers of each half in turn. */
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);

    for (size_t block = 0; block < blocks; block++, x += FL_Q4_BLOCK) {
        const __m256 parts[4] = {_mm256_loadu_ps(x), _mm256_loadu_ps(x + 8),
                                 _mm256_loadu_ps(x + 16), _mm256_loadu_ps(x + 24)};
        const float largest = largest_of(parts);
        const __m256 inverse = _mm256_set1_ps(largest > FL_Q8_TINY ? 127 / largest : 0);
        __m256i words[4], bytes;

        for (int i = 0; i < 4; i++)
            words[i] = _mm256_cvtps_epi32(_mm256_mul_ps(parts[i], inverse));
        bytes = _mm256_packs_epi16(_mm256_packs_epi32(words[0], words[1]),
                                   _mm256_packs_epi32(words[2], words[3]));
        bytes = _mm256_permutevar8x32_epi32(bytes, order);
        _mm256_storeu_si256((__m256i *)(out->values + block * FL_Q4_BLOCK), bytes);
        out->scales[block] = largest > FL_Q8_TINY ? largest * unit : 0;
        out->offsets[block] = -8 * sum_of(bytes);
    }
}

#endif
