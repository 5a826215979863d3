/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Team: the threads that a kernel may share one call out to.
 *
 * A region is one fork and one join: fl_team_run() has every thread of the team, the caller being
 * thread 0, execute a body once, and returns when all are back. Inside a region the threads may
 * meet at the team's barrier. A kernel names no team, no barrier and no wait policy; it is handed a
 * team. Add a kind of team: copy TEMPLATE.c in barriers/team/.
 *
 * Threads: open(), run() and close() belong to one thread, the caller; regions do not nest.
 */
#ifndef FAULTLINE_TEAM_H
#define FAULTLINE_TEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "faultline/arena.h"
#include "faultline/barrier.h"
#include "faultline/facts.h"
#include "faultline/part.h"
#include "faultline/wait.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FL_TEAM_THREADS_MAX FL_BARRIER_THREADS_MAX

/* One thread's part of a region. 0, or -errno, of which fl_team_run() returns one. */
typedef int (*fl_region_fn)(void *arg, unsigned thread);

/*
 * What one thread of a team did since its last reset. Each has its own, on lines of its own, which
 * it alone touches, even after a join; fl_team_collect() makes copies that the caller may read.
 * Kept in counting samples only: clocks are read for it.
 */
struct fl_team_stat {
    struct fl_wait_stat wait
        __attribute__((aligned(128))); /* at the team's barrier and between regions */
    uint64_t region_ns;                /* from the start of a body to the end of the join */
    uint64_t barrier_ns;               /* of those, at barriers, the join included */
    uint64_t phases;                   /* of the team's barrier, joins included */
    uint32_t epoch;                    /* the reset it knows of */
};

/* How a team is to be. Everything outlives the team. */
struct fl_team_plan {
    unsigned threads;     /* 1 to FL_TEAM_THREADS_MAX */
    const unsigned *cpus; /* processor of each thread; NULL: left to the scheduler */
    const struct fl_barrier_place *places; /* of each thread; NULL: not known */
    const struct fl_barrier_ops *barrier;  /* of the counting build where `counting` */
    const struct fl_wait_ops *wait;
    const char *barrier_options, *wait_options; /* "" for none */
    bool counting;                              /* statistics are kept */
    struct fl_arena *arena;
    struct fl_facts *facts; /* resolved values go here; NULL: not asked for */
};

struct fl_team;

struct fl_team_ops {
    struct fl_part part;
    bool openmp; /* its threads are those of an OpenMP runtime */
    /*
     * Required. Starts the threads: team->barrier and ->wait are open. -EAGAIN: a thread cannot be
     * created; -EPERM, -EINVAL: a processor is not this process' to use; -ENOTSUP: no such runtime
     * here.
     */
    int (*open)(void *state, struct fl_team *team, const struct fl_team_plan *plan,
                struct fl_err *err);
    /* Required. One region. The measured slot: no allocation, and no system call but waiting. */
    int (*run)(void *state, fl_region_fn body, void *arg);
    /* Required. Ends the threads. */
    void (*close)(void *state);
};

/* A team as a kernel is handed it. */
struct fl_team {
    const struct fl_team_ops *ops;
    void *state;
    unsigned threads;
    struct fl_wait wait;
    struct fl_barrier barrier;
    struct fl_team_stat *stats;     /* one for each thread; NULL in timed samples */
    struct fl_team_stat *collected; /* copies of them; NULL likewise */
    uint32_t epoch; /* of the last reset: read by the threads, written between regions */
};

/*
 * Opens a team. On failure nothing stays open. Errors of the wait policy, the barrier and the team.
 */
int fl_team_open(struct fl_team *team, const struct fl_team_ops *ops,
                 const struct fl_team_plan *plan, struct fl_err *err) FL_MUST_CHECK;
void fl_team_close(struct fl_team *team);

/* Each thread forgets what it did when the next region begins. Between regions; no region of its
 * own. */
void fl_team_reset(struct fl_team *team);

/* Copies the statistics, as they are when one more (empty) region begins, to team->collected. */
void fl_team_collect(struct fl_team *team);

/* Time and phases of one arrival, into this thread's statistics. Internal to fl_team_barrier(). */
FL_API void fl_team_barrier_counted(const struct fl_team *team, unsigned thread);

/* One region: body(arg, 0 .. threads-1). 0, or one of the results that are not. */
static inline int fl_team_run(const struct fl_team *team, fl_region_fn body, void *arg)
{
    return team->ops->run(team->state, body, arg);
}

/* Inside a region: returns when every thread of the team has called it. */
static inline void fl_team_barrier(const struct fl_team *team, unsigned thread)
{
    if (team->stats)
        fl_team_barrier_counted(team, thread);
    else
        fl_barrier_arrive(&team->barrier, thread, NULL);
}

/* Part [*begin, *end) of `count` items that belongs to a thread: parts differ by at most one item,
 * the larger ones come first, and together they are everything. */
static inline void fl_team_split(size_t count, unsigned thread, unsigned threads, size_t *begin,
                                 size_t *end)
{
    size_t share = count / threads, larger = count % threads;
    *begin = thread * share + (thread < larger ? thread : larger);
    *end = *begin + share + (thread < larger);
}

#ifdef __cplusplus
}
#endif

#endif
