/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracefs: where the kernel's tracepoints are described, if this user may look.
 */
#ifndef FL_MACHINE_TRACEFS_H
#define FL_MACHINE_TRACEFS_H

#include <stddef.h>

#include "faultline/error.h"

#define FL_TRACEFS_PATH_MAX 256

/*
 * The folder that holds `events`, tried as /sys/kernel/tracing and /sys/kernel/debug/tracing. 0;
 * -ENOENT: not mounted; -EACCES: mounted, and not readable by this user (`path` says where).
 */
int fl_tracefs_find(const char *root, char *path, size_t size) FL_MUST_CHECK;

/* The number of a tracepoint ("syscalls/sys_enter_brk") for perf_event_open(). 0, -ENOENT (no
 * tracefs or no such tracepoint), -EACCES, -EINVAL. */
int fl_tracefs_event_id(const char *root, const char *event, long long *id) FL_MUST_CHECK;

#endif
