/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantised products with AVX-512 VNNI, on vectors of 256 bits: a group is one of them.
 *
 * The high halves are multiplied where they stand, as 16 times themselves, and their sum is shifted
 * back once a block, which is exact.
 */
#include <immintrin.h>

#include "q4.h"

static inline __m256i four(const int8_t *x)
{
    int32_t bits;

    memcpy(&bits, x, sizeof(bits));
    return _mm256_set1_epi32(bits);
}

static inline __m256i sums_of(const uint8_t *nibbles, const int8_t *x, int32_t offset)
{
    const __m256i low = _mm256_set1_epi8(0xf);
    __m256i first = _mm256_set1_epi32(offset), second = _mm256_setzero_si256();

    for (int step = 0; step < FL_Q4_BLOCK / FL_Q4_STEP; step++) {
        const __m256i bytes = _mm256_load_si256((const __m256i *)(nibbles + 32 * step));

        first = _mm256_dpbusd_epi32(first, _mm256_and_si256(bytes, low), four(x + 8 * step));
        second =
            _mm256_dpbusd_epi32(second, _mm256_andnot_si256(low, bytes), four(x + 8 * step + 4));
    }
    return _mm256_add_epi32(first, _mm256_srai_epi32(second, 4));
}

#include "q4-groups-256.h"

const struct fl_q4_micro fl_q4_micro_vnni = {FL_ISA_AVX512, quantise, groups};
