/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing a barrier, and what may go with what. */
#include <errno.h>

#include "barrier-lines.h"
#include "faultline/barrier.h"

int fl_barrier_check_wait(const struct fl_barrier_ops *ops, const struct fl_wait_ops *wait,
                          struct fl_err *err)
{
    if (ops->own_wait && !wait->runtime)
        return fl_fail(err, -EINVAL,
                       "barrier '%s' waits by itself: it takes wait=runtime, not '%s'",
                       ops->part.name, wait->part.name);
    if (!ops->own_wait && wait->runtime)
        return fl_fail(err, -EINVAL,
                       "barrier '%s' has no waiting of its own for wait=%s; it takes any other "
                       "policy",
                       ops->part.name, wait->part.name);
    return 0;
}

static int check_open(const struct fl_barrier_ops *ops, const char *options,
                      const struct fl_barrier_team *team, const struct fl_wait *wait,
                      struct fl_err *err)
{
    if (!team->threads || team->threads > FL_BARRIER_THREADS_MAX)
        return fl_fail(err, -EINVAL, "barrier '%s': %u threads; it takes 1 to %u", ops->part.name,
                       team->threads, FL_BARRIER_THREADS_MAX);
    if (*options && !ops->check)
        return fl_fail(err, -EINVAL, "barrier '%s': option '%.60s' is unknown; it takes none",
                       ops->part.name, options);
    int rc = fl_barrier_check_wait(ops, wait->ops, err);
    if (rc)
        return rc;
    rc = fl_part_probe(&ops->part, err);
    return rc ? fl_fail_within(err, rc, "barrier '%s'", ops->part.name) : 0;
}

int fl_barrier_open(struct fl_barrier *barrier, const struct fl_barrier_ops *ops,
                    const char *options, const struct fl_barrier_team *team,
                    const struct fl_wait *wait, struct fl_err *err)
{
    int rc = check_open(ops, options, team, wait, err);
    if (rc)
        return rc;
    barrier->ops = ops;
    barrier->state = fl_arena_alloc(team->arena, ops->part.state_size + 1, FL_APART);
    if (!barrier->state)
        return fl_fail(err, -ENOMEM, "barrier '%s': no memory", ops->part.name);
    return ops->open(barrier->state, team, wait, options, err);
}

void fl_barrier_close(struct fl_barrier *barrier)
{
    if (barrier->ops->close)
        barrier->ops->close(barrier->state);
}
