/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars: float. */
#include <float.h>

#define FL_REAL   float
#define FL_DIGITS FLT_MANT_DIG

#include "scalar-body.h"

const struct fl_scalar fl_scalar_f32 = FL_SCALAR;
