/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Micro-kernels for AVX-512: 24x8 doubles, 48x8 floats.
 *
 * 24 of the 32 registers accumulate, 3 hold a column of A and one a broadcast of B: 24 fused
 * multiply-adds for 11 loads, so that the two load ports are half idle.
 */
#include <immintrin.h>

#include "micro.h"

#define FL_KEEP(v) __asm__("" : "+v"(v))

#define FL_REAL                    double
#define FL_NAME(x)                 x##_f64
#define FL_VEC                     __m512d
#define FL_LANES                   8
#define FL_TILE_V                  3
#define FL_TILE_W                  8
#define FL_TURN                    8
#define FL_LOAD_PART(p, lanes)     _mm512_maskz_loadu_pd((__mmask8)((1u << (lanes)) - 1), p)
#define FL_STORE_PART(p, lanes, v) _mm512_mask_storeu_pd(p, (__mmask8)((1u << (lanes)) - 1), v)
#define FL_STORE_RANGE(p, first, last, v)                                                          \
    _mm512_mask_storeu_pd(p, (__mmask8)((1u << (last)) - (1u << (first))), v)
#define FL_TRANSPOSE(s, ld, p, wid) turn_f64(s, ld, p, wid)

/* Halves of line i and line i + 4 in one register: inserting from memory needs no shuffle port. */
static inline __m512d halves(const double *low, const double *high)
{
    return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(low)), _mm256_loadu_pd(high),
                              1);
}

/* 4 steps of 8 lines. */
static inline void turn_half_f64(const double *s, size_t ld, double *panel, size_t width)
{
    const __m512d r0 = halves(s, s + 4 * ld), r1 = halves(s + ld, s + 5 * ld);
    const __m512d r2 = halves(s + 2 * ld, s + 6 * ld), r3 = halves(s + 3 * ld, s + 7 * ld);
    const __m512d a = _mm512_unpacklo_pd(r0, r1), b = _mm512_unpackhi_pd(r0, r1);
    const __m512d c = _mm512_unpacklo_pd(r2, r3), d = _mm512_unpackhi_pd(r2, r3);
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const __m512i high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);

    _mm512_storeu_pd(panel, _mm512_permutex2var_pd(a, low, c));
    _mm512_storeu_pd(panel + width, _mm512_permutex2var_pd(b, low, d));
    _mm512_storeu_pd(panel + 2 * width, _mm512_permutex2var_pd(a, high, c));
    _mm512_storeu_pd(panel + 3 * width, _mm512_permutex2var_pd(b, high, d));
}

static inline void turn_f64(const double *s, size_t ld, double *panel, size_t width)
{
    turn_half_f64(s, ld, panel, width);
    turn_half_f64(s + 4, ld, panel + 4 * width, width);
}

#include "tile.h"

const struct fl_micro_f64 fl_micro_avx512_f64 = FL_MICRO(FL_ISA_AVX512);

#include "tile-end.h"

#define FL_REAL                    float
#define FL_NAME(x)                 x##_f32
#define FL_VEC                     __m512
#define FL_LANES                   16
#define FL_TILE_V                  3
#define FL_TILE_W                  8
#define FL_TURN                    8
#define FL_LOAD_PART(p, lanes)     _mm512_maskz_loadu_ps((__mmask16)((1u << (lanes)) - 1), p)
#define FL_STORE_PART(p, lanes, v) _mm512_mask_storeu_ps(p, (__mmask16)((1u << (lanes)) - 1), v)
#define FL_STORE_RANGE(p, first, last, v)                                                          \
    _mm512_mask_storeu_ps(p, (__mmask16)((1u << (last)) - (1u << (first))), v)
#define FL_TRANSPOSE(s, ld, p, wid) fl_turn8_f32(s, ld, p, wid)

#include "turn-f32.h"

#include "tile.h"

const struct fl_micro_f32 fl_micro_avx512_f32 = FL_MICRO(FL_ISA_AVX512);
