/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Micro-kernels in portable C: 4x4 doubles, 8x4 floats.
 *
 * Vectors of 16 bytes, which every 64-bit target has; a compiler without them splits them up. 8
 * accumulators leave room in 16 registers for the products of targets without fused multiply-add.
 */
#include <stddef.h>

#include "micro.h"

#define FL_KEEP(v) ((void)(v)) /* the compiler knows best */

#define FL_REAL    double
#define FL_NAME(x) x##_f64
#define FL_VEC     FL_NAME(vec)
#define FL_LANES   2
#define FL_TILE_V  2
#define FL_TILE_W  4
#define FL_TURN    4

typedef double vec_f64 __attribute__((vector_size(16)));

#include "tile-plain.h"

#include "tile.h"

const struct fl_micro_f64 fl_micro_portable_f64 = FL_MICRO(FL_ISA_PORTABLE);

#include "tile-end.h"

#define FL_REAL    float
#define FL_NAME(x) x##_f32
#define FL_VEC     FL_NAME(vec)
#define FL_LANES   4
#define FL_TILE_V  2
#define FL_TILE_W  4
#define FL_TURN    4

typedef float vec_f32 __attribute__((vector_size(16)));

#include "tile-plain.h"

#include "tile.h"

const struct fl_micro_f32 fl_micro_portable_f32 = FL_MICRO(FL_ISA_PORTABLE);
