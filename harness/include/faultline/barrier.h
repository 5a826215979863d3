/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barrier: how the threads of a team meet. Nobody leaves a phase before all have arrived, and what
 * each did before is seen by all after.
 *
 * Every barrier works with every wait policy, except those that bring their own waiting
 * (`own_wait`), which go with the policy `runtime`. Add one: copy TEMPLATE.c in barriers/.
 *
 * Each barrier is compiled twice. The tables of fl_registry_counting_barriers() are the same source
 * with every atomic read-modify-write counted into fl_wait_stat.rmws; timed samples use the plain
 * ones.
 *
 * Threads: arrive() is called by each thread 0 to threads-1 of the team, in every phase; open() and
 * close() may not run beside it.
 */
#ifndef FAULTLINE_BARRIER_H
#define FAULTLINE_BARRIER_H

#include "faultline/wait.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FL_BARRIER_THREADS_MAX 256u

/* Where a thread is pinned. Only equality counts: threads on one core share its caches. */
struct fl_barrier_place {
    unsigned package, core;
};

struct fl_barrier_team {
    unsigned threads;                      /* 1 to FL_BARRIER_THREADS_MAX */
    const struct fl_barrier_place *places; /* one for each thread; NULL: not pinned, not known */
    struct fl_arena *arena;                /* where lines come from; outlives the barrier */
};

struct fl_barrier_ops {
    struct fl_part part;
    /* It waits by itself: open() is handed the policy `runtime`, and calls nothing of it. */
    bool own_wait;
    bool openmp; /* only threads of an OpenMP runtime can meet here (team=openmp) */
    /* Optional; without it the barrier takes no options. 0, or -EINVAL saying what is accepted. */
    int (*check)(const char *options, struct fl_err *err);
    /*
     * Required. Once, before the first arrive(). The team's thread count is legal. `wait` outlives
     * the barrier; `options` as in fl_wait_ops. -EINVAL, -ENOMEM.
     */
    int (*open)(void *state, const struct fl_barrier_team *team, const struct fl_wait *wait,
                const char *options, struct fl_err *err);
    /*
     * Required. The measured slot: returns when all threads have arrived. `stat` is this thread's,
     * or NULL.
     */
    void (*arrive)(void *state, unsigned thread, struct fl_wait_stat *stat);
    /* Optional. Gives back what open() took from elsewhere than the arena. */
    void (*close)(void *state);
};

/* A barrier part with its state: what a team is handed. */
struct fl_barrier {
    const struct fl_barrier_ops *ops;
    void *state;
};

/* 0, or -EINVAL where this barrier cannot go with this policy. */
int fl_barrier_check_wait(const struct fl_barrier_ops *ops, const struct fl_wait_ops *wait,
                          struct fl_err *err) FL_MUST_CHECK;

/*
 * Opens a barrier; its state comes from the team's arena. 0; -EINVAL: bad options, threads or
 * policy; -ENOTSUP: cannot run here; -ENOMEM.
 */
int fl_barrier_open(struct fl_barrier *barrier, const struct fl_barrier_ops *ops,
                    const char *options, const struct fl_barrier_team *team,
                    const struct fl_wait *wait, struct fl_err *err) FL_MUST_CHECK;
void fl_barrier_close(struct fl_barrier *barrier);

static inline void fl_barrier_arrive(const struct fl_barrier *barrier, unsigned thread,
                                     struct fl_wait_stat *stat)
{
    barrier->ops->arrive(barrier->state, thread, stat);
}

#ifdef __cplusplus
}
#endif

#endif
