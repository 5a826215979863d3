/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spinning for a time: polls a word until it changes or the budget is used up. The clock is read
 * after every few looks only, so that reading it (some 25 ns) does not slow the polling down; the
 * budget is overrun by that many pauses at most, under a microsecond.
 */
#ifndef FL_WAIT_CLOCK_H
#define FL_WAIT_CLOCK_H

#include <time.h>

#include "cpu-pause.h"
#include "faultline/wait.h"

enum { FL_LOOKS_PER_CLOCK = 16 };

static inline uint64_t fl_wait_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Looks with relaxed order, so that polling orders nothing; one acquire load ends the wait. */
static inline bool fl_wait_changed(struct fl_wait_word *word, uint32_t old)
{
    return atomic_load_explicit(&word->value, memory_order_relaxed) != old &&
           atomic_load_explicit(&word->value, memory_order_acquire) != old;
}

/* True once the word has changed; false when `budget_ns` have passed first. */
static inline bool fl_wait_spin_for(struct fl_wait_word *word, uint32_t old, uint64_t budget_ns,
                                    struct fl_wait_stat *stat)
{
    uint64_t looks = 0, start = budget_ns ? fl_wait_now_ns() : 0;
    bool changed = false;
    while (!changed && budget_ns) {
        for (unsigned i = 0; i < FL_LOOKS_PER_CLOCK && !changed; i++) {
            fl_cpu_pause();
            looks++;
            changed = fl_wait_changed(word, old);
        }
        if (!changed && fl_wait_now_ns() - start >= budget_ns)
            break;
    }
    if (stat)
        stat->spins += looks;
    return changed;
}

#endif
