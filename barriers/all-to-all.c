/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barrier `all-to-all`: each thread raises its own flag and looks at everybody else's. One step and
 * no read-modify-write, but each flag's line is polled by T - 1 threads: right for few threads.
 *
 * The epoch stands apart from the flag although the flag has the same value: reading back a line
 * that others poll made a phase of two threads a third longer.
 */
#include "barrier-lines.h"
#include "rmw.h"

struct all_to_all {
    const struct fl_wait *wait;
    struct fl_epoch_line *own;
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
    int rc = fl_barrier_lines(team, team->threads, sizeof *barrier->own, &barrier->own, err);
    return rc ? rc
              : fl_barrier_lines(team, team->threads, sizeof *barrier->flags, &barrier->flags, err);
}

static void all_to_all_arrive(void *state, unsigned thread, struct fl_wait_stat *stat)
{
    struct all_to_all *barrier = state;
    uint32_t before = barrier->own[thread].epoch++;
    fl_wait_set(barrier->wait, &barrier->flags[thread].word, before + 1, stat);
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
