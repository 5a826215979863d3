/* SPDX-License-Identifier: Apache-2.0 */
/* Counting: an allocation once, however many functions it comes through; a wait by the clock. */
#ifndef FL_PROBE_COUNT_H
#define FL_PROBE_COUNT_H

#include <time.h>

#include "probe-record.h"

static inline void fl_probe_count_alloc(size_t bytes)
{
    struct fl_probe_record *mine = fl_probe_record_mine();
    if (mine->quiet)
        return;
    fl_probe_add(mine, FL_PROBE_MALLOCS, 1);
    fl_probe_add(mine, FL_PROBE_BYTES, bytes);
}

static inline uint64_t fl_probe_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time); /* in the vDSO: no system call */
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static inline void fl_probe_count_free(void)
{
    struct fl_probe_record *mine = fl_probe_record_mine();
    if (!mine->quiet)
        fl_probe_add(mine, FL_PROBE_FREES, 1);
}

#endif
