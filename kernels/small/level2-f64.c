/* SPDX-License-Identifier: Apache-2.0 */
/* symv and trsv of doubles. */
#define FL_REAL    double
#define FL_NAME(x) x##_f64

#include "level2-body.h"
