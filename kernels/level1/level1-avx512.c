/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Level 1 for AVX-512.
 */
#include <immintrin.h>

#include "level1.h"

/* Halves added up, down to 16 bytes. */
static inline void fold_f64(__m512d v, double sums[2])
{
    const __m256d half = _mm256_add_pd(_mm512_castpd512_pd256(v), _mm512_extractf64x4_pd(v, 1));

    _mm_storeu_pd(sums, _mm_add_pd(_mm256_castpd256_pd128(half), _mm256_extractf128_pd(half, 1)));
}

static inline void fold_f32(__m512 v, float sums[2])
{
    const __m256 half = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
    const __m128 rest = _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));

    _mm_storel_pi((__m64 *)(void *)sums, _mm_add_ps(rest, _mm_movehl_ps(rest, rest)));
}

#define FL_REAL                    double
#define FL_NAME(x)                 x##_f64
#define FL_ABS(x)                  __builtin_fabs(x)
#define FL_KEEP(v)                 __asm__("" : "+v"(v))
#define FL_FOLD(v, sums)           fold_f64(v, sums)
#define FL_VEC                     __m512d
#define FL_INTS                    __m512i
#define FL_LANES                   8
#define FL_SIGN                    (-0x7fffffffffffffff - 1)
#define FL_PART                    long long
#define FL_SWAP(v)                 _mm512_permute_pd(v, 0x55)
#define FL_MAX(a, b)               _mm512_max_pd(a, b)
#define FL_ANY(mask)               (_mm512_movepi64_mask((__m512i)(mask)) != 0)
#define FL_LOAD_PART(p, lanes)     _mm512_maskz_loadu_pd((__mmask8)((1u << (lanes)) - 1), p)
#define FL_STORE_PART(p, lanes, v) _mm512_mask_storeu_pd(p, (__mmask8)((1u << (lanes)) - 1), v)

#include "level1-unit.h"

#include "level1-strided.h"

#include "level1-end.h"

typedef int ints_f32 __attribute__((vector_size(64)));

#define FL_REAL                    float
#define FL_NAME(x)                 x##_f32
#define FL_ABS(x)                  __builtin_fabsf(x)
#define FL_KEEP(v)                 __asm__("" : "+v"(v))
#define FL_FOLD(v, sums)           fold_f32(v, sums)
#define FL_VEC                     __m512
#define FL_INTS                    ints_f32
#define FL_LANES                   16
#define FL_SIGN                    (-0x7fffffff - 1)
#define FL_PART                    int
#define FL_SWAP(v)                 _mm512_permute_ps(v, 0xb1)
#define FL_MAX(a, b)               _mm512_max_ps(a, b)
#define FL_ANY(mask)               (_mm512_movepi32_mask((__m512i)(mask)) != 0)
#define FL_LOAD_PART(p, lanes)     _mm512_maskz_loadu_ps((__mmask16)((1u << (lanes)) - 1), p)
#define FL_STORE_PART(p, lanes, v) _mm512_mask_storeu_ps(p, (__mmask16)((1u << (lanes)) - 1), v)

#include "level1-unit.h"

#include "level1-strided.h"

const struct fl_level1_set fl_level1_avx512 = {
    .isa = FL_ISA_AVX512,
    .ops = FL_LEVEL1_ROWS,
};
