/* SPDX-License-Identifier: Apache-2.0 */
/* Small products without packing: avx512. */
#include "small-path.h"

#define FL_REAL    double
#define FL_NAME(x) x##_avx512_f64
#include "small-dot.h"
#undef FL_REAL
#undef FL_NAME

#define FL_REAL    float
#define FL_NAME(x) x##_avx512_f32
#include "small-dot.h"
