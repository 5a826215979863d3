/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Micro-kernels for AVX2 with FMA: 12x4 doubles, 24x4 floats.
 *
 * 12 of the 16 registers accumulate, 3 hold a column of A and one a broadcast of B: 12 fused
 * multiply-adds for 7 loads.
 */
#include <immintrin.h>

#include "micro.h"

#define FL_KEEP(v) __asm__("" : "+x"(v))

/* Sign bits at part_mask + 8 - n select the first n of 8 floats; pairs of them, n of 4 doubles. */
static const int part_mask[16] = {-1, -1, -1, -1, -1, -1, -1, -1};

static inline __m256i mask_of(size_t words)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)(part_mask + 8 - words));
}

/* The words from `first` to before `last`. */
static inline __m256i range_of(size_t first, size_t last)
{
    return _mm256_andnot_si256(mask_of(first), mask_of(last));
}

#define FL_REAL                    double
#define FL_NAME(x)                 x##_f64
#define FL_VEC                     __m256d
#define FL_LANES                   4
#define FL_TILE_V                  3
#define FL_TILE_W                  4
#define FL_TURN                    4
#define FL_LOAD_PART(p, lanes)     _mm256_maskload_pd(p, mask_of(2 * (lanes)))
#define FL_STORE_PART(p, lanes, v) _mm256_maskstore_pd(p, mask_of(2 * (lanes)), v)
#define FL_STORE_RANGE(p, first, last, v)                                                          \
    _mm256_maskstore_pd(p, range_of(2 * (first), 2 * (last)), v)
#define FL_TRANSPOSE(s, ld, p, wid) turn_f64(s, ld, p, wid)

/* Halves of line i and line i + 2 in one register: inserting from memory needs no shuffle port. */
static inline __m256d halves(const double *low, const double *high)
{
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(low)), _mm_loadu_pd(high), 1);
}

static inline void turn_f64(const double *s, size_t ld, double *panel, size_t width)
{
    const __m256d r0 = halves(s, s + 2 * ld), r1 = halves(s + ld, s + 3 * ld);
    const __m256d r2 = halves(s + 2, s + 2 * ld + 2), r3 = halves(s + ld + 2, s + 3 * ld + 2);

    _mm256_storeu_pd(panel, _mm256_unpacklo_pd(r0, r1));
    _mm256_storeu_pd(panel + width, _mm256_unpackhi_pd(r0, r1));
    _mm256_storeu_pd(panel + 2 * width, _mm256_unpacklo_pd(r2, r3));
    _mm256_storeu_pd(panel + 3 * width, _mm256_unpackhi_pd(r2, r3));
}

#include "tile.h"

const struct fl_micro_f64 fl_micro_avx2_f64 = FL_MICRO(FL_ISA_AVX2);

#include "tile-end.h"

#define FL_REAL                           float
#define FL_NAME(x)                        x##_f32
#define FL_VEC                            __m256
#define FL_LANES                          8
#define FL_TILE_V                         3
#define FL_TILE_W                         4
#define FL_TURN                           4
#define FL_LOAD_PART(p, lanes)            _mm256_maskload_ps(p, mask_of(lanes))
#define FL_STORE_PART(p, lanes, v)        _mm256_maskstore_ps(p, mask_of(lanes), v)
#define FL_STORE_RANGE(p, first, last, v) _mm256_maskstore_ps(p, range_of(first, last), v)
#define FL_TRANSPOSE(s, ld, p, wid)       turn_f32(s, ld, p, wid)

static inline void turn_f32(const float *s, size_t ld, float *panel, size_t width)
{
    __m128 r0 = _mm_loadu_ps(s), r1 = _mm_loadu_ps(s + ld);
    __m128 r2 = _mm_loadu_ps(s + 2 * ld), r3 = _mm_loadu_ps(s + 3 * ld);

    _MM_TRANSPOSE4_PS(r0, r1, r2, r3);
    _mm_storeu_ps(panel, r0);
    _mm_storeu_ps(panel + width, r1);
    _mm_storeu_ps(panel + 2 * width, r2);
    _mm_storeu_ps(panel + 3 * width, r3);
}

#include "tile.h"

const struct fl_micro_f32 fl_micro_avx2_f32 = FL_MICRO(FL_ISA_AVX2);
