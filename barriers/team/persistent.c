/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Team `persistent`: threads that live as long as the team and wait for regions by the cell's own
 * wait policy.
 *
 * Fork: the caller writes the body beside one word and changes that word, which all others watch;
 * one line goes from one thread to all, and with a policy that sleeps one system call wakes them
 * all. Join: one phase of the team's barrier. A barrier that waits by itself leaves no policy to
 * watch a word with (wait=runtime): then a fork is a phase of the barrier too.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "../barrier-lines.h"
#include "team-region.h"

/* What a fork hands over: read by all, written by the caller between regions. */
struct fork_line {
    _Alignas(FL_APART) struct fl_wait_word go; /* number of the region */
    fl_region_fn body;
    void *arg;
    bool quit;
};

struct member {
    _Alignas(FL_APART) struct persistent *team;
    unsigned thread;
    uint32_t region; /* the last one it knows of */
    pthread_t id;
};

/*
 * Threads come out of the gate when all are there, or to end at once where one could not be
 * created: a barrier would wait for it for ever.
 */
enum gate { GATE_CLOSED, GATE_OPEN, GATE_ABANDONED };

struct persistent {
    struct fork_line fork;
    /* Written by a thread whose body fails, read by the caller: nobody takes the line elsewhere. */
    _Alignas(FL_APART) _Atomic int failed;
    struct fl_team *team;
    struct member *members; /* [0] is the caller */
    unsigned started;       /* threads that run, the caller included */
    enum gate gate;
    pthread_mutex_t lock; /* of the gate */
    pthread_cond_t moved;
    bool pinned;
    cpu_set_t callers; /* processors of the caller before it was pinned */
};

static struct fl_wait_stat *wait_stat(const struct persistent *s, unsigned thread)
{
    return s->team->stats ? &s->team->stats[thread].wait : NULL;
}

/* The plain store of `region` is enough: only this thread reads it. */
static void await_fork(struct persistent *s, struct member *me)
{
    if (s->team->wait.ops->runtime) {
        fl_barrier_arrive(&s->team->barrier, me->thread, wait_stat(s, me->thread));
        return;
    }
    fl_wait_until(&s->team->wait, &s->fork.go, me->region, wait_stat(s, me->thread));
    me->region++;
}

/* Release (in fl_wait_set() or the barrier): who sees the word changed sees body and arg. */
static void announce_fork(struct persistent *s)
{
    struct member *me = &s->members[0];
    if (s->team->wait.ops->runtime)
        fl_barrier_arrive(&s->team->barrier, 0, wait_stat(s, 0));
    else
        fl_wait_set(&s->team->wait, &s->fork.go, ++me->region, wait_stat(s, 0));
}

static enum gate pass_gate(struct persistent *s)
{
    pthread_mutex_lock(&s->lock);
    while (s->gate == GATE_CLOSED)
        pthread_cond_wait(&s->moved, &s->lock);
    enum gate gate = s->gate;
    pthread_mutex_unlock(&s->lock);
    return gate;
}

static void move_gate(struct persistent *s, enum gate gate)
{
    pthread_mutex_lock(&s->lock);
    s->gate = gate;
    pthread_cond_broadcast(&s->moved);
    pthread_mutex_unlock(&s->lock);
}

static void *serve(void *arg)
{
    struct member *me = arg;
    struct persistent *s = me->team;
    if (pass_gate(s) == GATE_ABANDONED)
        return NULL;
    for (;;) {
        await_fork(s, me);
        if (s->fork.quit)
            return NULL;
        fl_team_take_part(s->team, me->thread, s->fork.body, s->fork.arg, &s->failed);
    }
}

static int persistent_run(void *state, fl_region_fn body, void *arg)
{
    struct persistent *s = state;
    s->fork.body = body;
    s->fork.arg = arg;
    announce_fork(s);
    fl_team_take_part(s->team, 0, body, arg, &s->failed);
    return fl_team_take_failure(&s->failed);
}

/* ---- start and end ---- */

static int pin_failed(int error, unsigned thread, unsigned cpu, struct fl_err *err)
{
    return fl_fail(err, -error,
                   "cannot pin thread %u to processor %u: %s: this process may not use it; take "
                   "pin=none, or allow it that processor",
                   thread, cpu, strerror(error));
}

static int pin_caller(struct persistent *s, unsigned cpu, struct fl_err *err)
{
    cpu_set_t set;
    int rc = pthread_getaffinity_np(pthread_self(), sizeof s->callers, &s->callers);
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (!rc)
        rc = pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    s->pinned = !rc;
    return rc ? pin_failed(rc, 0, cpu, err) : 0;
}

static int create(struct member *member, const pthread_attr_t *attributes,
                  const struct fl_team_plan *plan, struct fl_err *err)
{
    int rc = pthread_create(&member->id, attributes, serve, member);
    if (rc == EINVAL && plan->cpus)
        return pin_failed(rc, member->thread, plan->cpus[member->thread], err);
    if (rc)
        return fl_fail(
            err, -rc,
            "cannot create thread %u of %u: %s: raise the limit on processes (ulimit -u, "
            "pids.max of the cgroup) or on memory for their stacks (ulimit -v), or take fewer "
            "threads",
            member->thread + 1, plan->threads, strerror(rc));
    return 0;
}

static int start(struct persistent *s, const struct fl_team_plan *plan, unsigned thread,
                 struct fl_err *err)
{
    pthread_attr_t attributes;
    cpu_set_t set;
    int rc = pthread_attr_init(&attributes);
    if (rc)
        return fl_fail(err, -rc, "cannot prepare thread %u: %s", thread, strerror(rc));
    if (plan->cpus) {
        CPU_ZERO(&set);
        CPU_SET(plan->cpus[thread], &set);
        rc = pthread_attr_setaffinity_np(&attributes, sizeof set, &set);
    }
    rc = rc ? pin_failed(rc, thread, plan->cpus[thread], err)
            : create(&s->members[thread], &attributes, plan, err);
    pthread_attr_destroy(&attributes);
    return rc;
}

static void end(struct persistent *s)
{
    for (unsigned i = 1; i < s->started; i++)
        pthread_join(s->members[i].id, NULL);
    if (s->pinned)
        pthread_setaffinity_np(pthread_self(), sizeof s->callers, &s->callers);
    pthread_cond_destroy(&s->moved);
    pthread_mutex_destroy(&s->lock);
}

static int persistent_open(void *state, struct fl_team *team, const struct fl_team_plan *plan,
                           struct fl_err *err)
{
    struct persistent *s = state;
    s->team = team;
    s->members = fl_arena_alloc(plan->arena, plan->threads * sizeof *s->members, FL_APART);
    if (!s->members)
        return fl_fail(err, -ENOMEM, "no memory for a team of %u threads", plan->threads);
    for (unsigned i = 0; i < plan->threads; i++) {
        s->members[i].team = s;
        s->members[i].thread = i;
    }
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->moved, NULL);
    int rc = plan->cpus ? pin_caller(s, plan->cpus[0], err) : 0;
    for (s->started = 1; !rc && s->started < plan->threads; s->started += !rc)
        rc = start(s, plan, s->started, err);
    move_gate(s, rc ? GATE_ABANDONED : GATE_OPEN);
    if (rc)
        end(s);
    return rc;
}

static void persistent_close(void *state)
{
    struct persistent *s = state;
    s->fork.quit = true;
    announce_fork(s);
    end(s);
}

const struct fl_team_ops fl_team_persistent = {
    .part = {.name = "persistent",
             .summary = "threads of our own, which wait for regions by the cell's wait policy",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct persistent)},
    .open = persistent_open,
    .run = persistent_run,
    .close = persistent_close,
};
