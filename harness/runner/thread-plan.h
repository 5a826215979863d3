/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thread plan: how many threads a cell's sample has, and on which processors it runs.
 *
 * A sample of one thread gets one processor, whatever the machine; one with a team or with a
 * library's threads gets as many as it has threads, or the whole affinity mask under pin=none. Each
 * thread of a team is kept on a processor of its own; beside a library's threads, which belong to
 * nobody we know, all share the sample's processors. A pure function of machine and cell.
 */
#ifndef FL_THREAD_PLAN_H
#define FL_THREAD_PLAN_H

#include "faultline/cell.h"
#include "faultline/team.h"
#include "machine/cpulist.h"
#include "machine/topology.h"

/* PROCESSOR:PACKAGE:CORE, of numbers below FL_CPU_MAX, and a comma */
#define FL_PLACES_TEXT_MAX (FL_TEAM_THREADS_MAX * 15u + 1u)

struct fl_thread_plan {
    unsigned team;                   /* threads of the team; 0: the cell has none */
    unsigned library;                /* threads that each caller's library may use */
    size_t processors;               /* the sample may run on */
    enum fl_pin pin;                 /* the order in which they are taken */
    int cpu;                         /* the only or the first thread's; -1: not pinned */
    char cpus[FL_CPULIST_TEXT_MAX];  /* those processors as text */
    char places[FL_PLACES_TEXT_MAX]; /* one for each thread of the team; "": not pinned */
    bool oversubscribed;             /* more threads than can run at once, hogs apart */
};

/* 0; -ENOTSUP: more threads than a team can have; -E2BIG: the list of processors is too long. */
int fl_thread_plan_make(const struct fl_topology *topology, const struct fl_cell *cell,
                        struct fl_thread_plan *plan, struct fl_err *err) FL_MUST_CHECK;

/* All of them: those of a library are each caller's. */
static inline unsigned fl_thread_plan_threads(const struct fl_thread_plan *plan)
{
    return (plan->team ? plan->team : 1) * plan->library;
}

/* The i-th of the sample's processors, starting again behind the last. */
static inline unsigned fl_thread_plan_cpu(const struct fl_topology *topology,
                                          const struct fl_thread_plan *plan, size_t i)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a plan has a processor, or was refused */
    return fl_topology_place(topology, plan->pin, i % plan->processors)->cpu;
}

#endif
