/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barrier `ggml-packed`: ggml's barrier as it was until September 2024. Both counters share a line,
 * so that waiting threads take it from those that still arrive, and every thread adds to `passed`
 * on leaving, all but one of them 0. 2T read-modify-writes a phase.
 */
#include "ggml-counters.h"

/* Both within one line, as two neighbouring integers of one struct are. */
struct counters {
    _Alignas(FL_APART) _Atomic uint32_t arrived;
    struct fl_wait_word passed;
};

struct ggml_packed {
    struct counters counters;
    /* Read by all in every phase and never written, so on a line of its own. */
    _Alignas(FL_APART) const struct fl_wait *wait;
    unsigned threads;
};

static int ggml_packed_open(void *state, const struct fl_barrier_team *team,
                            const struct fl_wait *wait, const char *options, struct fl_err *err)
{
    struct ggml_packed *barrier = state;
    (void)options, (void)err;
    barrier->wait = wait;
    barrier->threads = team->threads;
    return 0;
}

static void ggml_packed_arrive(void *state, unsigned thread, struct fl_wait_stat *stat)
{
    struct ggml_packed *barrier = state;
    (void)thread;
    fl_ggml_arrive(&barrier->counters.arrived, &barrier->counters.passed, barrier->threads,
                   FL_GGML_ALL_ADD, barrier->wait, stat);
}

const struct fl_barrier_ops FL_BARRIER(ggml_packed) = {
    .part = {.name = "ggml-packed",
             .summary =
                 "both counters on one line, every thread adds on leaving: 2T read-modify-writes",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct ggml_packed)},
    .open = ggml_packed_open,
    .arrive = ggml_packed_arrive,
};
