/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barrier `ggml-single-release`: the second half of ggml's cure alone. Only the last thread adds to
 * `passed`, but both counters still share a line. T + 1 read-modify-writes a phase.
 */
#include "ggml-counters.h"

/* Both within one line, as two neighbouring integers of one struct are. */
struct counters {
    _Alignas(FL_APART) _Atomic uint32_t arrived;
    struct fl_wait_word passed;
};

struct ggml_single_release {
    struct counters counters;
    /* Read by all in every phase and never written, so on a line of its own. */
    _Alignas(FL_APART) const struct fl_wait *wait;
    unsigned threads;
};

static int ggml_single_release_open(void *state, const struct fl_barrier_team *team,
                                    const struct fl_wait *wait, const char *options,
                                    struct fl_err *err)
{
    struct ggml_single_release *barrier = state;
    (void)options, (void)err;
    barrier->wait = wait;
    barrier->threads = team->threads;
    return 0;
}

static void ggml_single_release_arrive(void *state, unsigned thread, struct fl_wait_stat *stat)
{
    struct ggml_single_release *barrier = state;
    (void)thread;
    fl_ggml_arrive(&barrier->counters.arrived, &barrier->counters.passed, barrier->threads,
                   FL_GGML_LAST_ADDS, barrier->wait, stat);
}

const struct fl_barrier_ops FL_BARRIER(ggml_single_release) = {
    .part = {.name = "ggml-single-release",
             .summary =
                 "both counters on one line, only the last thread adds: T+1 read-modify-writes",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct ggml_single_release)},
    .open = ggml_single_release_open,
    .arrive = ggml_single_release_arrive,
};
