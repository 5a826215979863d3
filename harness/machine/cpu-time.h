/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU time: what processors did between two moments, from /proc/stat.
 *
 * The runner reads it around each sample: time stolen by a hypervisor, and work of others on the
 * pinned processor, are the two disturbances that a sample cannot see itself. The resolution is the
 * kernel's tick (10 ms on most systems). No allocation; thread-safe.
 */
#ifndef FL_MACHINE_CPU_TIME_H
#define FL_MACHINE_CPU_TIME_H

#include <stdint.h>

#include "faultline/error.h"

#define FL_CPU_TIME_ALL (-1) /* all processors together */

/* Ticks since boot. */
struct fl_cpu_time {
    uint64_t busy;  /* user, nice, system, interrupts: work done on the processor */
    uint64_t idle;  /* idle and waiting for input or output */
    uint64_t steal; /* the hypervisor ran something else */
};

/* Reads one processor, or FL_CPU_TIME_ALL; root NULL: the live machine. 0; the errno of the read;
 * -ENOENT: no such processor. */
int fl_cpu_time_read(const char *root, int cpu, struct fl_cpu_time *out) FL_MUST_CHECK;

/* The pure parser behind it. 0, or -ENOENT. */
int fl_cpu_time_parse(const char *text, int cpu, struct fl_cpu_time *out) FL_MUST_CHECK;

/* later - earlier, member by member; a counter that went backwards counts 0. */
struct fl_cpu_time fl_cpu_time_since(const struct fl_cpu_time *earlier,
                                     const struct fl_cpu_time *later);

/* Stolen share of the time the processor was wanted, 0 to 1; 0 where it was not wanted. */
double fl_cpu_time_steal_share(const struct fl_cpu_time *delta);

#endif
