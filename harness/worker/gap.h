/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gap: the pause between two calls, in which the caller has other work and the team waits. The
 * caller spins on the clock, as a caller that computes would keep its processor.
 */
#ifndef FL_GAP_H
#define FL_GAP_H

#include <time.h>

static inline double fl_gap_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline void fl_gap_pass(double seconds)
{
    double end = fl_gap_now() + seconds;
    while (fl_gap_now() < end)
        ;
}

#endif
