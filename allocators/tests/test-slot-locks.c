/* SPDX-License-Identifier: Apache-2.0 */
/* Mutexes per call of each pool of slots, counted by the probe, from one and from several threads.
 */
#include "pool-rig.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

#include "faultline/probe.h"
#include "preload-rig.h"

enum { THREADS = 4, CALLS = 500, WARM_UP = 3 };

struct team {
    struct pool_rig *rig;
    pthread_barrier_t edge; /* takes no mutex */
};

static int nothing(void *arg, void *const *pointers)
{
    (void)arg, (void)pointers;
    return 0;
}

static uint64_t locks_so_far(void)
{
    void *symbol = dlsym(RTLD_DEFAULT, FL_PROBE_READ);
    fl_probe_read_fn read;
    struct fl_probe_totals totals;
    memcpy(&read, &symbol, sizeof read);
    assert_int_equal(read(FL_PROBE_ABI, &totals), 0);
    return totals.mutex_locks;
}

/* Warm-up, edge, calls, edge, and an edge before the thread may end. */
static void *make_calls(void *arg)
{
    struct team *team = arg;
    for (int i = 0; i < WARM_UP; i++)
        pool_call(team->rig, nothing, NULL);
    pthread_barrier_wait(&team->edge);
    pthread_barrier_wait(&team->edge);
    for (int i = 0; i < CALLS; i++)
        pool_call(team->rig, nothing, NULL);
    pthread_barrier_wait(&team->edge);
    pthread_barrier_wait(&team->edge);
    return NULL;
}

static uint64_t locks_of(struct pool_rig *rig, unsigned threads)
{
    struct team team = {.rig = rig};
    pthread_t ids[THREADS];
    assert_int_equal(pthread_barrier_init(&team.edge, NULL, threads + 1), 0);
    for (unsigned i = 0; i < threads; i++)
        assert_int_equal(pthread_create(&ids[i], NULL, make_calls, &team), 0);
    pthread_barrier_wait(&team.edge);
    uint64_t before = locks_so_far();
    pthread_barrier_wait(&team.edge);
    pthread_barrier_wait(&team.edge);
    uint64_t after = locks_so_far();
    pthread_barrier_wait(&team.edge);
    for (unsigned i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    pthread_barrier_destroy(&team.edge);
    return after - before;
}

static void check_locks(const char *name, const char *options, unsigned per_call)
{
    for (unsigned threads = 1; threads <= THREADS; threads++) {
        struct pool_rig rig;
        pool_open(&rig, name, options, threads);
        uint64_t locks = locks_of(&rig, threads);
        if (locks != (uint64_t)per_call * threads * CALLS)
            fail_msg("%s:%s: %llu mutexes in %u calls of %u threads each, not %u per call", name,
                     options, (unsigned long long)locks, CALLS, threads, per_call);
        pool_close(&rig);
    }
}

static void each_pool_takes_its_number_of_mutexes_per_call(void **unused)
{
    (void)unused;
    static const struct {
        const char *name, *options;
        unsigned per_call;
    } rows[] = {
        {"slots-mutex", "", 2},     {"slots-mutex", "base=32", 2},
        {"slots-tls-mutex", "", 3}, {"slots-tls-mutex", "slots=1", 3},
        {"slots-lock", "", 0},      {"slots-lock", "base=32", 0},
        {"slots-hint", "", 0},      {"slots-hint", "base=32", 0},
        {"slots-percpu", "", 0},    {"slots-percpu", "base=48", 0},
        {"thread-local", "", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_locks(rows[i].name, rows[i].options, rows[i].per_call);
}

/* One slot and a call around: the inner call finds the table full. */
static int call_inside(void *arg, void *const *pointers)
{
    (void)pointers;
    return pool_call(arg, nothing, NULL);
}

static void overflow_takes_two_mutexes_in_every_shared_pool(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        unsigned per_pair; /* of an outer and an inner call */
    } rows[] = {{"slots-mutex", 4}, {"slots-lock", 2}, {"slots-hint", 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pool_rig rig;
        pool_open(&rig, rows[i].name, "slots=1", 1);
        pool_call(&rig, call_inside, &rig);
        uint64_t before = locks_so_far();
        for (int c = 0; c < CALLS; c++)
            pool_call(&rig, call_inside, &rig);
        assert_int_equal(locks_so_far() - before, rows[i].per_pair * CALLS);
        pool_close(&rig);
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    int rc = preload_probe(argv);
    if (rc)
        return rc;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_pool_takes_its_number_of_mutexes_per_call),
        cmocka_unit_test(overflow_takes_two_mutexes_in_every_shared_pool),
    };
    return cmocka_run_group_tests_name("slot-locks", tests, NULL, NULL);
}
