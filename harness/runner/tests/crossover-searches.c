/* SPDX-License-Identifier: Apache-2.0 */
/* Searches for crossovers with a worker that is a shell script: found, out of reach, stopped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run-rig.h"

/* A time of n on the main thread, of 1000 + n/2 on another: the same at 2000. */
static void search_crossover(struct rig *rig, int from, int to)
{
    rig_set_worker(rig, "n=${1#*n=}; n=${n%% *}; t=$n\n"
                        "case $1 in *caller=worker*) t=$((1000 + n / 2));; esac\n"
                        "echo \"window 1 $t 1\" >&3; echo 'outcome ok ' >&3\n");
    rig_set_scenario(rig, "kernel = dgemm\nn = 100\nuplo = L, U", "time");
    size_t used = strlen(rig->text) - strlen("[expect]\nkernel=null : malloc-calls = 2\n");
    snprintf(rig->text + used, sizeof rig->text - used,
             "[crossover]\nsearch = n\nfrom = %d\nto = %d\ncompare = caller\n"
             "levels = main, worker\npredictor = worker\npredicted = threads\n",
             from, to);
    fl_scenario_release(&rig->scenario);
    int rc =
        fl_scenario_read("rig.ini", rig->text, strlen(rig->text), false, &rig->scenario, &rig->err);
    if (rc)
        fail_msg("%s", rig->err.text);
}

/* Greatest size at which the main thread was found faster, or least at which the other was. */
static long long nearest_size(struct rig *rig, bool below)
{
    return rig_sql(rig, below ? "SELECT max(CAST(level AS INTEGER)) FROM cell_factor WHERE "
                                "factor = 'n' AND CAST(level AS INTEGER) < 2000"
                              : "SELECT min(CAST(level AS INTEGER)) FROM cell_factor WHERE "
                                "factor = 'n' AND CAST(level AS INTEGER) > 2000");
}

static void a_crossover_is_found_by_halving(void **state)
{
    struct rig *rig = *state;
    search_crossover(rig, 500, 9000);
    assert_int_equal(rig_run(rig, false), 0);
    long long below = nearest_size(rig, true), above = nearest_size(rig, false);
    assert_in_range(below, 1890, 2000);
    assert_in_range(above, 2000, 2110);
    /* 60 steps are halved six times; two ends, and the planned cell with its counting rounds. */
    assert_in_range(
        rig_sql(rig, "SELECT count(DISTINCT level) FROM cell_factor WHERE factor = 'n'"), 8, 9);
    assert_int_equal(rig_sql(rig, "SELECT count(*) FROM sample WHERE mode = 'counted'"), 2);
    assert_int_equal(rig->done, rig->total);
    assert_false(rig->beyond);
}

static void a_crossover_out_of_reach_takes_the_ends_only(void **state)
{
    struct rig *rig = *state;
    search_crossover(rig, 2500, 9000);
    assert_int_equal(rig_run(rig, false), 0);
    assert_int_equal(
        rig_sql(rig, "SELECT count(DISTINCT level) FROM cell_factor WHERE factor = 'n'"),
        2); /* 100 as planned, 2500 */
    search_crossover(rig, 500, 1500);
    assert_int_equal(rig_run(rig, false), 0);
    assert_int_equal(rig_sql(rig,
                             "SELECT count(DISTINCT level) FROM run_cell JOIN cell_factor USING "
                             "(cell) WHERE factor = 'n' AND run = 2"),
                     3);
}

static void a_search_that_was_stopped_goes_on(void **state)
{
    struct rig *rig = *state;
    search_crossover(rig, 500, 9000);
    assert_int_equal(rig_run(rig, false), 0);
    size_t whole = rig->result.samples;
    rig->stop_at = whole / 2;
    assert_int_equal(rig_run(rig, false), 0);
    assert_true(rig->result.interrupted);
    rig->stop_at = 0;
    assert_int_equal(rig_run(rig, true), 0);
    assert_int_equal(rig->result.samples + whole / 2, whole);
    assert_int_equal(rig_sql(rig, "SELECT count(*) FROM run_cell WHERE run = 1"),
                     rig_sql(rig, "SELECT count(*) FROM run_cell WHERE run = 2"));
    assert_int_equal(rig_sql(rig, "SELECT count(*) FROM sample WHERE run = 1"),
                     rig_sql(rig, "SELECT count(*) FROM sample WHERE run = 2"));
}

static void a_search_ends_where_a_level_cannot_be_timed(void **state)
{
    struct rig *rig = *state;
    search_crossover(rig, 500, 9000);
    rig_set_worker(rig, "case $1 in *caller=worker*) exit 1;; esac\n"
                        "echo 'window 1 5 1' >&3; echo 'outcome ok ' >&3\n");
    assert_int_equal(rig_run(rig, false), 0);
    assert_int_equal(
        rig_sql(rig, "SELECT count(DISTINCT level) FROM cell_factor WHERE factor = 'n'"), 2);
    assert_true(rig->result.failed > 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, rig_set_up, rig_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_crossover_is_found_by_halving),
        TEST(a_crossover_out_of_reach_takes_the_ends_only),
        TEST(a_search_that_was_stopped_goes_on),
        TEST(a_search_ends_where_a_level_cannot_be_timed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
