/* SPDX-License-Identifier: Apache-2.0 */
/* Perf name: what libpfm4 makes of an event's name. */
#ifndef FL_PERF_NAME_H
#define FL_PERF_NAME_H

#include <linux/perf_event.h>
#include <stddef.h>

#include "faultline/error.h"

/*
 * Fills `attr` from a name with libpfm4's modifiers (`instructions:u`). 0; -ENOENT: an event of
 * other processors; -EINVAL: no such event or modifier anywhere; -errno. The reason goes to `out`.
 *
 * libpfm4 runs in a child process, because its tables come from malloc, and a heap that has grown
 * is one that faults less. Costs a fork and about 1 ms.
 */
int fl_perf_encode(const char *event, struct perf_event_attr *attr, char *out,
                   size_t size) FL_MUST_CHECK;

#endif
