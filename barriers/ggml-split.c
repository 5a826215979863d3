/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barrier `ggml-split`: the first half of ggml's cure alone. The counters stand on lines of their
 * own, but every thread still adds to `passed` on leaving. 2T read-modify-writes a phase.
 */
#include "ggml-counters.h"

struct counters {
    _Alignas(FL_APART) _Atomic uint32_t arrived;
    _Alignas(FL_APART) struct fl_wait_word passed;
};

struct ggml_split {
    struct counters counters;
    /* Read by all in every phase and never written, so on a line of its own. */
    _Alignas(FL_APART) const struct fl_wait *wait;
    unsigned threads;
};

static int ggml_split_open(void *state, const struct fl_barrier_team *team,
                           const struct fl_wait *wait, const char *options, struct fl_err *err)
{
    struct ggml_split *barrier = state;
    (void)options, (void)err;
    barrier->wait = wait;
    barrier->threads = team->threads;
    return 0;
}

static void ggml_split_arrive(void *state, unsigned thread, struct fl_wait_stat *stat)
{
    struct ggml_split *barrier = state;
    (void)thread;
    fl_ggml_arrive(&barrier->counters.arrived, &barrier->counters.passed, barrier->threads,
                   FL_GGML_ALL_ADD, barrier->wait, stat);
}

const struct fl_barrier_ops FL_BARRIER(ggml_split) = {
    .part =
        {.name = "ggml-split",
         .summary =
             "counters on lines of their own, every thread adds on leaving: 2T read-modify-writes",
         .abi = FL_PART_ABI,
         .state_size = sizeof(struct ggml_split)},
    .open = ggml_split_open,
    .arrive = ggml_split_arrive,
};
