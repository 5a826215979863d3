/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the counters share: which metrics are wanted, filling in a reading, and keeping first
 * touches out of the window.
 */
#ifndef FL_COUNTER_HELP_H
#define FL_COUNTER_HELP_H

#include "faultline/counter.h"

#define FL_REASON_MAX 512 /* bytes of a reading's reason, with its NUL */

#define FL_COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

bool fl_counter_wants(const struct fl_counter_env *env, const char *metric);

/* Row of `name`, or `count` where the table has no such metric. */
size_t fl_metric_row(const struct fl_metric *metrics, size_t count, const char *name);

void fl_reading_total(struct fl_reading *out, int64_t total);
void fl_reading_without(struct fl_reading *out, enum fl_reading_state state, const char *reason);

/*
 * Writes to every page of `state` without changing it. start() calls this first: a state that a
 * fork has write-protected again, or that was never written, would fault in stop(), inside the
 * window. For the same reason every open() ends with one start() and stop(): their code is mapped
 * and their symbols are bound before the window.
 */
void fl_counter_touch(void *state, size_t bytes);

#endif
