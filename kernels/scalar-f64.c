/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars: double. */
#include <float.h>

#define FL_REAL   double
#define FL_DIGITS DBL_MANT_DIG

#include "scalar-body.h"

const struct fl_scalar fl_scalar_f64 = FL_SCALAR;
