/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantised products with AVX2 and F16C.
 *
 * A pair of products is at most 2 * 15 * 127, so 8 of them add up in 16 bits before they are
 * widened: a whole block.
 */
#include <immintrin.h>

#include "q4.h"

/* Four numbers of x in every lane. */
static inline __m256i four(const int8_t *x)
{
    int32_t bits;

    memcpy(&bits, x, sizeof(bits));
    return _mm256_set1_epi32(bits);
}

static inline __m256i sums_of(const uint8_t *nibbles, const int8_t *x, int32_t offset)
{
    const __m256i low = _mm256_set1_epi8(0xf);
    __m256i sum = _mm256_setzero_si256();

    for (int step = 0; step < FL_Q4_BLOCK / FL_Q4_STEP; step++) {
        const __m256i bytes = _mm256_load_si256((const __m256i *)(nibbles + 32 * step));
        const __m256i first = _mm256_and_si256(bytes, low);
        const __m256i second = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), low);

        sum = _mm256_add_epi16(sum, _mm256_maddubs_epi16(first, four(x + 8 * step)));
        sum = _mm256_add_epi16(sum, _mm256_maddubs_epi16(second, four(x + 8 * step + 4)));
    }
    return _mm256_add_epi32(_mm256_set1_epi32(offset),
                            _mm256_madd_epi16(sum, _mm256_set1_epi16(1)));
}

#include "q4-groups-256.h"

const struct fl_q4_micro fl_q4_micro_avx2 = {FL_ISA_AVX2, quantise, groups};
