/* SPDX-License-Identifier: Apache-2.0 */
/* GEBP of floats. */
#include "gebp.h"

#define FL_REAL    float
#define FL_NAME(x) x##_f32

#include "gebp-loops.h"
