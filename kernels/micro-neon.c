/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Micro-kernels for NEON (AArch64): 6x8 doubles, 12x8 floats.
 *
 * 24 of the 32 registers accumulate, 3 hold a column of A and 4 a row of B, whose lanes the
 * multiply-add takes directly.
 */
#include <stddef.h>

#include "micro.h"

#define FL_KEEP(v) __asm__("" : "+w"(v))

#define FL_REAL    double
#define FL_NAME(x) x##_f64
#define FL_VEC     FL_NAME(vec)
#define FL_LANES   2
#define FL_TILE_V  3
#define FL_TILE_W  8
#define FL_TURN    4

typedef double vec_f64 __attribute__((vector_size(16)));

#include "tile-plain.h"

#include "tile.h"

const struct fl_micro_f64 fl_micro_neon_f64 = FL_MICRO(FL_ISA_NEON);

#include "tile-end.h"

#define FL_REAL    float
#define FL_NAME(x) x##_f32
#define FL_VEC     FL_NAME(vec)
#define FL_LANES   4
#define FL_TILE_V  3
#define FL_TILE_W  8
#define FL_TURN    4

typedef float vec_f32 __attribute__((vector_size(16)));

#include "tile-plain.h"

#include "tile.h"

const struct fl_micro_f32 fl_micro_neon_f32 = FL_MICRO(FL_ISA_NEON);
