/* SPDX-License-Identifier: Apache-2.0 */
/* One thread's part of a region, alike for every kind of team. */
#ifndef FL_TEAM_REGION_H
#define FL_TEAM_REGION_H

#include "faultline/team.h"

/* As fl_team_take_part() with clocks read and statistics kept. Internal to it. */
void fl_team_take_part_counted(const struct fl_team *team, unsigned thread, fl_region_fn body,
                               void *arg, _Atomic int *failed);

/*
 * Executes the body and joins at the team's barrier, unless the team is a runtime's, whose join is
 * its own. A body's failure goes to *failed first, relaxed: the join orders it before the caller's
 * return.
 */
static inline void fl_team_take_part(const struct fl_team *team, unsigned thread, fl_region_fn body,
                                     void *arg, _Atomic int *failed)
{
    if (team->stats) {
        fl_team_take_part_counted(team, thread, body, arg, failed);
        return;
    }
    int rc = body(arg, thread);
    if (rc)
        atomic_store_explicit(failed, rc, memory_order_relaxed);
    if (!team->ops->openmp)
        fl_barrier_arrive(&team->barrier, thread, NULL);
}

/* What the region's bodies left in *failed, which is 0 again afterwards. By the caller, joined. */
static inline int fl_team_take_failure(_Atomic int *failed)
{
    int rc = atomic_load_explicit(failed, memory_order_relaxed);
    if (rc)
        atomic_store_explicit(failed, 0, memory_order_relaxed);
    return rc;
}

#endif
