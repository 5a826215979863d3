/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Region: a kernel's body on every thread of the team it was handed, or on the caller alone where
 * it was handed none.
 */
#ifndef FAULTLINE_KERNELS_REGION_H
#define FAULTLINE_KERNELS_REGION_H

#include "faultline/team.h"

static inline unsigned fl_region_threads(const struct fl_team *team)
{
    return team ? team->threads : 1;
}

/* 0, or one of the results that are not. */
static inline int fl_region(const struct fl_team *team, fl_region_fn body, void *arg)
{
    return team ? fl_team_run(team, body, arg) : body(arg, 0);
}

#endif
