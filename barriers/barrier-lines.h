/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of a barrier: what stands apart stands FL_APART bytes apart.
 *
 * 128, not 64: x86 fetches lines in pairs, and Apple's and some of Arm's lines are that long, so 64
 * bytes would share again what was meant to be apart.
 *
 * Words carry the number of the phase (an epoch), not a sense bit: a thread of phase p waits until
 * the word is no longer p - 1. The word of a neighbour that is a phase ahead then still counts as
 * arrived, which a bit would not allow, and nothing is ever reset. Epochs wrap; they are only
 * compared for equality, and no two threads are more than one phase apart.
 */
#ifndef FL_BARRIER_LINES_H
#define FL_BARRIER_LINES_H

#include <errno.h>

#include "faultline/barrier.h"

#define FL_APART 128

/* A word that nothing else shares a line with. */
struct fl_word_line {
    _Alignas(FL_APART) struct fl_wait_word word;
};

/* The phase a thread is in, which only that thread reads and writes. */
struct fl_epoch_line {
    _Alignas(FL_APART) uint32_t epoch;
};

/* `count` zeroed elements of `size` bytes, on lines of their own. 0, or -ENOMEM. */
static inline int fl_barrier_lines(const struct fl_barrier_team *team, size_t count, size_t size,
                                   void *out, struct fl_err *err)
{
    void *memory = fl_arena_alloc(team->arena, count * size, FL_APART);
    if (!memory)
        return fl_fail(err, -ENOMEM, "no memory for a barrier of %u threads", team->threads);
    *(void **)out = memory;
    return 0;
}

/* The least r with 2^r >= threads: rounds of dissemination and tournament. */
static inline unsigned fl_barrier_rounds(unsigned threads)
{
    unsigned rounds = 0;
    while (1u << rounds < threads)
        rounds++;
    return rounds;
}

#endif
