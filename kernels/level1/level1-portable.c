/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Level 1 in portable C: vectors of 16 bytes, which every 64-bit target has; a compiler without
 * them splits them up.
 */
#include "level1.h"

#define FL_REAL    double
#define FL_NAME(x) x##_f64
#define FL_ABS(x)  __builtin_fabs(x)
#define FL_KEEP(v) ((void)(v)) /* the compiler knows best */
#define FL_VEC     vec_f64
#define FL_INTS    ints_f64
#define FL_LANES   2
#define FL_SIGN    (-0x7fffffffffffffff - 1)
#define FL_PART    long long
#define FL_SWAP(v) __builtin_shufflevector(v, v, 1, 0)

typedef double vec_f64 __attribute__((vector_size(16)));
typedef long long ints_f64 __attribute__((vector_size(16)));

#include "level1-plain.h"

#include "level1-unit.h"

#include "level1-strided.h"

#include "level1-end.h"

#define FL_REAL    float
#define FL_NAME(x) x##_f32
#define FL_ABS(x)  __builtin_fabsf(x)
#define FL_KEEP(v) ((void)(v)) /* the compiler knows best */
#define FL_VEC     vec_f32
#define FL_INTS    ints_f32
#define FL_LANES   4
#define FL_SIGN    (-0x7fffffff - 1)
#define FL_PART    int
#define FL_SWAP(v) __builtin_shufflevector(v, v, 1, 0, 3, 2)

typedef float vec_f32 __attribute__((vector_size(16)));
typedef int ints_f32 __attribute__((vector_size(16)));

#include "level1-plain.h"

#include "level1-unit.h"

#include "level1-strided.h"

const struct fl_level1_set fl_level1_portable = {
    .isa = FL_ISA_PORTABLE,
    .ops = FL_LEVEL1_ROWS,
};
