/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counter hold: what keeps counting samples cheap while they are taken, see hold() in counter.h.
 *
 * Held in the counting rounds alone: what the kernel keeps set up for a tracepoint slows system
 * calls down a little, and timed samples have no use for it.
 */
#ifndef FL_COUNTER_HOLD_H
#define FL_COUNTER_HOLD_H

#include <stddef.h>

#include "faultline/counter.h"

#define FL_COUNTER_HOLDS 16

struct fl_counter_hold {
    int files[FL_COUNTER_HOLDS];
    size_t count;
};

/* Holds every counter that serves one of the metrics and is read in counting samples. */
void fl_counter_hold_open(struct fl_counter_hold *hold, const struct fl_metric *metrics,
                          size_t count);

void fl_counter_hold_close(struct fl_counter_hold *hold);

#endif
