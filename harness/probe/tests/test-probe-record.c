/* SPDX-License-Identifier: Apache-2.0 */
/* The probe's core by itself, so that sanitizers can run it: records, their sums and their reuse.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "probe-count.h"

enum { THREADS = 8, EVENTS = 20000 };

static uint64_t total(enum fl_probe_event event)
{
    uint64_t sum[FL_PROBE_EVENTS];
    fl_probe_record_sum(sum);
    return sum[event];
}

static void *count_locks(void *arg)
{
    (void)arg;
    for (int i = 0; i < EVENTS; i++)
        fl_probe_add(fl_probe_record_mine(), FL_PROBE_LOCKS, 1);
    return NULL;
}

static void run_threads(int count, void *(*body)(void *), void *arg)
{
    pthread_t *threads = calloc((size_t)count, sizeof(*threads));
    for (int i = 0; i < count; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, body, arg), 0);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

static void sums_are_exact_over_threads(void **unused)
{
    (void)unused;
    uint64_t before = total(FL_PROBE_LOCKS);
    run_threads(THREADS, count_locks, NULL);
    assert_int_equal(total(FL_PROBE_LOCKS) - before, (uint64_t)THREADS * EVENTS);
}

static void records_have_cache_lines_of_their_own(void **unused)
{
    (void)unused;
    assert_int_equal(sizeof(struct fl_probe_record), 128);
    assert_int_equal((uintptr_t)fl_probe_record_mine() % 128, 0);
}

static void *count_one_lock(void *arg)
{
    (void)arg;
    fl_probe_add(fl_probe_record_mine(), FL_PROBE_LOCKS, 1);
    return NULL;
}

static void ended_threads_leave_their_counts_and_their_record(void **unused)
{
    (void)unused;
    run_threads(1, count_one_lock, NULL);
    uint64_t before = total(FL_PROBE_LOCKS);
    size_t records = fl_probe_record_count();
    for (int i = 0; i < 500; i++)
        run_threads(1, count_one_lock, NULL);
    assert_int_equal(total(FL_PROBE_LOCKS) - before, 500);
    assert_int_equal(fl_probe_record_count(), records);
}

static void *count_and_meet(void *arg)
{
    count_one_lock(NULL);
    pthread_barrier_wait(arg);
    return NULL;
}

static void more_threads_than_a_slab_holds(void **unused)
{
    (void)unused;
    enum { MANY = 700 };
    uint64_t before = total(FL_PROBE_LOCKS);
    pthread_barrier_t all;
    pthread_barrier_init(&all, NULL, MANY);
    run_threads(MANY, count_and_meet, &all);
    pthread_barrier_destroy(&all);
    assert_int_equal(total(FL_PROBE_LOCKS) - before, MANY);
    assert_true(fl_probe_record_count() >= MANY);
}

static void nested_calls_count_once(void **unused)
{
    (void)unused;
    uint64_t calls = total(FL_PROBE_MALLOCS), bytes = total(FL_PROBE_BYTES);
    fl_probe_count_alloc(100);
    struct fl_probe_record *mine = fl_probe_record_mine();
    mine->quiet++;
    fl_probe_count_alloc(1000);
    fl_probe_count_free();
    mine->quiet--;
    assert_int_equal(total(FL_PROBE_MALLOCS) - calls, 1);
    assert_int_equal(total(FL_PROBE_BYTES) - bytes, 100);
    assert_int_equal(total(FL_PROBE_FREES), 0);
}

static void a_forked_child_has_the_records_of_its_one_thread(void **unused)
{
    (void)unused;
    size_t records = fl_probe_record_count();
    count_one_lock(NULL);
    pid_t child = fork();
    if (!child) {
        uint64_t before = total(FL_PROBE_LOCKS);
        fl_probe_record_after_fork();
        count_one_lock(NULL);
        count_one_lock(NULL);
        _exit(total(FL_PROBE_LOCKS) - before == 2 && fl_probe_record_count() == records ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_exact_over_threads),
        cmocka_unit_test(records_have_cache_lines_of_their_own),
        cmocka_unit_test(ended_threads_leave_their_counts_and_their_record),
        cmocka_unit_test(more_threads_than_a_slab_holds),
        cmocka_unit_test(nested_calls_count_once),
        cmocka_unit_test(a_forked_child_has_the_records_of_its_one_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
