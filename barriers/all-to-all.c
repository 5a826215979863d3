/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barrier `all-to-all`: each thread raises its own flag and looks at everybody else's. One step and
 * no read-modify-write, but each flag's line is polled by T - 1 threads: right for few threads.
 *
 * A thread's epoch is its own flag, which nobody else writes and which its cache therefore holds.
 */
#include "barrier-lines.h"
#include "rmw.h"

struct all_to_all {
    const struct fl_wait *wait;
    struct fl_word_line *flags;
    unsigned threads;
};

static int all_to_all_open(void *state, const struct fl_barrier_team *team,
                           const struct fl_wait *wait, const char *options, struct fl_err *err)
{
    struct all_to_all *barrier = state;
    (void)options;
    barrier->wait = wait;
    barrier->threads = team->threads;
    return fl_barrier_lines(team, team->threads, sizeof *barrier->flags, &barrier->flags, err);
}

static void all_to_all_arrive(void *state, unsigned thread, struct fl_wait_stat *stat)
{
    struct all_to_all *barrier = state;
    struct fl_wait_word *own = &barrier->flags[thread].word;
    /* Relaxed: nobody else writes it. */
    uint32_t before = atomic_load_explicit(&own->value, memory_order_relaxed);
    fl_wait_set(barrier->wait, own, before + 1, stat);
    /* Beginning with the next thread, so that not all poll the same line. */
    for (unsigned other = thread + 1; other < barrier->threads; other++)
        fl_wait_until(barrier->wait, &barrier->flags[other].word, before, stat);
    for (unsigned other = 0; other < thread; other++)
        fl_wait_until(barrier->wait, &barrier->flags[other].word, before, stat);
}

const struct fl_barrier_ops FL_BARRIER(all_to_all) = {
    .part = {.name = "all-to-all",
             .summary = "a flag for each thread, read by all others: one step",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct all_to_all)},
    .open = all_to_all_open,
    .arrive = all_to_all_arrive,
};
