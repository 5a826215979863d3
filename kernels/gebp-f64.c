/* SPDX-License-Identifier: Apache-2.0 */
/* GEBP of doubles. */
#include "gebp.h"

#define FL_REAL    double
#define FL_NAME(x) x##_f64

#include "gebp-loops.h"
