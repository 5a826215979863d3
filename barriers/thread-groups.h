/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups of threads that are near to each other: never across packages, hardware threads of one
 * core together, about FL_GROUP_SIZE in each, sizes as even as that allows.
 */
#ifndef FL_THREAD_GROUPS_H
#define FL_THREAD_GROUPS_H

#include "faultline/barrier.h"

enum { FL_GROUP_SIZE = 8 };

struct fl_thread_groups {
    unsigned count;
    unsigned group[FL_BARRIER_THREADS_MAX];     /* of each thread */
    unsigned order[FL_BARRIER_THREADS_MAX];     /* threads, those of a group side by side */
    unsigned start[FL_BARRIER_THREADS_MAX + 1]; /* where group g begins in `order`; [count]: end */
};

/* Without places every thread counts as on a core of its own, all in one package. */
void fl_thread_groups_make(const struct fl_barrier_team *team, struct fl_thread_groups *out);

#endif
