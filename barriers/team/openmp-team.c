/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Team `openmp`: regions of an OpenMP runtime, libgomp or libomp. Fork and join are the runtime's,
 * and so is how its threads wait for the next region (OMP_WAIT_POLICY and its kin, set before the
 * process starts). Inside a region the threads may meet at any barrier.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "../barrier-lines.h"
#include "../openmp-runtime.h"
#include "team-region.h"

struct openmp_team {
    struct fl_openmp openmp;
    const struct fl_team *team;
    const unsigned *cpus;
    fl_region_fn body;
    void *arg;
    _Alignas(FL_APART) _Atomic int failed; /* written by a thread whose body fails */
};

/* On a thread of the runtime, whose join cannot be told from outside. */
static void take_part(void *state)
{
    struct openmp_team *s = state;
    fl_team_take_part(s->team, (unsigned)s->openmp.thread(), s->body, s->arg, &s->failed);
}

static int openmp_run(void *state, fl_region_fn body, void *arg)
{
    struct openmp_team *s = state;
    s->body = body;
    s->arg = arg;
    s->openmp.parallel(take_part, s, s->team->threads, 0);
    return fl_team_take_failure(&s->failed);
}

/* The first region: are there as many threads as were asked for, and may they run where they are
 * to? The runtime keeps its threads, and their numbers, as long as regions have one size. */
static int settle_in(void *arg, unsigned thread)
{
    struct openmp_team *s = arg;
    cpu_set_t set;
    if ((unsigned)s->openmp.threads() != s->team->threads)
        return -EAGAIN;
    if (!s->cpus)
        return 0;
    CPU_ZERO(&set);
    CPU_SET(s->cpus[thread], &set);
    return sched_setaffinity(0, sizeof set, &set) ? -errno : 0;
}

static int openmp_open(void *state, struct fl_team *team, const struct fl_team_plan *plan,
                       struct fl_err *err)
{
    struct openmp_team *s = state;
    s->team = team;
    s->cpus = plan->cpus;
    int rc = fl_openmp_find(&s->openmp, err);
    if (rc)
        return rc;
    if (plan->facts)
        fl_facts_set(plan->facts, "openmp-runtime", "%s", s->openmp.path);
    rc = openmp_run(s, settle_in, s);
    s->cpus = NULL; /* the plan's, and done with */
    if (rc == -EAGAIN)
        return fl_fail(err, rc,
                       "the OpenMP runtime gives fewer threads than %u: OMP_THREAD_LIMIT or "
                       "OMP_DYNAMIC may stand in the environment",
                       plan->threads);
    if (rc)
        return fl_fail(err, rc,
                       "cannot pin a thread of the OpenMP runtime: %s: this process may not use "
                       "its processor; take pin=none, or allow it",
                       strerror(-rc));
    return 0;
}

/* The runtime keeps its threads until the process ends. */
static void openmp_close(void *state)
{
    (void)state;
}

const struct fl_team_ops fl_team_openmp = {
    .part = {.name = "openmp",
             .summary = "regions of an OpenMP runtime, which waits in its own way",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct openmp_team)},
    .openmp = true,
    .open = openmp_open,
    .run = openmp_run,
    .close = openmp_close,
};
