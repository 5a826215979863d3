/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barrier `ggml-fixed`: ggml's barrier since September 2024, with both cures: counters on lines of
 * their own, and only the last thread adds to `passed`. T + 1 read-modify-writes a phase.
 */
#include "ggml-counters.h"

struct counters {
    _Alignas(FL_APART) _Atomic uint32_t arrived;
    _Alignas(FL_APART) struct fl_wait_word passed;
};

struct ggml_fixed {
    struct counters counters;
    /* Read by all in every phase and never written, so on a line of its own. */
    _Alignas(FL_APART) const struct fl_wait *wait;
    unsigned threads;
};

static int ggml_fixed_open(void *state, const struct fl_barrier_team *team,
                           const struct fl_wait *wait, const char *options, struct fl_err *err)
{
    struct ggml_fixed *barrier = state;
    (void)options, (void)err;
    barrier->wait = wait;
    barrier->threads = team->threads;
    return 0;
}

static void ggml_fixed_arrive(void *state, unsigned thread, struct fl_wait_stat *stat)
{
    struct ggml_fixed *barrier = state;
    (void)thread;
    fl_ggml_arrive(&barrier->counters.arrived, &barrier->counters.passed, barrier->threads,
                   FL_GGML_LAST_ADDS, barrier->wait, stat);
}

const struct fl_barrier_ops FL_BARRIER(ggml_fixed) = {
    .part =
        {.name = "ggml-fixed",
         .summary =
             "counters on lines of their own, only the last thread adds: T+1 read-modify-writes",
         .abi = FL_PART_ABI,
         .state_size = sizeof(struct ggml_fixed)},
    .open = ggml_fixed_open,
    .arrive = ggml_fixed_arrive,
};
