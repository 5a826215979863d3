/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Micro-kernels: the innermost products and the packing, one table per instruction set and type.
 *
 * A packed panel is a slice of an operand in the order in which the tile reads it: `width` scalars
 * for each step of k, without padding. So buffers have exactly the size that the blocking asks for,
 * whatever the tile is; a narrower last panel is simply packed narrower.
 *
 * Tables are constant; every function is thread-safe and allocates nothing.
 */
#ifndef FAULTLINE_KERNELS_MICRO_H
#define FAULTLINE_KERNELS_MICRO_H

#include <stddef.h>

#include "isa.h"

/*
 * Declares struct fl_tile_<suffix> and struct fl_micro_<suffix>.
 *
 * tile: C(0..rows, 0..cols) = beta * C + alpha * A * B over k steps, C column-major. `a` advances
 * by `a_step` and `b` by `b_step` scalars for each step of k; rows <= mr, cols <= nr. beta = 0
 * writes without reading C. pack_copy: a panel whose `width` scalars of one k step are contiguous
 * in the source, which advances by `ld` for each step. pack_transpose: a panel whose k steps are
 * contiguous in the source and whose `width` lines lie `ld` apart.
 */
#define FL_DECLARE_MICRO(real, suffix)                                                             \
    struct fl_tile_##suffix {                                                                      \
        size_t rows, cols, k;                                                                      \
        const real *a, *b;                                                                         \
        size_t a_step, b_step;                                                                     \
        real *c;                                                                                   \
        size_t ldc;                                                                                \
        real alpha, beta;                                                                          \
    };                                                                                             \
    struct fl_micro_##suffix {                                                                     \
        enum fl_isa isa;                                                                           \
        size_t lanes;  /* scalars in a vector: panels of A are cut at multiples of it */           \
        size_t mr, nr; /* largest tile */                                                          \
        void (*tile)(const struct fl_tile_##suffix *tile);                                         \
        void (*pack_copy)(size_t width, size_t k, const real *source, size_t ld, real *panel);     \
        void (*pack_transpose)(size_t width, size_t k, const real *source, size_t ld,              \
                               real *panel);                                                       \
    }

FL_DECLARE_MICRO(double, f64);
FL_DECLARE_MICRO(float, f32);

/* The table of an instruction set, or NULL where it is not built in. */
const struct fl_micro_f64 *fl_micro_f64(enum fl_isa isa);
const struct fl_micro_f32 *fl_micro_f32(enum fl_isa isa);

extern const struct fl_micro_f64 fl_micro_portable_f64, fl_micro_avx2_f64, fl_micro_avx512_f64,
    fl_micro_neon_f64;
extern const struct fl_micro_f32 fl_micro_portable_f32, fl_micro_avx2_f32, fl_micro_avx512_f32,
    fl_micro_neon_f32;

#endif
