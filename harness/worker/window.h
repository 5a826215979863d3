/* SPDX-License-Identifier: Apache-2.0 */
/* Window: the measured calls, one pass of Google Benchmark with a fixed iteration count. */
#ifndef FL_WINDOW_H
#define FL_WINDOW_H

#include "sample.h"

/* Measures sample->calls calls; sets window_seconds. 0, or -errno with a reason. */
int fl_window(struct fl_sample *sample, struct fl_err *err) FL_MUST_CHECK;

#endif
