/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wait policy `mutex-cond`: a pthread mutex and condition variable, as OpenBLAS' thread pool
 * sleeps.
 *
 * Words share 64 pairs by their address, each on lines of its own. Two words on one pair wake each
 * other's sleepers for nothing, who look again and sleep on: the broadcast makes that right.
 */
#include <pthread.h>
#include <stddef.h>

#include "faultline/wait.h"

enum { PAIRS = 64 };

struct pair {
    _Alignas(128) pthread_mutex_t mutex;
    pthread_cond_t changed;
};

struct mutex_cond {
    struct pair pairs[PAIRS];
};

/* Words stand 8 bytes apart at least, and mostly on lines of 128. */
static struct pair *pair_of(struct mutex_cond *policy, const struct fl_wait_word *word)
{
    uintptr_t address = (uintptr_t)word;
    return &policy->pairs[(address >> 3 ^ address >> 7) % PAIRS];
}

static int mutex_cond_open(void *state, const char *options, struct fl_err *err)
{
    struct mutex_cond *policy = state;
    (void)options, (void)err;
    for (size_t i = 0; i < PAIRS; i++) {
        pthread_mutex_init(&policy->pairs[i].mutex, NULL);
        pthread_cond_init(&policy->pairs[i].changed, NULL);
    }
    return 0;
}

static void mutex_cond_until(void *state, struct fl_wait_word *word, uint32_t old,
                             struct fl_wait_stat *stat)
{
    struct pair *pair = pair_of(state, word);
    pthread_mutex_lock(&pair->mutex);
    /* seq_cst, both: the sleeper's half of the handshake at fl_wait_wake(). A waker that sees us
     * takes the mutex, so its broadcast cannot fall between our look and our sleep. */
    atomic_fetch_add_explicit(&word->sleepers, 1, memory_order_seq_cst);
    while (atomic_load_explicit(&word->value, memory_order_seq_cst) == old) {
        pthread_cond_wait(&pair->changed, &pair->mutex);
        if (stat)
            stat->sleeps++;
    }
    atomic_fetch_sub_explicit(&word->sleepers, 1, memory_order_relaxed);
    pthread_mutex_unlock(&pair->mutex);
}

static void mutex_cond_wake(void *state, struct fl_wait_word *word, struct fl_wait_stat *stat)
{
    struct pair *pair = pair_of(state, word);
    pthread_mutex_lock(&pair->mutex);
    pthread_cond_broadcast(&pair->changed);
    pthread_mutex_unlock(&pair->mutex);
    if (stat)
        stat->wakes++;
}

static void mutex_cond_close(void *state)
{
    struct mutex_cond *policy = state;
    for (size_t i = 0; i < PAIRS; i++) {
        pthread_cond_destroy(&policy->pairs[i].changed);
        pthread_mutex_destroy(&policy->pairs[i].mutex);
    }
}

const struct fl_wait_ops fl_wait_mutex_cond = {
    .part = {.name = "mutex-cond",
             .summary = "sleeps on a pthread condition variable at once, as OpenBLAS' pool does",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct mutex_cond)},
    .open = mutex_cond_open,
    .until = mutex_cond_until,
    .wake = mutex_cond_wake,
    .close = mutex_cond_close,
};
