/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The edges of the window: with every counter open at once, in any order and on any thread, an
 * empty window reads 0 everywhere. What start() and stop() do themselves is in no total.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "counter-rig.h"
#include "preload-rig.h"

/* Every counter first, with every other step through the rest: COUNTERS is a prime. */
enum { COUNTERS = 5, ORDERS = COUNTERS * (COUNTERS - 1), WINDOWS = 5 };

static const struct {
    const struct fl_counter_ops *ops;
    const char *wanted;
} counters[COUNTERS] = {
    {&fl_counter_rusage, "minor-faults major-faults voluntary-switches process-minor-faults "
                         "process-major-faults process-voluntary-switches"},
    {&fl_counter_workspace, "rss-growth-bytes"},
    {&fl_counter_perf, "perf:minor-faults perf:page-faults perf:context-switches"},
    {&fl_counter_syscalls, "brk-calls mmap-calls munmap-calls madvise-calls futex-calls"},
    {&fl_counter_probe, "pthread-mutex-locks pthread-mutex-contended pthread-mutex-wait "
                        "malloc-calls free-calls malloc-bytes"},
};

struct rigs {
    struct rig rig[COUNTERS];
    int order[COUNTERS];
};

/* As the worker does: started one way, stopped the other. */
static void empty_window(struct rigs *rigs)
{
    for (int i = 0; i < COUNTERS; i++)
        counters[rigs->order[i]].ops->start(rigs->rig[rigs->order[i]].state);
    for (int i = COUNTERS; i-- > 0;)
        counters[rigs->order[i]].ops->stop(rigs->rig[rigs->order[i]].state);
}

static void open_all(struct rigs *rigs, unsigned seed)
{
    for (int i = 0; i < COUNTERS; i++)
        rigs->order[i] = (i * (1 + (int)seed / COUNTERS) + (int)seed) % COUNTERS;
    for (int i = 0; i < COUNTERS; i++) {
        int c = rigs->order[i];
        rig_open(&rigs->rig[c], counters[c].ops, counters[c].wanted);
        if (rigs->rig[c].rc)
            abort();
    }
    empty_window(rigs); /* the rehearsal, see start() in counter.h */
}

/* Preemption is no doing of the counters, and it can interrupt the edges. */
static bool may_be_noisy(const char *metric)
{
    return !strcmp(metric, "perf:context-switches");
}

static int nonzero(struct rigs *rigs, int *readings)
{
    int bad = 0;
    for (int c = 0; c < COUNTERS; c++)
        for (const char *const *name = rigs->rig[c].wanted; *name; name++) {
            struct fl_reading reading = rig_read(&rigs->rig[c], *name);
            if (reading.state != FL_READING_OK || may_be_noisy(*name))
                continue;
            ++*readings;
            if (reading.total) {
                fprintf(stderr, "%s: %lld\n", *name, (long long)reading.total);
                bad++;
            }
        }
    return bad;
}

static int check_windows(void *arg)
{
    int readings = 0, bad = 0;
    for (unsigned seed = 0; seed < ORDERS; seed++) {
        struct rigs rigs;
        open_all(&rigs, seed);
        for (int i = 0; i < WINDOWS; i++) {
            empty_window(&rigs);
            bad += nonzero(&rigs, &readings);
        }
        for (int c = 0; c < COUNTERS; c++)
            rig_close(&rigs.rig[c]);
    }
    int *expected = arg;
    if (readings < *expected)
        fprintf(stderr, "%d readings, expected %d\n", readings, *expected);
    return bad || readings < *expected;
}

/* getrusage alone is always there; the probe is, because this program runs under it. */
static int least_readings = ORDERS * WINDOWS * 12;

static int by_tracepoints(void *arg)
{
    setenv("FAULTLINE_SYSCALLS", "tracepoint", 1);
    return check_windows(arg);
}

/* A process has one tracer, so one opening: its first window is the one that would show. */
static int by_ptrace(void *arg)
{
    (void)arg;
    setenv("FAULTLINE_SYSCALLS", "ptrace", 1);
    struct rigs rigs;
    int readings = 0;
    open_all(&rigs, 0);
    empty_window(&rigs);
    return nonzero(&rigs, &readings) || readings < 12;
}

struct second {
    int (*check)(void *);
    int bad;
};

/* Until then the main thread may call, fault or go to sleep in our windows. */
static void wait_until_main_thread_sleeps(void)
{
    char path[64], text[256], state = 0;
    snprintf(path, sizeof(path), "/proc/self/task/%d/stat", getpid());
    while (state != 'S') {
        FILE *file = fopen(path, "r");
        if (file && fgets(text, sizeof(text), file) && strrchr(text, ')'))
            state = strrchr(text, ')')[2];
        if (file)
            fclose(file);
    }
}

static void *in_thread(void *arg)
{
    struct second *second = arg;
    wait_until_main_thread_sleeps();
    second->bad = second->check(&least_readings);
    return NULL;
}

static int on_a_second_thread(void *arg)
{
    pthread_t thread;
    struct second second = {.check = *(int (**)(void *))arg};
    pthread_create(&thread, NULL, in_thread, &second);
    pthread_join(thread, NULL);
    return second.bad;
}

static void reads_zero_by_tracepoints(void **unused)
{
    (void)unused;
    assert_int_equal(rig_child(by_tracepoints, &least_readings, false), 0);
}

static void reads_zero_by_ptrace(void **unused)
{
    (void)unused;
    assert_int_equal(rig_child(by_ptrace, &least_readings, false), 0);
    assert_int_equal(rig_child(by_ptrace, &least_readings, true), 0);
}

static void reads_zero_on_a_second_thread(void **unused)
{
    (void)unused;
    int (*way)(void *) = by_tracepoints;
    assert_int_equal(rig_child(on_a_second_thread, &way, false), 0);
    way = by_ptrace;
    assert_int_equal(rig_child(on_a_second_thread, &way, false), 0);
}

int main(int argc, char **argv)
{
    (void)argc;
    int rc = preload_probe(argv);
    if (rc)
        return rc;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_zero_by_tracepoints),
        cmocka_unit_test(reads_zero_by_ptrace),
        cmocka_unit_test(reads_zero_on_a_second_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
