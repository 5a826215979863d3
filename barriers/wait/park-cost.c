/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What parking costs: two threads hand a word to each other, each sleeping in the kernel until its
 * turn, so that a round trip is two parks and two unparks. Whoever spins no longer than this before
 * it parks takes at most twice the time of knowing in advance.
 */
#include <pthread.h>
#include <stdlib.h>

#include "futex-call.h"
#include "wait-budget.h"
#include "wait-clock.h"

enum { TRIPS = 32, LEAST_NS = 1000, MOST_NS = 1000000, UNKNOWN_NS = 10000 };

/* The word counts hand-overs: even, it is ours; odd, the partner's. */
static void hand_over(struct fl_wait_word *word, uint32_t value)
{
    atomic_store_explicit(&word->value, value, memory_order_seq_cst);
    if (atomic_load_explicit(&word->sleepers, memory_order_seq_cst))
        fl_futex_wake(NULL, word, NULL);
}

static void *partner(void *arg)
{
    struct fl_wait_word *word = arg;
    for (uint32_t turn = 0; turn < 2 * TRIPS; turn += 2) {
        fl_futex_until(word, turn, NULL);
        hand_over(word, turn + 2);
    }
    return NULL;
}

static int by_size(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

uint64_t fl_wait_park_cost_ns(void)
{
    _Alignas(128) struct fl_wait_word word = {0};
    uint64_t trips[TRIPS];
    pthread_t thread;
    if (pthread_create(&thread, NULL, partner, &word))
        return UNKNOWN_NS;
    for (uint32_t i = 0; i < TRIPS; i++) {
        uint64_t start = fl_wait_now_ns();
        hand_over(&word, 2 * i + 1);
        fl_futex_until(&word, 2 * i + 1, NULL);
        trips[i] = fl_wait_now_ns() - start;
    }
    pthread_join(thread, NULL);
    qsort(trips, TRIPS, sizeof *trips, by_size);
    uint64_t cost = trips[TRIPS / 2] / 2;
    return cost < LEAST_NS ? LEAST_NS : cost > MOST_NS ? MOST_NS : cost;
}
