/* SPDX-License-Identifier: Apache-2.0 */
/* Counter rusage against programs whose faults and switches are known. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "counter-rig.h"

#define ALL                                                                                        \
    "minor-faults major-faults voluntary-switches involuntary-switches process-minor-faults "      \
    "process-major-faults process-voluntary-switches process-involuntary-switches"

struct pages {
    char *memory;
    size_t count;
};

static void touch(void *arg)
{
    struct pages *p = arg;
    for (size_t i = 0; i < p->count; i++)
        ((volatile char *)p->memory)[i * (size_t)sysconf(_SC_PAGESIZE)] = 1;
}

static void *touch_in_thread(void *arg)
{
    touch(arg);
    return NULL;
}

struct other_thread {
    pthread_barrier_t begin, end;
    struct pages pages;
};

static void *wait_and_touch(void *arg)
{
    struct other_thread *other = arg;
    pthread_barrier_wait(&other->begin);
    touch(&other->pages);
    pthread_barrier_wait(&other->end);
    return NULL;
}

static void let_other_touch(void *arg)
{
    struct other_thread *other = arg;
    pthread_barrier_wait(&other->begin);
    pthread_barrier_wait(&other->end);
}

static void sleep_three_times(void *arg)
{
    (void)arg;
    for (int i = 0; i < 3; i++)
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static void every_first_touch_is_one_minor_fault(void **unused)
{
    (void)unused;
    struct rig rig;
    rig_open(&rig, &fl_counter_rusage, ALL);
    assert_int_equal(rig.rc, 0);
    for (size_t count = 0; count <= 300; count = count * 2 + 1) {
        struct pages pages = {rig_pages(count + 1), count};
        rig_window(&rig, touch, &pages);
        assert_true(rig_is_exact(rig_total(&rig, "minor-faults"), (int64_t)count));
        assert_true(rig_is_exact(rig_total(&rig, "process-minor-faults"), (int64_t)count));
        assert_int_equal(rig_total(&rig, "major-faults"), 0);
        rig_window(&rig, touch, &pages);
        assert_int_equal(rig_total(&rig, "minor-faults"), 0);
    }
    rig_close(&rig);
}

static void faults_of_another_thread_are_the_process_s_alone(void **unused)
{
    (void)unused;
    struct rig rig;
    struct other_thread other = {.pages = {rig_pages(500), 500}};
    pthread_barrier_init(&other.begin, NULL, 2);
    pthread_barrier_init(&other.end, NULL, 2);
    pthread_t thread;
    pthread_create(&thread, NULL, wait_and_touch, &other);
    rig_open(&rig, &fl_counter_rusage, ALL);
    rig_window(&rig, let_other_touch, &other);
    pthread_join(thread, NULL);
    /* The barrier's code is mapped in the window: a few faults beside the 500. */
    assert_in_range(rig_total(&rig, "minor-faults"), 0, 200);
    assert_true(rig_total(&rig, "process-minor-faults") >= 500);
    rig_close(&rig);
}

static void three_sleeps_are_three_voluntary_switches(void **unused)
{
    (void)unused;
    struct rig rig;
    rig_open(&rig, &fl_counter_rusage, ALL);
    rig_window(&rig, sleep_three_times, NULL);
    assert_in_range(rig_total(&rig, "voluntary-switches"), 3, 10);
    assert_in_range(rig_total(&rig, "process-voluntary-switches"), 3, 10);
    rig_close(&rig);
}

static void measures_the_thread_that_stands_at_the_edges(void **unused)
{
    (void)unused;
    struct rig rig;
    struct pages pages = {rig_pages(500), 500};
    pthread_t thread;
    rig_open(&rig, &fl_counter_rusage, ALL);
    rig.ops->start(rig.state);
    pthread_create(&thread, NULL, touch_in_thread, &pages);
    pthread_join(thread, NULL);
    rig.ops->stop(rig.state);
    assert_true(rig_total(&rig, "process-minor-faults") >= 500);
    assert_true(rig_total(&rig, "minor-faults") < 500);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_first_touch_is_one_minor_fault),
        cmocka_unit_test(faults_of_another_thread_are_the_process_s_alone),
        cmocka_unit_test(three_sleeps_are_three_voluntary_switches),
        cmocka_unit_test(measures_the_thread_that_stands_at_the_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
