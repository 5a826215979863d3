/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Perf set: one perf event on every thread of this process, read as a sum at two edges.
 *
 * Each thread that lives when the set is opened has a descriptor of its own and hands the event on
 * to threads that it makes later; child processes are not counted. The event runs all the time and
 * an edge reads it, so that an edge costs one read() per thread and changes nothing.
 */
#ifndef FL_PERF_SET_H
#define FL_PERF_SET_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "faultline/arena.h"
#include "faultline/counter.h"

/* Sums over the threads, ns for the times. */
struct fl_perf_edge {
    uint64_t value, enabled, running;
};

struct fl_perf_set {
    int *files;   /* one a thread, in the arena */
    size_t count; /* 0: not open */
    struct fl_perf_edge edge[2];
    int failed; /* -errno of a read() at an edge */
};

/* 0 or -errno of perf_event_open. `attr` gets what the set needs (inheritance, times). */
int fl_perf_set_open(struct fl_perf_set *set, struct perf_event_attr *attr,
                     struct fl_arena *arena) FL_MUST_CHECK;

/* Reads edge 0 (start of the window) or 1 (its end). Allocates nothing. */
void fl_perf_set_edge(struct fl_perf_set *set, int edge);

/*
 * What happened between the edges. Where the kernel multiplexed the event the reading is flagged
 * and carries enabled / running time; where it never ran the reading is unavailable.
 */
void fl_perf_set_reading(const struct fl_perf_set *set, struct fl_reading *out);

void fl_perf_set_close(struct fl_perf_set *set);

/*
 * A descriptor of an event on the calling thread that counts nothing, or -errno: what the kernel
 * sets up for the first event of its kind stays set up as long as it is open.
 */
int fl_perf_hold(struct perf_event_attr *attr);

/*
 * Why perf_event_open refused `event` with -error, and the cure, into `out`.
 */
void fl_perf_reason(int error, const char *event, char *out, size_t size);

#endif
