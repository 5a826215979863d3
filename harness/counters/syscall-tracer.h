/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Syscall tracer: counts system calls for who may not read tracefs, with seccomp and ptrace.
 *
 * A filter stops each counted call, and a tracer, a process of its own in the memory of this one,
 * counts it and lets it go on. Sharing the memory keeps this process free of copy-on-write faults
 * and makes the counts plain memory: an edge of the window is a few loads.
 *
 * The tracer lives as long as the process, since a filter cannot be taken off: it ends when the
 * last traced task does, and if it is killed the kernel kills the traced tasks. At most one in a
 * process. A thread's calls are counted before it runs on; each costs microseconds.
 */
#ifndef FL_SYSCALL_TRACER_H
#define FL_SYSCALL_TRACER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "faultline/error.h"
#include "syscall-groups.h"

/* Shared with the tracer, in a mapping that outlives the counter. Written by the tracer alone. */
struct fl_tracer_counts {
    _Atomic uint64_t calls[FL_SYSCALL_GROUPS];
};

/*
 * Starts a tracer for the calls of the bit set `groups`, on all threads of this process and those
 * that they make. 0 or -errno, with the reason and the cure in `out`.
 */
int fl_tracer_open(unsigned groups, const struct fl_tracer_counts **counts, char *out,
                   size_t size) FL_MUST_CHECK;

#endif
