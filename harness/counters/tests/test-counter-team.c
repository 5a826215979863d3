/* SPDX-License-Identifier: Apache-2.0 */
/* The counter of teams, around regions whose barriers and work are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "faultline/registry.h"

enum { THREADS = 3, REGIONS = 7, PHASES = 4 };

#define WANTED                                                                                     \
    "barrier-time", "barrier-share", "rmws-per-phase", "sleeps", "wake-ups", "imbalance",          \
        "cpu-per-wall", NULL

struct rig {
    struct fl_arena arena;
    struct fl_team team;
    const struct fl_counter_ops *ops;
    void *state;
    struct fl_err err;
    double slow_seconds; /* of thread 0 in each region, for imbalance */
};

static void open_rig_of(struct rig *rig, const struct fl_team_ops *team, unsigned threads,
                        const char *barrier, const char *wait)
{
    static const char *const wanted[] = {WANTED};
    memset(rig, 0, sizeof *rig);
    const struct fl_team_plan plan = {
        .threads = threads,
        .barrier = barrier ? fl_registry_counting_barrier(barrier) : NULL,
        .wait = wait ? fl_registry_wait(wait) : NULL,
        .barrier_options = "",
        .wait_options = "",
        .counting = true,
        .arena = &rig->arena,
    };
    if (barrier && fl_team_open(&rig->team, team, &plan, &rig->err))
        fail_msg("%s", rig->err.text);
    rig->ops = fl_registry_counter("team");
    rig->state = fl_arena_alloc(&rig->arena, rig->ops->part.state_size, 64);
    const struct fl_counter_env env = {.wanted = wanted, .team = barrier ? &rig->team : NULL};
    assert_int_equal(rig->ops->open(rig->state, &env, &rig->err), 0);
}

static void open_rig(struct rig *rig, const char *barrier, const char *wait)
{
    open_rig_of(rig, fl_registry_team("persistent"), THREADS, barrier, wait);
}

static void close_rig(struct rig *rig)
{
    rig->ops->close(rig->state);
    if (rig->team.ops)
        fl_team_close(&rig->team);
    fl_arena_release(&rig->arena);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int work(void *arg, unsigned thread)
{
    struct rig *rig = arg;
    double end = now() + (thread ? 0 : rig->slow_seconds);
    while (now() < end)
        ;
    for (int i = 0; i < PHASES; i++)
        fl_team_barrier(&rig->team, thread);
    return 0;
}

static void window(struct rig *rig)
{
    assert_int_equal(fl_team_run(&rig->team, work, rig), 0); /* not in the window */
    rig->ops->start(rig->state);
    for (int i = 0; i < REGIONS; i++)
        assert_int_equal(fl_team_run(&rig->team, work, rig), 0);
    rig->ops->stop(rig->state);
}

static struct fl_reading read_metric(struct rig *rig, const char *metric)
{
    struct fl_reading reading = {.scale = 1};
    rig->ops->read(rig->state, metric, &reading);
    return reading;
}

static void read_modify_writes_are_those_of_a_phase(void **state)
{
    static const struct {
        const char *barrier;
        double rmws;
    } expected[] = {
        {"ggml-packed", 2 * THREADS}, {"ggml-fixed", THREADS + 1}, {"dissemination", 0}};
    static struct rig rig;
    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        open_rig(&rig, expected[i].barrier, "futex");
        window(&rig);
        struct fl_reading reading = read_metric(&rig, "rmws-per-phase");
        assert_int_equal(reading.state, FL_READING_OK);
        assert_true(reading.ratio == expected[i].rmws);
        close_rig(&rig);
    }
}

static void threads_that_sleep_are_seen(void **state)
{
    static struct rig rig;
    (void)state;
    open_rig(&rig, "central", "futex");
    rig.slow_seconds = 2e-3;
    window(&rig);
    assert_true(read_metric(&rig, "sleeps").total >= REGIONS); /* somebody, in each region */
    assert_true(read_metric(&rig, "wake-ups").total >= REGIONS);
    assert_true(read_metric(&rig, "barrier-time").total > 0);
    close_rig(&rig);
}

/* Thread 0 works alone: the others' time is all at barriers, and its own is T times the mean. */
static void one_busy_thread_is_an_imbalance(void **state)
{
    static struct rig rig;
    (void)state;
    open_rig(&rig, "central", "futex");
    rig.slow_seconds = 5e-3;
    window(&rig);
    double share = read_metric(&rig, "barrier-share").ratio;
    double imbalance = read_metric(&rig, "imbalance").ratio;
    assert_true(share > 40 && share < 100);
    assert_true(imbalance > 100 && imbalance <= 100 * (THREADS - 1));
    double cpu = read_metric(&rig, "cpu-per-wall").ratio;
    assert_true(cpu > 0 && cpu < THREADS + 0.5);
    close_rig(&rig);
}

/*
 * Windows of a millisecond, shorter than the kernel's tick: two threads that spin are never more
 * than two processors, where what is booked at a tick would make several of every fourth. A few
 * exceptions: the caller may lose its processor between two clocks.
 */
static void short_windows_have_their_own_processor_time(void **state)
{
    enum { WINDOWS = 200 };
    static struct rig rig;
    int beyond = 0;
    (void)state;
    open_rig_of(&rig, fl_registry_team("persistent"), 2, "central", "spin");
    rig.slow_seconds = 1e-3;
    for (int i = 0; i < WINDOWS; i++) {
        rig.ops->start(rig.state);
        assert_int_equal(fl_team_run(&rig.team, work, &rig), 0);
        rig.ops->stop(rig.state);
        double cpu = read_metric(&rig, "cpu-per-wall").ratio;
        assert_true(cpu > 0);
        beyond += cpu > 2.2;
    }
    assert_in_range(beyond, 0, WINDOWS / 20);
    close_rig(&rig);
}

static void what_others_wait_by_is_not_observable(void **state)
{
    static const char *const metrics[] = {"rmws-per-phase", "sleeps", "wake-ups"};
    static struct rig rig;
    (void)state;
    open_rig(&rig, "pthread", "runtime");
    window(&rig);
    for (size_t i = 0; i < 3; i++) {
        struct fl_reading reading = read_metric(&rig, metrics[i]);
        assert_int_equal(reading.state, FL_READING_NOT_OBSERVABLE);
        assert_non_null(reading.reason);
    }
    assert_int_equal(read_metric(&rig, "barrier-share").state, FL_READING_OK);
    close_rig(&rig);
}

static int idle(void *arg, unsigned thread)
{
    (void)arg, (void)thread;
    return 0;
}

/* Of a runtime that joins by itself the team's barrier sees nothing; that is not 0 ns. */
static void a_join_of_a_runtime_is_not_observable(void **state)
{
    static const char *const metrics[] = {"barrier-time", "barrier-share", "rmws-per-phase"};
    static struct rig rig;
    struct fl_team_ops runtime = *fl_registry_team("null");
    (void)state;
    runtime.openmp = true;
    for (int meets = 0; meets < 2; meets++) {
        open_rig_of(&rig, &runtime, 1, "central", "futex");
        rig.ops->start(rig.state);
        for (int i = 0; i < REGIONS; i++)
            assert_int_equal(fl_team_run(&rig.team, meets ? work : idle, &rig), 0);
        rig.ops->stop(rig.state);
        for (size_t i = 0; i < 3; i++)
            assert_int_equal(read_metric(&rig, metrics[i]).state,
                             meets ? FL_READING_OK : FL_READING_NOT_OBSERVABLE);
        close_rig(&rig);
    }
}

/* A rule may keep all calls to one thread: then there was no waiting, which can be said. */
static void a_window_without_regions_has_no_barrier_time(void **state)
{
    static struct rig rig;
    (void)state;
    open_rig(&rig, "central", "futex");
    rig.ops->start(rig.state);
    rig.ops->stop(rig.state);
    assert_int_equal(read_metric(&rig, "barrier-time").state, FL_READING_OK);
    assert_int_equal(read_metric(&rig, "barrier-time").total, 0);
    assert_int_equal(read_metric(&rig, "barrier-share").state, FL_READING_NOT_OBSERVABLE);
    close_rig(&rig);
}

static void a_kernel_without_a_team_has_no_statistics(void **state)
{
    static const char *const metrics[] = {WANTED};
    static struct rig rig;
    (void)state;
    open_rig(&rig, NULL, NULL);
    rig.ops->start(rig.state);
    rig.ops->stop(rig.state);
    for (size_t i = 0; metrics[i]; i++)
        if (strcmp(metrics[i], "cpu-per-wall") != 0)
            assert_int_equal(read_metric(&rig, metrics[i]).state, FL_READING_NOT_OBSERVABLE);
    assert_int_equal(read_metric(&rig, "cpu-per-wall").state, FL_READING_OK);
    close_rig(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_modify_writes_are_those_of_a_phase),
        cmocka_unit_test(threads_that_sleep_are_seen),
        cmocka_unit_test(one_busy_thread_is_an_imbalance),
        cmocka_unit_test(short_windows_have_their_own_processor_time),
        cmocka_unit_test(what_others_wait_by_is_not_observable),
        cmocka_unit_test(a_join_of_a_runtime_is_not_observable),
        cmocka_unit_test(a_window_without_regions_has_no_barrier_time),
        cmocka_unit_test(a_kernel_without_a_team_has_no_statistics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
