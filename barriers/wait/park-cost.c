/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What parking costs: two threads hand a word to each other, each sleeping in the kernel until its
 * turn, so that a round trip is two parks and two unparks. Whoever spins no longer than this before
 * it parks takes at most twice the time of knowing in advance.
 *
 * The two stand on different processors where there are two to use: a hand-over on one processor is
 * a switch of threads and a tenth of the cost of waking another that idles, and left alone the
 * scheduler takes now the one and now the other.
 */
#include <pthread.h>
#include <sched.h>
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

/* Splits the processors between the caller, who keeps the one it is on, and a partner to come.
 * Best effort: `all` is what to go back to. */
static void stand_apart(pthread_attr_t *partners, cpu_set_t *all)
{
    int here = sched_getcpu();
    cpu_set_t mine, others;
    if (here < 0 || pthread_getaffinity_np(pthread_self(), sizeof *all, all))
        CPU_ZERO(all);
    if (CPU_COUNT(all) < 2 || !CPU_ISSET(here, all))
        return;
    others = *all;
    CPU_CLR(here, &others);
    CPU_ZERO(&mine);
    CPU_SET(here, &mine);
    if (!pthread_attr_setaffinity_np(partners, sizeof others, &others))
        (void)pthread_setaffinity_np(pthread_self(), sizeof mine, &mine);
}

static int start_partner(pthread_t *thread, struct fl_wait_word *word, cpu_set_t *all)
{
    pthread_attr_t attributes;
    CPU_ZERO(all);
    if (pthread_attr_init(&attributes))
        return -1;
    stand_apart(&attributes, all);
    int rc = pthread_create(thread, &attributes, partner, word);
    pthread_attr_destroy(&attributes);
    return rc;
}

static void time_trips(struct fl_wait_word *word, uint64_t trips[TRIPS])
{
    for (uint32_t i = 0; i < TRIPS; i++) {
        uint64_t start = fl_wait_now_ns();
        hand_over(word, 2 * i + 1);
        fl_futex_until(word, 2 * i + 1, NULL);
        trips[i] = fl_wait_now_ns() - start;
    }
}

uint64_t fl_wait_park_cost_ns(void)
{
    _Alignas(128) struct fl_wait_word word = {0};
    uint64_t trips[TRIPS];
    pthread_t thread;
    cpu_set_t all;
    int rc = start_partner(&thread, &word, &all);
    if (!rc) {
        time_trips(&word, trips);
        pthread_join(thread, NULL);
    }
    if (CPU_COUNT(&all) > 1)
        (void)pthread_setaffinity_np(pthread_self(), sizeof all, &all);
    if (rc)
        return UNKNOWN_NS;
    qsort(trips, TRIPS, sizeof *trips, by_size);
    uint64_t cost = trips[TRIPS / 2] / 2;
    return cost < LEAST_NS ? LEAST_NS : cost > MOST_NS ? MOST_NS : cost;
}
