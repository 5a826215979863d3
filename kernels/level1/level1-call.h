/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call: one level-1 call, by the caller alone or shared out to a team.
 *
 * The split is static, in whole cache lines of a contiguous vector; every thread leaves its result
 * in a slot on lines of its own, and the caller joins them in the order of the threads. So the
 * result depends on the number of threads, never on time.
 */
#ifndef FAULTLINE_KERNELS_LEVEL1_CALL_H
#define FAULTLINE_KERNELS_LEVEL1_CALL_H

#include "faultline/team.h"
#include "level1-routine.h"

struct fl_level1_slot {
    _Alignas(128) struct fl_level1_value value;
};

struct fl_level1_call {
    const struct fl_level1_name *name;
    fl_level1_fn fn;
    struct fl_level1_slice slice; /* all of it */
    const struct fl_team *team;   /* NULL: only the caller */
    struct fl_level1_slot *slots; /* one for each thread of the team */
    struct fl_level1_value value; /* of the last call; an index counts from 1 as BLAS does */
};

/* A call of a cell's operands. 0 or -ENOMEM. */
int fl_level1_call_open(struct fl_level1_call *call, const struct fl_level1_operands *operands,
                        const struct fl_level1_set *set, const struct fl_team *team,
                        struct fl_arena *arena, struct fl_err *err) FL_MUST_CHECK;

/* The caller alone. */
void fl_level1_call_one(struct fl_level1_call *call);

/* The whole team. 0, or what the team returned. */
int fl_level1_call_all(struct fl_level1_call *call);

/* Can threads share it? Not where each element of y builds on the one before. */
bool fl_level1_call_can_share(const struct fl_level1_call *call);

#endif
