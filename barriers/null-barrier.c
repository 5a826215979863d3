/* SPDX-License-Identifier: Apache-2.0 */
/* Barrier `null`: nobody meets anybody. Measures the harness; no kernel is right with it. */
#include "rmw.h"

static int null_open(void *state, const struct fl_barrier_team *team, const struct fl_wait *wait,
                     const char *options, struct fl_err *err)
{
    (void)state, (void)team, (void)wait, (void)options, (void)err;
    return 0;
}

static void null_arrive(void *state, unsigned thread, struct fl_wait_stat *stat)
{
    (void)state, (void)thread, (void)stat;
}

const struct fl_barrier_ops FL_BARRIER(null) = {
    .part = {.name = "null",
             .summary = "does not wait: measures the harness (results may be wrong)",
             .abi = FL_PART_ABI},
    .open = null_open,
    .arrive = null_arrive,
};
