/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barrier `tournament` (Hensgen, Finkel and Manber 1988; the way out as Mellor-Crummey and Scott
 * have it): pairs whose winner is fixed beforehand. In round r the thread with bit r set tells its
 * opponent and drops out; thread 0 remains, and everybody releases whom they beat, in reverse. No
 * read-modify-write, and each word has one reader and one writer.
 */
#include "barrier-lines.h"
#include "rmw.h"

struct tournament {
    const struct fl_wait *wait;
    struct fl_epoch_line *own;
    struct fl_word_line *beaten; /* rounds of thread 0, rounds of thread 1, ... */
    struct fl_word_line *go;
    unsigned threads, rounds;
};

static int tournament_open(void *state, const struct fl_barrier_team *team,
                           const struct fl_wait *wait, const char *options, struct fl_err *err)
{
    struct tournament *barrier = state;
    (void)options;
    barrier->wait = wait;
    barrier->threads = team->threads;
    barrier->rounds = fl_barrier_rounds(team->threads);
    int rc = fl_barrier_lines(team, team->threads, sizeof *barrier->own, &barrier->own, err);
    if (!rc)
        rc = fl_barrier_lines(team, team->threads, sizeof *barrier->go, &barrier->go, err);
    if (rc)
        return rc;
    return fl_barrier_lines(team, (size_t)team->threads * barrier->rounds + 1,
                            sizeof *barrier->beaten, &barrier->beaten, err);
}

static void tournament_arrive(void *state, unsigned thread, struct fl_wait_stat *stat)
{
    struct tournament *barrier = state;
    const struct fl_wait *wait = barrier->wait;
    uint32_t epoch = ++barrier->own[thread].epoch;
    unsigned rounds = barrier->rounds, round = 0;
    for (; round < rounds; round++) {
        unsigned step = 1u << round;
        if (thread & step) {
            fl_wait_set(wait, &barrier->beaten[(thread - step) * rounds + round].word, epoch, stat);
            fl_wait_until(wait, &barrier->go[thread].word, epoch - 1, stat);
            break;
        }
        if (thread + step < barrier->threads)
            fl_wait_until(wait, &barrier->beaten[thread * rounds + round].word, epoch - 1, stat);
    }
    while (round--)
        if (thread + (1u << round) < barrier->threads)
            fl_wait_set(wait, &barrier->go[thread + (1u << round)].word, epoch, stat);
}

const struct fl_barrier_ops FL_BARRIER(tournament) = {
    .part = {.name = "tournament",
             .summary = "pairs with fixed winners, log2 T rounds in and out",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct tournament)},
    .open = tournament_open,
    .arrive = tournament_arrive,
};
