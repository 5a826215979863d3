/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barrier `dissemination` (Hensgen, Finkel and Manber 1988): in round r thread i signals thread
 * i + 2^r and waits for thread i - 2^r. After ceil(log2 T) rounds everybody has heard of everybody,
 * so there is nothing to release. No read-modify-write; T ceil(log2 T) stores, each to a line that
 * one thread polls.
 */
#include "barrier-lines.h"
#include "rmw.h"

struct dissemination {
    const struct fl_wait *wait;
    struct fl_epoch_line *own;
    struct fl_word_line *signals; /* rounds of thread 0, rounds of thread 1, ... */
    unsigned threads, rounds;
};

static int dissemination_open(void *state, const struct fl_barrier_team *team,
                              const struct fl_wait *wait, const char *options, struct fl_err *err)
{
    struct dissemination *barrier = state;
    (void)options;
    barrier->wait = wait;
    barrier->threads = team->threads;
    barrier->rounds = fl_barrier_rounds(team->threads);
    int rc = fl_barrier_lines(team, team->threads, sizeof *barrier->own, &barrier->own, err);
    if (rc)
        return rc;
    return fl_barrier_lines(team, (size_t)team->threads * barrier->rounds + 1,
                            sizeof *barrier->signals, &barrier->signals, err);
}

static void dissemination_arrive(void *state, unsigned thread, struct fl_wait_stat *stat)
{
    struct dissemination *barrier = state;
    uint32_t epoch = ++barrier->own[thread].epoch;
    unsigned rounds = barrier->rounds;
    for (unsigned r = 0; r < rounds; r++) {
        unsigned to = thread + (1u << r);
        if (to >= barrier->threads)
            to -= barrier->threads;
        /* Release here and acquire there: each round hands on what all rounds before brought. */
        fl_wait_set(barrier->wait, &barrier->signals[to * rounds + r].word, epoch, stat);
        fl_wait_until(barrier->wait, &barrier->signals[thread * rounds + r].word, epoch - 1, stat);
    }
}

const struct fl_barrier_ops FL_BARRIER(dissemination) = {
    .part = {.name = "dissemination",
             .summary = "log2 T rounds of one signal to the thread 1, 2, 4 ... further",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct dissemination)},
    .open = dissemination_open,
    .arrive = dissemination_arrive,
};
