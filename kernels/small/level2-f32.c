/* SPDX-License-Identifier: Apache-2.0 */
/* symv and trsv of floats. */
#define FL_REAL    float
#define FL_NAME(x) x##_f32

#include "level2-body.h"
