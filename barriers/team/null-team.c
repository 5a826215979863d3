/* SPDX-License-Identifier: Apache-2.0 */
/* Team `null`: the caller alone. Measures the harness; also what a kernel without a team gets. */
#include <errno.h>

#include "team-region.h"

struct null_team {
    const struct fl_team *team;
    _Atomic int failed;
};

static int null_open(void *state, struct fl_team *team, const struct fl_team_plan *plan,
                     struct fl_err *err)
{
    struct null_team *s = state;
    s->team = team;
    if (plan->threads == 1)
        return 0;
    return fl_fail(err, -EINVAL,
                   "team 'null' is the caller alone: it takes threads=1, not %u; team=persistent "
                   "takes more",
                   plan->threads);
}

static int null_run(void *state, fl_region_fn body, void *arg)
{
    struct null_team *s = state;
    fl_team_take_part(s->team, 0, body, arg, &s->failed);
    return fl_team_take_failure(&s->failed);
}

static void null_close(void *state)
{
    (void)state;
}

const struct fl_team_ops fl_team_null = {
    .part = {.name = "null",
             .summary = "the caller alone, without fork (threads=1)",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct null_team)},
    .open = null_open,
    .run = null_run,
    .close = null_close,
};
