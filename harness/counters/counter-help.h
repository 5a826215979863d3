/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the counters share: which metrics are wanted, and filling in a reading. Every open() ends
 * with one start() and stop(): their code is then mapped, their symbols are bound and the state is
 * written to before the window.
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

#endif
