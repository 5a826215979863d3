/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barrier `mcs-tree` (Mellor-Crummey and Scott 1991): each thread waits for up to four children,
 * tells its parent, and is released down a binary tree. No read-modify-write; every word is polled
 * by one thread, and the four words of a thread's children share the one line that it polls.
 */
#include "barrier-lines.h"
#include "rmw.h"

enum { IN = 4, OUT = 2 };

struct member {
    _Alignas(FL_APART) struct fl_wait_word children[IN]; /* written by them, polled by us */
    struct fl_word_line go;                              /* written by the parent of the way out */
    _Alignas(FL_APART) uint32_t epoch;                   /* ours alone */
};

struct mcs_tree {
    const struct fl_wait *wait;
    struct member *members;
    unsigned threads;
};

static int mcs_tree_open(void *state, const struct fl_barrier_team *team,
                         const struct fl_wait *wait, const char *options, struct fl_err *err)
{
    struct mcs_tree *barrier = state;
    (void)options;
    barrier->wait = wait;
    barrier->threads = team->threads;
    return fl_barrier_lines(team, team->threads, sizeof *barrier->members, &barrier->members, err);
}

static void mcs_tree_arrive(void *state, unsigned thread, struct fl_wait_stat *stat)
{
    struct mcs_tree *barrier = state;
    struct member *own = &barrier->members[thread];
    uint32_t epoch = ++own->epoch;
    for (unsigned i = 0; i < IN && IN * thread + i + 1 < barrier->threads; i++)
        fl_wait_until(barrier->wait, &own->children[i], epoch - 1, stat);
    if (thread) {
        struct member *parent = &barrier->members[(thread - 1) / IN];
        fl_wait_set(barrier->wait, &parent->children[(thread - 1) % IN], epoch, stat);
        fl_wait_until(barrier->wait, &own->go.word, epoch - 1, stat);
    }
    for (unsigned i = OUT * thread + 1; i <= OUT * thread + OUT && i < barrier->threads; i++)
        fl_wait_set(barrier->wait, &barrier->members[i].go.word, epoch, stat);
}

const struct fl_barrier_ops FL_BARRIER(mcs_tree) = {
    .part = {.name = "mcs-tree",
             .summary = "four children in, two out, each word polled by one thread",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct mcs_tree)},
    .open = mcs_tree_open,
    .arrive = mcs_tree_arrive,
};
