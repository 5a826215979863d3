/* SPDX-License-Identifier: Apache-2.0 */
/* Settling: calls before the window, until caches, thresholds and clocks are where they stay. */
#ifndef FL_SETTLE_H
#define FL_SETTLE_H

#include "sample.h"

#define FL_SETTLE_CALLS 3 /* at least; the first calls grow the heap */

/*
 * Calls the kernel for sample->request.settle seconds and at least FL_SETTLE_CALLS times; where the
 * window's calls follow from it (request.iterations is 0), at least until one can be timed. Sets
 * settle_calls and call_seconds. 0, or the kernel's error.
 */
int fl_settle(struct fl_sample *sample) FL_MUST_CHECK;

/* `count` calls. 0, or the first error. */
int fl_settle_calls(struct fl_sample *sample, uint64_t count) FL_MUST_CHECK;

#endif
