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

#include <stdbool.h>
#include <stddef.h>

#include "isa.h"

/* `count` panels of one width, side by side in the source and one behind the other when packed. */
struct fl_panels {
    size_t width, count, k, ld;
};

#define FL_REAL    double
#define FL_NAME(x) x##_f64
#include "micro-types.h"
#undef FL_REAL
#undef FL_NAME

#define FL_REAL    float
#define FL_NAME(x) x##_f32
#include "micro-types.h"
#undef FL_REAL
#undef FL_NAME

/* The table of an instruction set, or NULL where it is not built in. */
const struct fl_micro_f64 *fl_micro_f64(enum fl_isa isa);
const struct fl_micro_f32 *fl_micro_f32(enum fl_isa isa);

extern const struct fl_micro_f64 fl_micro_portable_f64, fl_micro_avx2_f64, fl_micro_avx512_f64,
    fl_micro_neon_f64;
extern const struct fl_micro_f32 fl_micro_portable_f32, fl_micro_avx2_f32, fl_micro_avx512_f32,
    fl_micro_neon_f32;

#endif
