/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing a team of any kind, and what its threads spent at barriers. */
#include <errno.h>

#include "../barrier-lines.h"
#include "../wait/wait-clock.h"
#include "team-region.h"

static int open_waiting(struct fl_team *team, const struct fl_team_plan *plan, struct fl_err *err)
{
    int rc = fl_wait_open(&team->wait, plan->wait, plan->wait_options, plan->arena, err);
    if (rc)
        return rc;
    const struct fl_barrier_team meets = {plan->threads, plan->places, plan->arena};
    rc = fl_barrier_open(&team->barrier, plan->barrier, plan->barrier_options, &meets, &team->wait,
                         err);
    if (rc)
        fl_wait_close(&team->wait);
    return rc;
}

/* False when there is no memory. */
static bool take_statistics(struct fl_team *team, const struct fl_team_plan *plan)
{
    size_t bytes = plan->threads * sizeof *team->stats;
    if (!plan->counting)
        return true;
    team->stats = fl_arena_alloc(plan->arena, bytes, FL_APART);
    team->collected = fl_arena_alloc(plan->arena, bytes, FL_APART);
    return team->stats && team->collected;
}

static int check_plan(const struct fl_team_ops *ops, const struct fl_team_plan *plan,
                      struct fl_err *err)
{
    if (!plan->threads || plan->threads > FL_TEAM_THREADS_MAX)
        return fl_fail(err, -EINVAL, "a team of %u threads: it has 1 to %u", plan->threads,
                       FL_TEAM_THREADS_MAX);
    if (plan->barrier->openmp && !ops->openmp)
        return fl_fail(err, -EINVAL,
                       "barrier '%s' is met by threads of an OpenMP runtime only: take team=openmp "
                       "with it, or another barrier",
                       plan->barrier->part.name);
    int rc = fl_part_probe(&ops->part, err);
    return rc ? fl_fail_within(err, rc, "team '%s'", ops->part.name) : 0;
}

int fl_team_open(struct fl_team *team, const struct fl_team_ops *ops,
                 const struct fl_team_plan *plan, struct fl_err *err)
{
    *team = (struct fl_team){.ops = ops, .threads = plan->threads};
    int rc = check_plan(ops, plan, err);
    if (rc)
        return rc;
    team->state = fl_arena_alloc(plan->arena, ops->part.state_size + 1, FL_APART);
    if (!team->state || !take_statistics(team, plan))
        return fl_fail(err, -ENOMEM, "no memory for a team of %u threads", plan->threads);
    rc = open_waiting(team, plan, err);
    if (rc)
        return rc;
    rc = ops->open(team->state, team, plan, err);
    if (rc) {
        fl_barrier_close(&team->barrier);
        fl_wait_close(&team->wait);
    }
    return rc;
}

void fl_team_close(struct fl_team *team)
{
    team->ops->close(team->state);
    fl_barrier_close(&team->barrier);
    fl_wait_close(&team->wait);
}

void fl_team_reset(struct fl_team *team)
{
    team->epoch++;
}

static int copy_statistics(void *arg, unsigned thread)
{
    struct fl_team *team = arg;
    team->collected[thread] = team->stats[thread];
    return 0;
}

void fl_team_collect(struct fl_team *team)
{
    if (team->stats)
        (void)fl_team_run(team, copy_statistics, team);
}

void fl_team_barrier_counted(const struct fl_team *team, unsigned thread)
{
    struct fl_team_stat *stat = &team->stats[thread];
    uint64_t before = fl_wait_now_ns();
    fl_barrier_arrive(&team->barrier, thread, &stat->wait);
    stat->barrier_ns += fl_wait_now_ns() - before;
    stat->phases++;
}

static void forget(struct fl_team_stat *stat, uint32_t epoch)
{
    if (stat->epoch != epoch)
        *stat = (struct fl_team_stat){.epoch = epoch};
}

void fl_team_take_part_counted(const struct fl_team *team, unsigned thread, fl_region_fn body,
                               void *arg, _Atomic int *failed)
{
    struct fl_team_stat *stat = &team->stats[thread];
    forget(stat, team->epoch);
    uint64_t before = fl_wait_now_ns();
    int rc = body(arg, thread);
    if (rc)
        atomic_store_explicit(failed, rc, memory_order_relaxed);
    if (!team->ops->openmp)
        fl_team_barrier_counted(team, thread);
    stat->region_ns += fl_wait_now_ns() - before;
}
