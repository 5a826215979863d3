/* SPDX-License-Identifier: Apache-2.0 */
/* Teams: every thread takes part once in each region, failures come back, and nothing hangs. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "faultline/registry.h"

extern const struct fl_team_ops fl_team_template;

enum { THREADS_MAX = 64, REGIONS = 20 };

/* Threads that may still be created, where the linker wraps pthread_create; negative: all. */
static int creations_left = -1;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *arg);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *arg)
{
    if (!creations_left)
        return EAGAIN;
    creations_left -= creations_left > 0;
    return __real_pthread_create(thread, attributes, start, arg);
}

struct rig {
    struct fl_arena arena;
    struct fl_facts facts;
    struct fl_team team;
    struct fl_team_plan plan;
    const struct fl_team_ops *ops;
    struct fl_err err;
    /* By thread; plain, since the fork and the join order them. */
    unsigned entered[THREADS_MAX], first_half[THREADS_MAX], missed[THREADS_MAX];
    cpu_set_t masks[THREADS_MAX];
    unsigned fails; /* thread whose body fails; THREADS_MAX: none */
};

static void plan(struct rig *rig, const struct fl_team_ops *ops, const char *barrier,
                 const char *wait, unsigned threads)
{
    memset(rig, 0, sizeof *rig);
    rig->ops = ops;
    rig->fails = THREADS_MAX;
    rig->plan = (struct fl_team_plan){
        .threads = threads,
        .barrier = fl_registry_counting_barrier(barrier),
        .wait = fl_registry_wait(wait),
        .barrier_options = "",
        .wait_options = fl_registry_options(wait),
        .arena = &rig->arena,
        .facts = &rig->facts,
    };
}

static void open_team(struct rig *rig)
{
    if (fl_team_open(&rig->team, rig->ops, &rig->plan, &rig->err))
        fail_msg("%s", rig->err.text);
}

static void close_team(struct rig *rig)
{
    fl_team_close(&rig->team);
    fl_arena_release(&rig->arena);
}

/* The barrier in the middle orders one half before the other, for every pair of threads. */
static int both_halves(void *arg, unsigned thread)
{
    struct rig *rig = arg;
    rig->first_half[thread]++;
    fl_team_barrier(&rig->team, thread);
    for (unsigned i = 0; i < rig->team.threads; i++)
        rig->missed[thread] += rig->first_half[i] != rig->first_half[thread];
    rig->entered[thread]++;
    return thread == rig->fails ? -EDOM : 0;
}

static void run_regions(struct rig *rig, int count)
{
    unsigned before = rig->entered[0];
    for (int i = 0; i < count; i++)
        assert_int_equal(fl_team_run(&rig->team, both_halves, rig), 0);
    for (unsigned i = 0; i < rig->team.threads; i++) {
        assert_int_equal(rig->entered[i] - before, count);
        assert_int_equal(rig->missed[i], 0);
    }
}

static void check_team(const struct fl_team_ops *ops, const char *barrier, const char *wait,
                       unsigned threads, int regions)
{
    static struct rig rig;
    plan(&rig, ops, barrier, wait, threads);
    open_team(&rig);
    run_regions(&rig, regions);
    close_team(&rig);
}

static unsigned processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

/* Does the policy run here, for a team of so many threads, without a time slice per phase? */
static bool usable(const struct fl_wait_ops *wait, unsigned threads)
{
    const char *name = wait->part.name;
    bool gives_way = !strcmp(name, "futex") || !strcmp(name, "spin-futex") ||
                     !strcmp(name, "mutex-cond") || !strcmp(name, "spin-yield");
    if (!strcmp(name, "null") || wait->runtime || fl_part_probe(&wait->part, NULL))
        return false;
    return gives_way || threads <= processors();
}

static void every_barrier_and_policy_makes_a_team(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 5; threads += threads == 1 ? 1 : 3)
        for (const struct fl_barrier_ops *const *b = fl_registry_barriers(); *b; b++)
            for (const struct fl_wait_ops *const *w = fl_registry_waits(); *w; w++)
                if (!(*b)->own_wait && strcmp((*b)->part.name, "null") && usable(*w, threads))
                    check_team(fl_registry_team("persistent"), (*b)->part.name, (*w)->part.name,
                               threads, REGIONS);
}

static void a_barrier_that_waits_by_itself_forks_too(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads++)
        check_team(fl_registry_team("persistent"), "pthread", "runtime", threads, REGIONS);
}

static void a_team_may_be_much_larger_than_the_machine(void **state)
{
    (void)state;
    check_team(fl_registry_team("persistent"), "grouped", "futex", THREADS_MAX, 3);
    check_team(fl_registry_team("persistent"), "dissemination", "spin-futex", THREADS_MAX, 3);
}

static void the_template_is_a_team(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads++)
        check_team(&fl_team_template, "central", "futex", threads, REGIONS);
}

static void the_null_team_is_the_caller(void **state)
{
    static struct rig rig;
    (void)state;
    check_team(fl_registry_team("null"), "central", "spin", 1, REGIONS);
    plan(&rig, fl_registry_team("null"), "central", "spin", 2);
    assert_int_equal(fl_team_open(&rig.team, rig.ops, &rig.plan, &rig.err), -EINVAL);
    assert_non_null(strstr(rig.err.text, "threads=1"));
    fl_arena_release(&rig.arena);
}

static void a_failure_comes_back_once(void **state)
{
    static struct rig rig;
    (void)state;
    const struct fl_team_ops *kinds[] = {fl_registry_team("persistent"), &fl_team_template};
    for (size_t k = 0; k < 2; k++)
        for (unsigned thread = 0; thread < 3; thread++) {
            plan(&rig, kinds[k], "central", "futex", 3);
            open_team(&rig);
            rig.fails = thread;
            assert_int_equal(fl_team_run(&rig.team, both_halves, &rig), -EDOM);
            rig.fails = THREADS_MAX;
            run_regions(&rig, 3);
            close_team(&rig);
        }
}

/* ---- threads that cannot be had ---- */

static void a_thread_that_cannot_be_created_is_named(void **state)
{
    static struct rig rig;
    static const char *const pairs[][2] = {{"pthread", "runtime"}, {"grouped", "futex"}};
    (void)state;
    for (size_t i = 0; i < 2; i++)
        for (int before = 0; before < 3; before++) {
            plan(&rig, fl_registry_team("persistent"), pairs[i][0], pairs[i][1], 4);
            creations_left = before;
            int rc = fl_team_open(&rig.team, rig.ops, &rig.plan, &rig.err);
            creations_left = -1;
            assert_int_equal(rc, -EAGAIN);
            assert_non_null(strstr(rig.err.text, "of 4"));
            assert_non_null(strstr(rig.err.text, "pids.max"));
            fl_arena_release(&rig.arena);
        }
}

static int note_mask(void *arg, unsigned thread)
{
    struct rig *rig = arg;
    return sched_getaffinity(0, sizeof rig->masks[thread], &rig->masks[thread]);
}

static void threads_stand_where_they_are_told(void **state)
{
    static struct rig rig;
    cpu_set_t mine, after;
    unsigned cpus[3] = {0}, found = 0;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof mine, &mine), 0);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++)
        if (CPU_ISSET(cpu, &mine))
            cpus[found++] = cpu;
    cpus[2] = cpus[0];
    if (found < 2)
        cpus[1] = cpus[0];
    plan(&rig, fl_registry_team("persistent"), "central", "futex", 3);
    rig.plan.cpus = cpus;
    open_team(&rig);
    assert_int_equal(fl_team_run(&rig.team, note_mask, &rig), 0);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(CPU_COUNT(&rig.masks[i]), 1);
        assert_true(CPU_ISSET(cpus[i], &rig.masks[i]));
    }
    close_team(&rig);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&mine, &after)); /* the caller is free again */
}

static void a_refused_processor_is_named_with_the_cure(void **state)
{
    static struct rig rig;
    unsigned cpus[2] = {0, 1000}; /* no machine of ours */
    cpu_set_t mine;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof mine, &mine), 0);
    while (!CPU_ISSET(cpus[0], &mine))
        cpus[0]++;
    for (int swapped = 0; swapped < 2; swapped++) {
        plan(&rig, fl_registry_team("persistent"), "central", "futex", 2);
        rig.plan.cpus = (unsigned[]){cpus[swapped], cpus[!swapped]};
        assert_int_equal(fl_team_open(&rig.team, rig.ops, &rig.plan, &rig.err), -EINVAL);
        assert_non_null(strstr(rig.err.text, "processor 1000"));
        assert_non_null(strstr(rig.err.text, "pin=none"));
        fl_arena_release(&rig.arena);
    }
}

static void sizes_out_of_range_are_refused(void **state)
{
    static struct rig rig;
    static const unsigned sizes[] = {0, FL_TEAM_THREADS_MAX + 1};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        plan(&rig, fl_registry_team("persistent"), "central", "futex", sizes[i]);
        assert_int_equal(fl_team_open(&rig.team, rig.ops, &rig.plan, &rig.err), -EINVAL);
        assert_non_null(strstr(rig.err.text, "1 to 256"));
        fl_arena_release(&rig.arena);
    }
}

/* ---- statistics ---- */

static void statistics_count_phases_of_both_kinds(void **state)
{
    static struct rig rig;
    enum { THREADS = 3 };
    (void)state;
    plan(&rig, fl_registry_team("persistent"), "ggml-packed", "futex", THREADS);
    rig.plan.counting = true;
    open_team(&rig);
    run_regions(&rig, 5);
    fl_team_reset(&rig.team);
    run_regions(&rig, REGIONS);
    fl_team_collect(&rig.team);
    uint64_t rmws = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        const struct fl_team_stat *stat = &rig.team.collected[i];
        assert_int_equal(stat->phases, 2 * REGIONS); /* one in the body, one join */
        assert_true(stat->region_ns >= stat->barrier_ns);
        rmws += stat->wait.rmws;
    }
    assert_int_equal(rmws, 2 * REGIONS * 2 * THREADS); /* 2T a phase */
    close_team(&rig);
}

static void timed_teams_keep_no_statistics(void **state)
{
    static struct rig rig;
    (void)state;
    plan(&rig, fl_registry_team("persistent"), "central", "futex", 2);
    open_team(&rig);
    assert_null(rig.team.stats);
    fl_team_collect(&rig.team); /* nothing to collect, and no mistake */
    close_team(&rig);
}

static void parts_of_a_split_differ_by_one_at_most(void **state)
{
    (void)state;
    for (size_t count = 0; count < 40; count++)
        for (unsigned threads = 1; threads < 12; threads++) {
            size_t next = 0;
            for (unsigned i = 0; i < threads; i++) {
                size_t begin, end;
                fl_team_split(count, i, threads, &begin, &end);
                assert_int_equal(begin, next);
                assert_true(end - begin == count / threads || end - begin == count / threads + 1);
                next = end;
            }
            assert_int_equal(next, count);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_barrier_and_policy_makes_a_team),
        cmocka_unit_test(a_barrier_that_waits_by_itself_forks_too),
        cmocka_unit_test(a_team_may_be_much_larger_than_the_machine),
        cmocka_unit_test(the_template_is_a_team),
        cmocka_unit_test(the_null_team_is_the_caller),
        cmocka_unit_test(a_failure_comes_back_once),
        cmocka_unit_test(a_thread_that_cannot_be_created_is_named),
        cmocka_unit_test(threads_stand_where_they_are_told),
        cmocka_unit_test(a_refused_processor_is_named_with_the_cure),
        cmocka_unit_test(sizes_out_of_range_are_refused),
        cmocka_unit_test(statistics_count_phases_of_both_kinds),
        cmocka_unit_test(timed_teams_keep_no_statistics),
        cmocka_unit_test(parts_of_a_split_differ_by_one_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
