/* SPDX-License-Identifier: Apache-2.0 */
/* The probe against programs whose locks are known: every way to take a mutex, all kinds of it. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

#include <cmocka.h>

#include "counter-rig.h"
#include "preload-rig.h"

#define METRICS                                                                                    \
    "pthread-mutex-locks pthread-mutex-contended pthread-mutex-contended-share pthread-mutex-wait"

static struct timespec from_now(clockid_t clock, long milliseconds)
{
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_nsec += milliseconds * 1000000;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

/* Locks that `body` takes. */
static struct rig measure(rig_body_fn body, void *arg)
{
    struct rig rig;
    rig_open(&rig, &fl_counter_probe, METRICS);
    rig_window(&rig, body, arg);
    return rig;
}

static int64_t locks_of(rig_body_fn body, void *arg)
{
    struct rig rig = measure(body, arg);
    int64_t total = rig_total(&rig, "pthread-mutex-locks");
    rig_close(&rig);
    return total;
}

static void lock_five_ways(void *arg)
{
    pthread_mutex_t *mutex = arg;
    struct timespec real = from_now(CLOCK_REALTIME, 1000);
    struct timespec mono = from_now(CLOCK_MONOTONIC, 1000);
    pthread_mutex_lock(mutex);
    (void)pthread_mutex_trylock(mutex); /* fails: no lock */
    pthread_mutex_unlock(mutex);
    if (!pthread_mutex_trylock(mutex))
        pthread_mutex_unlock(mutex);
    if (!pthread_mutex_timedlock(mutex, &real))
        pthread_mutex_unlock(mutex);
    if (!pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &mono))
        pthread_mutex_unlock(mutex);
}

static void every_way_to_lock_counts_once(void **unused)
{
    (void)unused;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    assert_int_equal(locks_of(lock_five_ways, &mutex), 4);
}

static void lock_c11(void *arg)
{
    mtx_t *mutex = arg;
    struct timespec until = from_now(CLOCK_REALTIME, 1000);
    mtx_lock(mutex);
    mtx_trylock(mutex); /* fails: no lock */
    mtx_unlock(mutex);
    if (mtx_trylock(mutex) == thrd_success)
        mtx_unlock(mutex);
    if (mtx_timedlock(mutex, &until) == thrd_success)
        mtx_unlock(mutex);
}

static void c11_mutexes_count(void **unused)
{
    (void)unused;
    mtx_t mutex;
    mtx_init(&mutex, mtx_timed);
    assert_int_equal(locks_of(lock_c11, &mutex), 3);
    mtx_destroy(&mutex);
}

static void wait_three_ways(void *arg)
{
    pthread_mutex_t *mutex = arg;
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
    cnd_t c11;
    mtx_t c11_mutex;
    mtx_init(&c11_mutex, mtx_plain);
    cnd_init(&c11);
    struct timespec real = from_now(CLOCK_REALTIME, 1), mono = from_now(CLOCK_MONOTONIC, 1);
    pthread_mutex_lock(mutex);
    pthread_cond_timedwait(&cond, mutex, &real);
    pthread_cond_clockwait(&cond, mutex, CLOCK_MONOTONIC, &mono);
    pthread_mutex_unlock(mutex);
    mtx_lock(&c11_mutex);
    cnd_timedwait(&c11, &c11_mutex, &real);
    mtx_unlock(&c11_mutex);
}

static void a_condition_wait_takes_its_mutex_again(void **unused)
{
    (void)unused;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    assert_int_equal(locks_of(wait_three_ways, &mutex), 5);
}

/* A token that two threads hand to each other with condition variables. */
struct ping {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    mtx_t c11_mutex;
    cnd_t c11_cond;
    int turn, c11_turn;
    int64_t relocks; /* of the measured thread */
};

static void *answer(void *arg)
{
    struct ping *ping = arg;
    pthread_mutex_lock(&ping->mutex);
    ping->turn = 1;
    pthread_cond_signal(&ping->cond);
    pthread_mutex_unlock(&ping->mutex);
    mtx_lock(&ping->c11_mutex);
    ping->c11_turn = 1;
    cnd_signal(&ping->c11_cond);
    mtx_unlock(&ping->c11_mutex);
    return NULL;
}

static void wait_for_answer(void *arg)
{
    struct ping *ping = arg;
    pthread_t thread;
    pthread_mutex_lock(&ping->mutex);
    mtx_lock(&ping->c11_mutex);
    pthread_create(&thread, NULL, answer, ping);
    for (; !ping->turn; ping->relocks++)
        pthread_cond_wait(&ping->cond, &ping->mutex);
    pthread_mutex_unlock(&ping->mutex);
    for (; !ping->c11_turn; ping->relocks++)
        cnd_wait(&ping->c11_cond, &ping->c11_mutex);
    mtx_unlock(&ping->c11_mutex);
    pthread_join(thread, NULL);
}

static void a_wait_that_is_signalled_counts_too(void **unused)
{
    (void)unused;
    struct ping ping = {.mutex = PTHREAD_MUTEX_INITIALIZER, .cond = PTHREAD_COND_INITIALIZER};
    mtx_init(&ping.c11_mutex, mtx_plain);
    cnd_init(&ping.c11_cond);
    int64_t locks = locks_of(wait_for_answer, &ping);
    assert_int_equal(locks, 4 + ping.relocks);
    assert_true(ping.relocks >= 2);
}

enum { THREADS = 4, LOCKS = 5000 };

struct cancelled {
    pthread_mutex_t mutex;
    pthread_cond_t never, waits;
    bool waiting;
};

static void unlock(void *mutex)
{
    pthread_mutex_unlock(mutex);
}

static void *wait_for_ever(void *arg)
{
    struct cancelled *c = arg;
    pthread_mutex_lock(&c->mutex);
    pthread_cleanup_push(unlock, &c->mutex);
    c->waiting = true;
    pthread_cond_signal(&c->waits);
    for (;;)
        pthread_cond_wait(&c->never, &c->mutex);
    pthread_cleanup_pop(1);
    return NULL;
}

static void cancel_a_wait(void *arg)
{
    struct cancelled *c = arg;
    pthread_t thread;
    pthread_mutex_lock(&c->mutex);
    pthread_create(&thread, NULL, wait_for_ever, c);
    while (!c->waiting)
        pthread_cond_wait(&c->waits, &c->mutex);
    pthread_mutex_unlock(&c->mutex);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
}

/* A lock and a relock of each of two threads. */
static void a_wait_that_is_cancelled_counts_too(void **unused)
{
    (void)unused;
    struct cancelled c = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER,
                          PTHREAD_COND_INITIALIZER, false};
    assert_int_equal(locks_of(cancel_a_wait, &c), 4);
}

static void *lock_many(void *mutex)
{
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_lock(mutex);
        pthread_mutex_unlock(mutex);
    }
    return NULL;
}

static void four_threads_lock(void *mutex)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, lock_many, mutex);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void locks_of_many_threads_are_exact(void **unused)
{
    (void)unused;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < 3; i++)
        assert_int_equal(locks_of(four_threads_lock, &mutex), THREADS * LOCKS);
}

/* Forces contention: waiters start while the mutex is held, and it is held until all have tried. */
struct queue {
    pthread_mutex_t mutex;
    _Atomic int arrived;
};

static void *queue_up(void *arg)
{
    struct queue *queue = arg;
    queue->arrived++;
    pthread_mutex_lock(&queue->mutex);
    pthread_mutex_unlock(&queue->mutex);
    return NULL;
}

static void hold_and_let_three_wait(void *arg)
{
    struct queue *queue = arg;
    pthread_t threads[3];
    pthread_mutex_lock(&queue->mutex);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, queue_up, queue);
    while (queue->arrived < 3)
        thrd_yield();
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    pthread_mutex_unlock(&queue->mutex);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}

static void a_held_mutex_is_contended_and_waited_for(void **unused)
{
    (void)unused;
    struct queue queue = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    struct rig rig = measure(hold_and_let_three_wait, &queue);
    assert_int_equal(rig_total(&rig, "pthread-mutex-locks"), 4);
    assert_int_equal(rig_total(&rig, "pthread-mutex-contended"), 3);
    assert_true(rig_read(&rig, "pthread-mutex-contended-share").ratio == 75);
    assert_true(rig_total(&rig, "pthread-mutex-wait") > 3 * 1000000);
    rig_close(&rig);
}

static void give_up_waiting(void *arg)
{
    pthread_mutex_t *mutex = arg;
    struct timespec until = from_now(CLOCK_REALTIME, 5);
    if (pthread_mutex_timedlock(mutex, &until) != ETIMEDOUT)
        abort();
}

static void a_wait_that_is_given_up_takes_no_lock(void **unused)
{
    (void)unused;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    struct rig rig = measure(give_up_waiting, &mutex);
    pthread_mutex_unlock(&mutex);
    assert_int_equal(rig_total(&rig, "pthread-mutex-locks"), 0);
    assert_int_equal(rig_total(&rig, "pthread-mutex-contended"), 0);
    assert_int_equal(rig_read(&rig, "pthread-mutex-contended-share").state,
                     FL_READING_NOT_OBSERVABLE);
    assert_true(rig_total(&rig, "pthread-mutex-wait") > 1000000);
    rig_close(&rig);
}

static void make_mutex(pthread_mutex_t *mutex, int type, int robust)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutexattr_setrobust(&attributes, robust);
    pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static void lock_twice(void *arg)
{
    pthread_mutex_t *mutexes = arg;
    /* NOLINTNEXTLINE(misc-redundant-expression): the second lock is another one */
    if (pthread_mutex_lock(&mutexes[0]) || pthread_mutex_lock(&mutexes[0]))
        abort(); /* recursive */
    if (pthread_mutex_lock(&mutexes[1]) || pthread_mutex_lock(&mutexes[1]) != EDEADLK)
        abort(); /* error-checking */
    pthread_mutex_unlock(&mutexes[0]);
    pthread_mutex_unlock(&mutexes[0]);
    pthread_mutex_unlock(&mutexes[1]);
}

static void every_kind_of_mutex_keeps_its_results(void **unused)
{
    (void)unused;
    pthread_mutex_t mutexes[2];
    make_mutex(&mutexes[0], PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
    make_mutex(&mutexes[1], PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
    struct rig rig = measure(lock_twice, mutexes);
    assert_int_equal(rig_total(&rig, "pthread-mutex-locks"), 3);
    assert_int_equal(rig_total(&rig, "pthread-mutex-contended"), 0);
    rig_close(&rig);
}

static void *lock_and_die(void *mutex)
{
    pthread_mutex_lock(mutex);
    return NULL;
}

static void inherit(void *mutex)
{
    if (pthread_mutex_lock(mutex) != EOWNERDEAD)
        abort();
    pthread_mutex_consistent(mutex);
    pthread_mutex_unlock(mutex);
}

static void a_mutex_of_a_dead_owner_is_taken(void **unused)
{
    (void)unused;
    pthread_mutex_t mutex;
    pthread_t thread;
    make_mutex(&mutex, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
    pthread_create(&thread, NULL, lock_and_die, &mutex);
    pthread_join(thread, NULL);
    assert_int_equal(locks_of(inherit, &mutex), 1);
}

int main(int argc, char **argv)
{
    (void)argc;
    int rc = preload_probe(argv);
    if (rc)
        return rc;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_to_lock_counts_once),
        cmocka_unit_test(c11_mutexes_count),
        cmocka_unit_test(a_condition_wait_takes_its_mutex_again),
        cmocka_unit_test(a_wait_that_is_signalled_counts_too),
        cmocka_unit_test(a_wait_that_is_cancelled_counts_too),
        cmocka_unit_test(locks_of_many_threads_are_exact),
        cmocka_unit_test(a_held_mutex_is_contended_and_waited_for),
        cmocka_unit_test(a_wait_that_is_given_up_takes_no_lock),
        cmocka_unit_test(every_kind_of_mutex_keeps_its_results),
        cmocka_unit_test(a_mutex_of_a_dead_owner_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
