/* SPDX-License-Identifier: Apache-2.0 */
/* Syscall tracepoints: system calls counted by the kernel itself, for who may read tracefs. */
#ifndef FL_SYSCALL_TRACEPOINT_H
#define FL_SYSCALL_TRACEPOINT_H

#include "perf-set.h"
#include "syscall-groups.h"

/*
 * One perf event a group, all on the tracepoint raw_syscalls:sys_enter with a filter on the call's
 * number. Not on the tracepoints of single calls: the kernel takes tens of milliseconds to let go
 * of a tracepoint that has lost its last event, for each of them.
 */
struct fl_tracepoints {
    struct fl_perf_set sets[FL_SYSCALL_GROUPS];
};

/*
 * Opens the groups in the bit set `groups`, on all threads. 0 or -errno, with the reason and the
 * cure in `out`; then nothing is open.
 */
int fl_tracepoints_open(struct fl_tracepoints *tracepoints, unsigned groups, struct fl_arena *arena,
                        char *out, size_t size) FL_MUST_CHECK;

/* Edge 0 or 1 of the window. */
void fl_tracepoints_edge(struct fl_tracepoints *tracepoints, int edge);

/* Calls of a group between the edges; -errno where an edge could not be read. */
int64_t fl_tracepoints_total(const struct fl_tracepoints *tracepoints, enum fl_syscall_group group);

void fl_tracepoints_close(struct fl_tracepoints *tracepoints);

/* A descriptor that keeps the tracepoint in use and counts nothing, or -errno. */
int fl_tracepoints_hold(void);

#endif
