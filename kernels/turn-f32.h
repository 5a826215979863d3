/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transposes a square of 8 x 8 floats with 256-bit registers: the packing of the AVX2 and the
 * AVX-512 micro-kernels. Inline, because each of them is compiled for its own instruction set.
 */
#ifndef FAULTLINE_KERNELS_TURN_F32_H
#define FAULTLINE_KERNELS_TURN_F32_H

#include <immintrin.h>
#include <stddef.h>

/* Halves of line i and line i + 4 in one register: inserting from memory needs no shuffle port. */
static inline __m256 fl_halves_f32(const float *low, const float *high)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}

/* 4 steps of 8 lines. */
static inline void fl_turn8_half_f32(const float *s, size_t ld, float *panel, size_t width)
{
    const __m256 r0 = fl_halves_f32(s, s + 4 * ld), r1 = fl_halves_f32(s + ld, s + 5 * ld);
    const __m256 r2 = fl_halves_f32(s + 2 * ld, s + 6 * ld);
    const __m256 r3 = fl_halves_f32(s + 3 * ld, s + 7 * ld);
    const __m256 a = _mm256_unpacklo_ps(r0, r1), b = _mm256_unpackhi_ps(r0, r1);
    const __m256 c = _mm256_unpacklo_ps(r2, r3), d = _mm256_unpackhi_ps(r2, r3);

    _mm256_storeu_ps(panel, _mm256_shuffle_ps(a, c, 0x44));
    _mm256_storeu_ps(panel + width, _mm256_shuffle_ps(a, c, 0xee));
    _mm256_storeu_ps(panel + 2 * width, _mm256_shuffle_ps(b, d, 0x44));
    _mm256_storeu_ps(panel + 3 * width, _mm256_shuffle_ps(b, d, 0xee));
}

static inline void fl_turn8_f32(const float *s, size_t ld, float *panel, size_t width)
{
    fl_turn8_half_f32(s, ld, panel, width);
    fl_turn8_half_f32(s + 4, ld, panel + 4 * width, width);
}

#endif
