/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Teams of an OpenMP runtime: its own barrier and ours inside its regions. The runtime is not
 * instrumented for the thread sanitizer, which would report its joins as races: not run there.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "faultline/registry.h"

enum { THREADS = 3, REGIONS = 10 };

struct rig {
    struct fl_arena arena;
    struct fl_facts facts;
    struct fl_team team;
    struct fl_err err;
    unsigned entered[THREADS], missed[THREADS];
    bool fails;
};

static int open_team(struct rig *rig, const char *team, const char *barrier, const char *wait)
{
    memset(rig, 0, sizeof *rig);
    const struct fl_team_plan plan = {
        .threads = THREADS,
        .barrier = fl_registry_counting_barrier(barrier),
        .wait = fl_registry_wait(wait),
        .barrier_options = "",
        .wait_options = "",
        .counting = true,
        .arena = &rig->arena,
        .facts = &rig->facts,
    };
    int rc = fl_team_open(&rig->team, fl_registry_team(team), &plan, &rig->err);
    if (rc == -ENOTSUP) {
        print_message("%s\n", rig->err.text);
        skip();
    }
    return rc;
}

static int meet(void *arg, unsigned thread)
{
    struct rig *rig = arg;
    rig->entered[thread]++;
    fl_team_barrier(&rig->team, thread);
    for (unsigned i = 0; i < THREADS; i++)
        rig->missed[thread] += rig->entered[i] != rig->entered[thread];
    fl_team_barrier(&rig->team, thread);
    return rig->fails && thread == THREADS - 1 ? -EDOM : 0;
}

static void check(const char *barrier, const char *wait)
{
    static struct rig rig;
    assert_int_equal(open_team(&rig, "openmp", barrier, wait), 0);
    assert_non_null(strstr(fl_facts_get(&rig.facts, "openmp-runtime"), "omp"));
    for (int i = 0; i < REGIONS; i++)
        assert_int_equal(fl_team_run(&rig.team, meet, &rig), 0);
    rig.fails = true;
    assert_int_equal(fl_team_run(&rig.team, meet, &rig), -EDOM);
    fl_team_collect(&rig.team);
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(rig.entered[i], REGIONS + 1);
        assert_int_equal(rig.missed[i], 0);
        assert_int_equal(rig.team.collected[i].phases, 2 * (REGIONS + 1));
    }
    fl_team_close(&rig.team);
    fl_arena_release(&rig.arena);
}

static void its_own_barrier_is_met(void **state)
{
    (void)state;
    check("openmp", "runtime");
}

static void barriers_of_ours_are_met_in_its_regions(void **state)
{
    (void)state;
    check("ggml-fixed", "futex");
    check("grouped", "spin-futex");
}

static void its_barrier_is_for_its_threads_only(void **state)
{
    static struct rig rig;
    (void)state;
    assert_int_equal(open_team(&rig, "persistent", "openmp", "runtime"), -EINVAL);
    assert_non_null(strstr(rig.err.text, "team=openmp"));
    fl_arena_release(&rig.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_own_barrier_is_met),
        cmocka_unit_test(barriers_of_ours_are_met_in_its_regions),
        cmocka_unit_test(its_barrier_is_for_its_threads_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
