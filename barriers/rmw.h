/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomic read-modify-writes of barriers, which the counting build counts.
 *
 * Every barrier does its read-modify-writes through fl_fetch_add() and names its table with
 * FL_BARRIER(). Compiled with FL_COUNT_RMW the same source counts each into stat->rmws and defines
 * its table under another name, so that both builds stand in one program. What a wait policy does
 * to its own sleeper count is not the barrier's, and is not counted.
 */
#ifndef FL_RMW_H
#define FL_RMW_H

#include "faultline/barrier.h"

#ifdef FL_COUNT_RMW
#define FL_BARRIER(name) fl_counting_barrier_##name

static inline void fl_count_rmw(struct fl_wait_stat *stat)
{
    if (stat)
        stat->rmws++;
}
#else
#define FL_BARRIER(name) fl_barrier_##name

static inline void fl_count_rmw(struct fl_wait_stat *stat)
{
    (void)stat;
}
#endif

/* atomic_fetch_add with the order given, seen by the counting build. */
#define fl_fetch_add(object, operand, order, stat)                                                 \
    (fl_count_rmw(stat), atomic_fetch_add_explicit(object, operand, order))

#endif
