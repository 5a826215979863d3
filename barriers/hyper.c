/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barrier `hyper`: the shape of LLVM libomp's default barrier, a tree of branching factor 4
 * embedded in a hypercube. On the way in, a thread whose two bits of the level are 0 waits for the
 * up to three others that differ in these bits only; the others raise their flag and wait. On the
 * way out each releases, level by level downwards, whom it waited for. No read-modify-write: two
 * words for each thread, each with one reader.
 *
 * As in libomp a parent reads the child's flag, where `mcs-tree` has the child write to the parent.
 */
#include "barrier-lines.h"
#include "rmw.h"

enum { BITS = 2, BRANCH = 1 << BITS };

struct member {
    struct fl_word_line arrived; /* written by the thread, polled by its parent */
    struct fl_word_line go;      /* written by its parent, polled by the thread */
    _Alignas(FL_APART) uint32_t epoch;
};

struct hyper {
    const struct fl_wait *wait;
    struct member *members;
    unsigned threads;
};

static int hyper_open(void *state, const struct fl_barrier_team *team, const struct fl_wait *wait,
                      const char *options, struct fl_err *err)
{
    struct hyper *barrier = state;
    (void)options;
    barrier->wait = wait;
    barrier->threads = team->threads;
    return fl_barrier_lines(team, team->threads, sizeof *barrier->members, &barrier->members, err);
}

/* Waits for the children, level by level; returns the first level that is the parent's. */
static unsigned gather(struct hyper *barrier, unsigned thread, uint32_t before,
                       struct fl_wait_stat *stat)
{
    unsigned level = 0;
    for (; 1u << level < barrier->threads && !(thread >> level & (BRANCH - 1)); level += BITS)
        for (unsigned i = 1; i < BRANCH; i++) {
            unsigned child = thread + (i << level);
            if (child < barrier->threads)
                fl_wait_until(barrier->wait, &barrier->members[child].arrived.word, before, stat);
        }
    return level;
}

static void release(struct hyper *barrier, unsigned thread, unsigned level, uint32_t epoch,
                    struct fl_wait_stat *stat)
{
    while (level) {
        level -= BITS;
        for (unsigned i = 1; i < BRANCH; i++) {
            unsigned child = thread + (i << level);
            if (child < barrier->threads)
                fl_wait_set(barrier->wait, &barrier->members[child].go.word, epoch, stat);
        }
    }
}

static void hyper_arrive(void *state, unsigned thread, struct fl_wait_stat *stat)
{
    struct hyper *barrier = state;
    struct member *own = &barrier->members[thread];
    uint32_t before = own->epoch++;
    unsigned level = gather(barrier, thread, before, stat);
    fl_wait_set(barrier->wait, &own->arrived.word, before + 1, stat);
    if (thread)
        fl_wait_until(barrier->wait, &own->go.word, before, stat);
    release(barrier, thread, level, before + 1, stat);
}

const struct fl_barrier_ops FL_BARRIER(hyper) = {
    .part = {.name = "hyper",
             .summary = "libomp's shape: a tree of branching factor 4 in a hypercube",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct hyper)},
    .open = hyper_open,
    .arrive = hyper_arrive,
};
