/* SPDX-License-Identifier: Apache-2.0 */
/* Small products without packing: portable. */
#include "small-path.h"

#define FL_REAL    double
#define FL_NAME(x) x##_portable_f64
#include "small-dot.h"
#undef FL_REAL
#undef FL_NAME

#define FL_REAL    float
#define FL_NAME(x) x##_portable_f32
#include "small-dot.h"
