/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Level 1 for AVX2 with FMA.
 */
#include <immintrin.h>

#include "level1.h"

/* Sign bits at part_mask + 8 - n select the first n of 8 floats; pairs of them, n of 4 doubles. */
static const int part_mask[16] = {-1, -1, -1, -1, -1, -1, -1, -1};

static inline __m256i mask_of(size_t words)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)(part_mask + 8 - words));
}

/* Halves added up, down to 16 bytes. */
static inline void fold_f64(__m256d v, double sums[2])
{
    _mm_storeu_pd(sums, _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1)));
}

static inline void fold_f32(__m256 v, float sums[2])
{
    const __m128 half = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));

    _mm_storel_pi((__m64 *)(void *)sums, _mm_add_ps(half, _mm_movehl_ps(half, half)));
}

#define FL_REAL                    double
#define FL_NAME(x)                 x##_f64
#define FL_ABS(x)                  __builtin_fabs(x)
#define FL_KEEP(v)                 __asm__("" : "+x"(v))
#define FL_FOLD(v, sums)           fold_f64(v, sums)
#define FL_VEC                     __m256d
#define FL_INTS                    __m256i
#define FL_LANES                   4
#define FL_SIGN                    (-0x7fffffffffffffff - 1)
#define FL_PART                    long long
#define FL_SWAP(v)                 _mm256_permute_pd(v, 5)
#define FL_MAX(a, b)               _mm256_max_pd(a, b)
#define FL_ANY(mask)               (_mm256_movemask_pd((__m256d)(mask)) != 0)
#define FL_LOAD_PART(p, lanes)     _mm256_maskload_pd(p, mask_of(2 * (lanes)))
#define FL_STORE_PART(p, lanes, v) _mm256_maskstore_pd(p, mask_of(2 * (lanes)), v)

#include "level1-unit.h"

#include "level1-strided.h"

#include "level1-end.h"

typedef int ints_f32 __attribute__((vector_size(32)));

#define FL_REAL                    float
#define FL_NAME(x)                 x##_f32
#define FL_ABS(x)                  __builtin_fabsf(x)
#define FL_KEEP(v)                 __asm__("" : "+x"(v))
#define FL_FOLD(v, sums)           fold_f32(v, sums)
#define FL_VEC                     __m256
#define FL_INTS                    ints_f32
#define FL_LANES                   8
#define FL_SIGN                    (-0x7fffffff - 1)
#define FL_PART                    int
#define FL_SWAP(v)                 _mm256_permute_ps(v, 0xb1)
#define FL_MAX(a, b)               _mm256_max_ps(a, b)
#define FL_ANY(mask)               (_mm256_movemask_ps((__m256)(mask)) != 0)
#define FL_LOAD_PART(p, lanes)     _mm256_maskload_ps(p, mask_of(lanes))
#define FL_STORE_PART(p, lanes, v) _mm256_maskstore_ps(p, mask_of(lanes), v)

#include "level1-unit.h"

#include "level1-strided.h"

const struct fl_level1_set fl_level1_avx2 = {
    .isa = FL_ISA_AVX2,
    .ops = FL_LEVEL1_ROWS,
};
