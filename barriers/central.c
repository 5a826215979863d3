/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barrier `central`: one counter of those still missing, and one word that the last thread sets.
 * Each thread knows the phase it is in (the sense, as an epoch), so nothing is read before the
 * counter is taken. T read-modify-writes a phase, all on one line; one store releases all.
 */
#include "barrier-lines.h"
#include "rmw.h"

struct central {
    _Alignas(FL_APART) _Atomic uint32_t arrived;
    struct fl_word_line phase;
    _Alignas(FL_APART) const struct fl_wait *wait;
    struct fl_epoch_line *own;
    unsigned threads;
};

static int central_open(void *state, const struct fl_barrier_team *team, const struct fl_wait *wait,
                        const char *options, struct fl_err *err)
{
    struct central *barrier = state;
    (void)options;
    barrier->wait = wait;
    barrier->threads = team->threads;
    return fl_barrier_lines(team, team->threads, sizeof *barrier->own, &barrier->own, err);
}

static void central_arrive(void *state, unsigned thread, struct fl_wait_stat *stat)
{
    struct central *barrier = state;
    uint32_t epoch = ++barrier->own[thread].epoch;
    /* acq_rel: releases what this thread did, and the last one acquires it of all. */
    uint32_t before = fl_fetch_add(&barrier->arrived, 1, memory_order_acq_rel, stat);
    if (before != barrier->threads - 1) {
        fl_wait_until(barrier->wait, &barrier->phase.word, epoch - 1, stat);
        return;
    }
    /* Relaxed: the store to the phase below releases it. */
    atomic_store_explicit(&barrier->arrived, 0, memory_order_relaxed);
    fl_wait_set(barrier->wait, &barrier->phase.word, epoch, stat);
}

const struct fl_barrier_ops FL_BARRIER(central) = {
    .part = {.name = "central",
             .summary = "one counter and one word, sense-reversing: T read-modify-writes",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct central)},
    .open = central_open,
    .arrive = central_arrive,
};
