/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barrier `openmp`: what `#pragma omp barrier` calls, in the runtime that the process has
 * (team=openmp, wait=runtime). What it does inside is the runtime's and is not counted.
 */
#include "openmp-runtime.h"
#include "rmw.h"

static int openmp_open(void *state, const struct fl_barrier_team *team, const struct fl_wait *wait,
                       const char *options, struct fl_err *err)
{
    (void)team, (void)wait, (void)options;
    return fl_openmp_find(state, err);
}

static void openmp_arrive(void *state, unsigned thread, struct fl_wait_stat *stat)
{
    const struct fl_openmp *openmp = state;
    (void)thread, (void)stat;
    openmp->barrier();
}

const struct fl_barrier_ops FL_BARRIER(openmp) = {
    .part = {.name = "openmp",
             .summary = "the OpenMP runtime's own (team=openmp, wait=runtime)",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct fl_openmp)},
    .own_wait = true,
    .openmp = true,
    .open = openmp_open,
    .arrive = openmp_arrive,
};
