/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probe records: one set of counters for each thread.
 *
 * A record is written by its thread alone, with plain adds, and sits on cache lines of its own, so
 * that counting adds no contention. A thread that ends leaves its record, counts and all, to the
 * next thread that starts: the sum over all records is the total, whoever wrote it.
 */
#ifndef FL_PROBE_RECORD_H
#define FL_PROBE_RECORD_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "faultline/probe.h"

enum fl_probe_event {
    FL_PROBE_LOCKS,
    FL_PROBE_CONTENDED,
    FL_PROBE_WAIT_NS,
    FL_PROBE_MALLOCS,
    FL_PROBE_FREES,
    FL_PROBE_BYTES,
    FL_PROBE_EVENTS,
};

/* Two cache lines: processors fetch lines in pairs. */
struct fl_probe_record {
    _Alignas(128) _Atomic uint64_t counts[FL_PROBE_EVENTS];
    unsigned quiet; /* > 0: a call that was counted already makes calls of its own */
    _Atomic uint32_t taken;
};

/*
 * The calling thread's record. The first call of a thread takes one; in rare cases that maps
 * memory, never with malloc. Where the kernel refuses memory a record shared by all is returned,
 * whose counts may be lost.
 */
struct fl_probe_record *fl_probe_record_mine(void);

/* Adds to a counter of the calling thread's record. */
static inline void fl_probe_add(struct fl_probe_record *mine, enum fl_probe_event event,
                                uint64_t amount)
{
    /* Only this thread writes: a relaxed load and store, cheaper than a read-modify-write. */
    uint64_t before = atomic_load_explicit(&mine->counts[event], memory_order_relaxed);
    atomic_store_explicit(&mine->counts[event], before + amount, memory_order_relaxed);
}

void fl_probe_record_sum(uint64_t sum[FL_PROBE_EVENTS]);

/* Records made so far: as many as threads lived at once. */
size_t fl_probe_record_count(void);

/* In a forked child: frees the records of threads that it does not have. */
void fl_probe_record_after_fork(void);

#endif
