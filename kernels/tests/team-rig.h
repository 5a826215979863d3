/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A team for tests of kernels: threads are created and joined for each region, so that nothing but
 * the kernel orders what they do inside one. Its barrier is `central` under `spin-yield`.
 */
#ifndef FAULTLINE_KERNELS_TEAM_RIG_H
#define FAULTLINE_KERNELS_TEAM_RIG_H

#include "faultline/arena.h"
#include "faultline/team.h"

struct team_rig {
    struct fl_team team; /* hand its address to the kernel */
    struct fl_arena arena;
    size_t regions; /* run so far */
};

/* Asserts that it opens. */
void team_rig_open(struct team_rig *rig, unsigned threads);

void team_rig_close(struct team_rig *rig);

#endif
