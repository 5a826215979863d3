/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wait policy: how a thread waits for a word to change, and how the one who changes it wakes it.
 *
 * A barrier names no policy; it is handed one. Budgets are times, never loop counts, because one
 * PAUSE takes 10 cycles on one processor and 140 on the next. Add one: copy TEMPLATE.c in
 * barriers/wait/.
 *
 * Threads: until() and wake() may run in any number of threads at once; open() and close() may not
 * run beside them.
 */
#ifndef FAULTLINE_WAIT_H
#define FAULTLINE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "faultline/arena.h"
#include "faultline/part.h"

#ifndef __cplusplus
#include <stdatomic.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The word, and how many threads sleep on it. A zeroed struct is a word of value 0. Both stand on
 * one line: whoever changes the value owns that line anyway when it looks for sleepers.
 */
struct fl_wait_word
#ifndef __cplusplus /* which has no _Atomic: to C++ the word is closed */
{
    _Atomic uint32_t value; /* 32 bits, because a futex has 32 */
    _Atomic uint32_t
        sleepers; /* threads inside a sleeping policy's until(), about to sleep or so */
}
#endif
;

/*
 * What waiting cost one thread. Each thread has its own, on a line of its own. NULL instead:
 * nothing is counted and no clock is read, as timed samples want it.
 */
struct fl_wait_stat {
    uint64_t waits;   /* waits that did not pass at once */
    uint64_t spins;   /* looks at the word after the first */
    uint64_t sleeps;  /* system calls that gave the processor away: futex wait, sched_yield */
    uint64_t wakes;   /* wake calls issued; none while nobody sleeps */
    uint64_t wait_ns; /* time in waits that did not pass at once */
    uint64_t rmws;    /* atomic read-modify-writes of the barrier; only the counting build counts */
};

struct fl_wait_ops {
    struct fl_part part;
    /* The waiting is the barrier's own (pthread, OpenMP): no slot of this policy is ever called. */
    bool runtime;
    bool keeps_processor; /* a waiting thread never gives its processor to another thread */
    /* Optional; without it the policy takes no options. 0, or -EINVAL saying what is accepted. */
    int (*check)(const char *options, struct fl_err *err);
    /*
     * Optional. Once, before the first until(). May start a thread to measure what parking costs.
     * `options`: the text behind the first ':' of the level, "" where there is none. -EINVAL: bad
     * option.
     */
    int (*open)(void *state, const char *options, struct fl_err *err);
    /*
     * Required. Returns when word->value differs from `old`, having read it with acquire order or
     * stronger. A policy that sleeps counts itself in word->sleepers first (memory order:
     * fl_wait_wake()). Called only after one look found `old`.
     */
    void (*until)(void *state, struct fl_wait_word *word, uint32_t old, struct fl_wait_stat *stat);
    /*
     * Wakes all who sleep on the word. NULL where nobody ever sleeps: then the value is stored with
     * release order and nobody looks at word->sleepers.
     */
    void (*wake)(void *state, struct fl_wait_word *word, struct fl_wait_stat *stat);
    /* Optional. The time spent spinning before sleeping, in ns, as given or calibrated at open().
     */
    uint64_t (*budget_ns)(const void *state);
    /* Optional. Gives back what open() took. */
    void (*close)(void *state);
};

/* A policy with its state: what a barrier is handed. */
struct fl_wait {
    const struct fl_wait_ops *ops;
    void *state;
};

/*
 * Opens a policy; its state comes from the arena. 0; -EINVAL: bad options; -ENOTSUP: cannot run
 * here, with the part's reason; -ENOMEM.
 */
int fl_wait_open(struct fl_wait *wait, const struct fl_wait_ops *ops, const char *options,
                 struct fl_arena *arena, struct fl_err *err) FL_MUST_CHECK;
void fl_wait_close(struct fl_wait *wait);

/* ops->until() with the time taken into `stat`. Internal to fl_wait_until(). */
void fl_wait_until_timed(const struct fl_wait *wait, struct fl_wait_word *word, uint32_t old,
                         struct fl_wait_stat *stat);

#ifndef __cplusplus
/*
 * Returns when the value differs from `old`. Acquire: what its writer did before is seen. One load
 * where it passes at once.
 */
static inline void fl_wait_until(const struct fl_wait *wait, struct fl_wait_word *word,
                                 uint32_t old, struct fl_wait_stat *stat)
{
    if (atomic_load_explicit(&word->value, memory_order_acquire) != old)
        return;
    if (stat)
        fl_wait_until_timed(wait, word, old, stat);
    else
        wait->ops->until(wait->state, word, old, NULL);
}

/*
 * Wakes who sleeps on the word, after the caller changed its value with seq_cst order.
 *
 * The sleeper adds itself to `sleepers`, then reads `value`; the waker writes `value`, then reads
 * `sleepers`. With all four seq_cst there is one order of them, so at least one of the two sees the
 * other: either the sleeper finds the new value and stays awake, or the waker finds the sleeper.
 * Acquire and release would let both loads pass their stores, and the wake-up would be lost.
 */
static inline void fl_wait_wake(const struct fl_wait *wait, struct fl_wait_word *word,
                                struct fl_wait_stat *stat)
{
    if (wait->ops->wake && atomic_load_explicit(&word->sleepers, memory_order_seq_cst))
        wait->ops->wake(wait->state, word, stat);
}

/*
 * Sets the value and wakes who sleeps on it. Release where nobody can sleep: a plain store on x86.
 * Otherwise seq_cst, which is an exchange instruction on x86 but no read-modify-write of ours.
 */
static inline void fl_wait_set(const struct fl_wait *wait, struct fl_wait_word *word,
                               uint32_t value, struct fl_wait_stat *stat)
{
    if (!wait->ops->wake) {
        atomic_store_explicit(&word->value, value, memory_order_release);
        return;
    }
    atomic_store_explicit(&word->value, value, memory_order_seq_cst);
    fl_wait_wake(wait, word, stat);
}
#endif

#ifdef __cplusplus
}
#endif

#endif
