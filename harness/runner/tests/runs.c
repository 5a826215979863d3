/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs with a worker that is a shell script: what is stored, counted and told when workers fail,
 * parts go away, and a run is resumed.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "run-rig.h"

static void the_total_leaves_out_cells_that_cannot_run(void **state)
{
    struct rig *rig = *state;
    rig_set_scenario(rig, "kernel = null, blas:dgemm_\nlibrary = faultline, gone\nn = 8, 16, 24",
                     "time");
    assert_int_equal(fl_scenario_set(&rig->scenario, "kernel", "blas:dgemm_", &rig->err), 0);
    rig_make_library(rig);
    assert_int_equal(fl_scenario_set(&rig->scenario, "library", "mine, gone", &rig->err), 0);
    assert_int_equal(rig_run(rig, false), 0);
    assert_int_equal(rig->result.cells, 6);
    assert_int_equal(rig->result.unavailable, 3);
    assert_int_equal(rig->first_total, 3 * 4);
    assert_int_equal(rig->total, 3 * 4);
    assert_int_equal(rig->done, 3 * 4);
    assert_false(rig->beyond);
}

static void the_total_leaves_out_what_was_given_up(void **state)
{
    struct rig *rig = *state;
    rig_set_worker(
        rig, "case $1 in *requests=64*) echo 'outcome unavailable no' >&3; exit;; esac\n" GOOD);
    assert_int_equal(rig_run(rig, false), 0);
    assert_int_equal(rig->first_total, 8);
    assert_int_equal(rig->total, 5);
    assert_int_equal(rig->done, 5);
    assert_int_equal(rig->result.unavailable, 1);
    assert_false(rig->beyond);
}

static void what_goes_away_is_an_outcome(void **state)
{
    struct rig *rig = *state;
    rig_set_scenario(rig, "kernel = blas:dgemm_\nlibrary = mine\nn = 8", "time");
    rig_make_library(rig);
    rig->remove = rig->library;
    assert_int_equal(rig_run(rig, false), 0);
    assert_int_equal(rig->result.samples, 2);
    assert_int_equal(rig_sql(rig, "SELECT count(*) FROM sample WHERE outcome = 'unavailable'"), 1);
    assert_int_equal(rig_sql(rig, "SELECT status = 'finished' FROM run"), 1);
}

static void a_bad_status_behind_an_outcome_is_a_crash(void **state)
{
    struct rig *rig = *state;
    rig_set_worker(rig, GOOD "exit 3\n");
    assert_int_equal(rig_run(rig, false), 0);
    assert_int_equal(rig_sql(rig, "SELECT count(*) FROM sample WHERE outcome = 'crashed'"), 8);
    assert_int_equal(rig->result.failed, 8);
}

static void a_worker_cannot_end_the_run_with_what_it_says(void **state)
{
    struct rig *rig = *state;
    rig_set_worker(rig,
                   "echo 'metric time ok 1 1' >&3; echo 'metric malloc-calls ok 1 nan' >&3\n" GOOD);
    assert_int_equal(rig_run(rig, false), 0);
    assert_int_equal(rig_sql(rig, "SELECT count(*) FROM sample WHERE outcome = 'ok'"), 8);
    assert_int_equal(
        rig_sql(rig, "SELECT count(*) FROM v_value WHERE name = 'time' AND value = 200"), 4);
    assert_int_equal(rig_sql(rig, "SELECT count(*) FROM v_value WHERE name = 'malloc-calls' "
                                  "AND state = 'unavailable' AND reason LIKE '%nan%'"),
                     8);
}

static void a_window_is_not_held_against_the_worker(void **state)
{
    struct rig *rig = *state;
    rig_set_scenario(rig, "kernel = null", "time, malloc-calls");
    assert_int_equal(fl_scenario_set(&rig->scenario, "timeout", "1s", &rig->err), 0);
    assert_int_equal(fl_scenario_set(&rig->scenario, "window", "5s", &rig->err), 0);
    rig_set_worker(rig, "case $2 in *=time) sleep 1.5;; esac\n" GOOD);
    assert_int_equal(rig_run(rig, false), 0);
    assert_int_equal(rig->result.failed, 0);
}

/* Pauses are longer than the time-out, in counting samples and in timed ones. */
static void a_gap_is_not_held_against_the_worker(void **state)
{
    struct rig *rig = *state;
    rig_set_scenario(rig, "kernel = null-region\ngap = 200ms", "time, malloc-calls");
    assert_int_equal(fl_scenario_set(&rig->scenario, "timeout", "1s", &rig->err), 0);
    rig_set_worker(rig, "sleep 1.3\n" GOOD);
    assert_int_equal(rig_run(rig, false), 0);
    assert_int_equal(rig->result.failed, 0);
    rig_set_scenario(rig, "kernel = null-region", "time, malloc-calls");
    assert_int_equal(fl_scenario_set(&rig->scenario, "timeout", "1s", &rig->err), 0);
    assert_int_equal(rig_run(rig, false), 0);
    assert_true(rig->result.failed > 0);
}

static void a_long_reason_is_stored_whole(void **state)
{
    struct rig *rig = *state;
    rig_set_scenario(rig, "kernel = null", "time, malloc-calls");
    rig_set_worker(rig, "printf 'metric malloc-calls unavailable %01000d\\n' 7 >&3\n"
                        "echo 'window 5 1000 5' >&3; echo 'outcome ok ' >&3\n");
    assert_int_equal(rig_run(rig, false), 0);
    assert_int_equal(
        rig_sql(rig, "SELECT min(length(reason)) FROM v_value WHERE state = 'unavailable'"), 1000);
}

static void exact_counts_take_two_that_came_through(void **state)
{
    struct rig *rig = *state;
    char body[256];
    snprintf(body, sizeof body,
             "case $2 in *=count) [ -e %s/once ] || { : >%s/once; exit 1; };; esac\n%s",
             rig->folder, rig->folder, GOOD);
    rig_set_worker(rig, body);
    assert_int_equal(rig_run(rig, false), 0);
    assert_int_equal(rig_sql(rig, "SELECT min(n) FROM (SELECT count(*) n FROM sample "
                                  "WHERE mode = 'counted' AND outcome = 'ok' GROUP BY cell)"),
                     2);
    assert_int_equal(rig_sql(rig, "SELECT count(*) FROM sample WHERE mode = 'counted'"), 5);
    assert_int_equal(rig->notes, 0);
}

static void counts_that_never_agree_are_told_and_not_counted_again(void **state)
{
    struct rig *rig = *state;
    rig_set_scenario(rig, "kernel = null", "time, malloc-calls");
    rig_set_worker(rig, "echo 'window 5 1000 5' >&3; echo \"metric malloc-calls ok $$ 1\" >&3\n"
                        "echo 'outcome ok ' >&3\n");
    rig->stop_at = 6; /* two rounds, three more, and the first timed one */
    assert_int_equal(rig_run(rig, false), 0);
    assert_int_equal(rig->notes, 1);
    rig->stop_at = 0;
    assert_int_equal(rig_run(rig, true), 0);
    assert_int_equal(rig->notes, 1);
    assert_int_equal(rig_sql(rig, "SELECT count(*) FROM sample WHERE mode = 'counted'"), 5);
    assert_int_equal(rig->total, 7);
    assert_int_equal(rig->done, 7);
}

/* An exact metric that is a ratio is no total, and has to agree all the same. */
static void exact_ratios_must_agree_too(void **state)
{
    static const char *const ratios[] = {"$$", "3"};
    struct rig *rig = *state;
    rig_set_scenario(rig, "kernel = null", "time, rmws-per-phase");
    for (size_t alike = 0; alike < 2; alike++) {
        char body[256];
        snprintf(body, sizeof body,
                 "echo 'window 5 1000 5' >&3; echo \"metric rmws-per-phase ratio %s\" >&3\n"
                 "echo 'outcome ok ' >&3\n",
                 ratios[alike]);
        rig_set_worker(rig, body);
        size_t before = (size_t)rig_sql(rig, "SELECT count(*) FROM sample WHERE mode = 'counted'");
        assert_int_equal(rig_run(rig, false), 0);
        assert_int_equal(rig_sql(rig, "SELECT count(*) FROM sample WHERE mode = 'counted'"),
                         before + (alike ? 2 : 5));
        assert_int_equal(rig->notes, !alike);
    }
}

static void a_resumed_run_remembers_its_failures(void **state)
{
    struct rig *rig = *state;
    rig_set_worker(rig, "exit 1\n");
    rig_interrupt(rig);
    assert_int_equal(rig->result.failed, 1);
    rig_set_worker(rig, GOOD);
    assert_int_equal(rig_run(rig, true), 0);
    assert_int_equal(rig->result.samples, 7 + 1); /* and one more count for the failed one */
    assert_int_equal(rig->result.failed, 1);
    assert_int_equal(rig->result.expectations, 2);
    assert_int_equal(rig->result.broken, 0);
}

/* One rule holds, one is broken, one is for another version and judges nothing. */
static void expectations_are_keyed_by_facts(void **state)
{
    struct rig *rig = *state;
    char text[1024];
    rig_set_worker(rig, "echo 'fact library-version 7' >&3\n" GOOD);
    snprintf(text, sizeof text,
             "[scenario]\nname = rig\n[factors]\nkernel = null\n[measure]\nsettle = 0\n"
             "window = 1ms\nrounds = 1\ncalls = 5\nmetrics = malloc-calls\n[expect]\n"
             "fact.library-version=7 : malloc-calls = 2\n"
             "fact.library-version=7 : malloc-calls = 3\n"
             "fact.library-version=8 : malloc-calls = 3\n");
    fl_scenario_release(&rig->scenario);
    assert_int_equal(
        fl_scenario_read("rig.ini", text, strlen(text), false, &rig->scenario, &rig->err), 0);
    assert_int_equal(rig_run(rig, false), 0);
    assert_int_equal(rig->result.expectations, 2);
    assert_int_equal(rig->result.broken, 1);
    assert_int_equal(rig->result.undecided, 0);
    assert_int_equal(rig->notes, 1);
    assert_int_equal(rig_sql(rig, "SELECT count(*) FROM expectation WHERE rule LIKE '%version=8%'"),
                     0);
}

static void a_resumed_run_keeps_its_seeds(void **state)
{
    struct rig *rig = *state;
    rig_interrupt(rig);
    assert_int_equal(rig_run(rig, true), 0);
    assert_int_equal(rig_run(rig, false), 0);
    assert_int_equal(
        rig_sql(rig, "SELECT count(*) FROM sample a JOIN sample b USING (cell, mode, round, "
                     "seed) WHERE a.run = 1 AND b.run = 2"),
        8);
}

static void a_run_that_failed_is_resumed(void **state)
{
    struct rig *rig = *state;
    rig->remove = rig->worker;
    assert_int_equal(rig_run(rig, false), -ENOENT);
    rig->remove = NULL;
    assert_int_equal(rig_sql(rig, "SELECT status = 'failed' FROM run"), 1);
    rig_set_worker(rig, GOOD);
    assert_int_equal(rig_run(rig, true), 0);
    assert_int_equal(rig_sql(rig, "SELECT count(*) FROM sample WHERE run = 1"), 8);
}

static void a_plan_cut_short_is_completed(void **state)
{
    struct rig *rig = *state;
    rig_interrupt(rig);
    rig_sql(rig, "DELETE FROM value");
    rig_sql(rig, "DELETE FROM sample");
    rig_sql(rig, "DELETE FROM run_cell WHERE position = (SELECT max(position) FROM run_cell)");
    rig_sql(rig, "DELETE FROM run_metric");
    assert_int_equal(rig_run(rig, true), 0);
    assert_int_equal(rig->result.cells, 2);
    assert_int_equal(rig_sql(rig, "SELECT count(*) FROM sample"), 8);
    assert_int_equal(rig_sql(rig, "SELECT count(*) FROM run_metric"), 2);
}

static void what_could_not_run_when_planned_is_left_alone(void **state)
{
    struct rig *rig = *state;
    rig_set_scenario(rig, "kernel = blas:dgemm_\nlibrary = mine, gone\nn = 8", "time");
    unlink(rig->library);
    char other[112];
    snprintf(other, sizeof other, "%s/gone.so", rig->folder);
    rig_make_library(rig);
    assert_int_equal(rename(rig->library, other), 0);
    rig_interrupt(rig);
    rig_make_library(rig); /* installed between the two */
    assert_int_equal(rig_run(rig, true), 0);
    assert_int_equal(rig->result.unavailable, 1);
    assert_int_equal(rig_sql(rig, "SELECT count(*) FROM sample"), 4);
    assert_int_equal(rig_sql(rig, "SELECT count(DISTINCT cell) FROM sample"), 1);
}

/* Asserts that the run is not resumed, for a reason that says `word`. */
static void refuses(struct rig *rig, const char *word)
{
    assert_int_equal(rig_run(rig, true), -EINVAL);
    if (!strstr(rig->err.text, word))
        fail_msg("'%s' does not say '%s'", rig->err.text, word);
    assert_int_equal(rig->samples, 0);
    assert_int_equal(rig_sql(rig, "SELECT count(*) FROM sample"), 1);
}

static void other_samples_are_not_mixed_in(void **state)
{
    struct rig *rig = *state;
    rig_interrupt(rig);
    assert_int_equal(fl_scenario_set(&rig->scenario, "metrics", "malloc-calls, time", &rig->err),
                     0);
    refuses(rig, "settings");
    assert_int_equal(fl_scenario_set(&rig->scenario, "metrics", "time", &rig->err), 0);
    refuses(rig, "settings");
    assert_int_equal(fl_scenario_set(&rig->scenario, "metrics", "time, malloc-calls", &rig->err),
                     0);
    assert_int_equal(fl_scenario_set(&rig->scenario, "requests", "64, none", &rig->err), 0);
    refuses(rig, "settings");
    assert_int_equal(fl_scenario_set(&rig->scenario, "requests", "none, 64", &rig->err), 0);
    assert_int_equal(fl_scenario_set(&rig->scenario, "timeout", "11s", &rig->err), 0);
    refuses(rig, "settings");
    assert_int_equal(fl_scenario_set(&rig->scenario, "timeout", "10s", &rig->err), 0);
    assert_int_equal(rig_set_library(rig, "mine", "/elsewhere/mine.so"), 0);
    refuses(rig, "settings");
    assert_int_equal(rig_set_library(rig, "mine", rig->library), 0);
    assert_int_equal(rig_set_library(rig, "more", "/elsewhere/more.so"), 0);
    refuses(rig, "settings");
    rig->scenario.library_count--;
    free(rig->scenario.libraries[2].alias);
    free(rig->scenario.libraries[2].path);
    rig_sql(rig, "UPDATE run SET host = 'elsewhere'");
    refuses(rig, "machine");
    char host[256] = "", statement[512];
    gethostname(host, sizeof host - 1);
    snprintf(statement, sizeof statement, "UPDATE run SET host = '%s', version = '0'", host);
    rig_sql(rig, statement);
    refuses(rig, "another build");
}

static void too_many_threads_are_warned_of_and_recorded(void **state)
{
    struct rig *rig = *state;
    rig_set_scenario(rig, "kernel = null-region\nthreads = 1, 2*nproc", "time");
    assert_int_equal(rig_run(rig, false), 0);
    assert_int_equal(rig->warning_count, 1);
    assert_non_null(strstr(rig->warnings[0], "1 of 2 cells have more threads, up to"));
    assert_int_equal(rig_sql(rig, "SELECT count(*) FROM v_sample WHERE key LIKE '%nproc%'"), 4);
    assert_int_equal(rig_sql(rig, "SELECT count(*) FROM v_fact JOIN v_sample USING (sample) "
                                  "WHERE name = 'oversubscribed' AND key LIKE '%nproc%'"),
                     4);
    assert_int_equal(rig_sql(rig, "SELECT count(*) FROM v_fact WHERE name = 'oversubscribed'"), 4);
}

static void spinning_beyond_the_processors_is_warned_of_once_more(void **state)
{
    struct rig *rig = *state;
    rig_set_scenario(rig, "kernel = null-region\nthreads = 2*nproc\nwait = spin, spin-yield",
                     "time");
    assert_int_equal(rig_run(rig, false), 0);
    assert_int_equal(rig->warning_count, 2);
    assert_non_null(strstr(rig->warnings[0], "2 of 2 cells"));
    assert_non_null(strstr(rig->warnings[1], "in 1 of these"));
    assert_non_null(strstr(rig->warnings[1], "(wait=spin)"));
    rig_set_scenario(rig, "kernel = null-region\nthreads = 1, nproc\nwait = spin", "time");
    assert_int_equal(rig_run(rig, false), 0);
    assert_int_equal(rig->warning_count, 2); /* threads that fit are not warned of */
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, rig_set_up, rig_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_total_leaves_out_cells_that_cannot_run),
        TEST(the_total_leaves_out_what_was_given_up),
        TEST(what_goes_away_is_an_outcome),
        TEST(a_bad_status_behind_an_outcome_is_a_crash),
        TEST(a_worker_cannot_end_the_run_with_what_it_says),
        TEST(a_window_is_not_held_against_the_worker),
        TEST(a_gap_is_not_held_against_the_worker),
        TEST(a_long_reason_is_stored_whole),
        TEST(exact_counts_take_two_that_came_through),
        TEST(counts_that_never_agree_are_told_and_not_counted_again),
        TEST(exact_ratios_must_agree_too),
        TEST(a_resumed_run_remembers_its_failures),
        TEST(expectations_are_keyed_by_facts),
        TEST(a_resumed_run_keeps_its_seeds),
        TEST(a_run_that_failed_is_resumed),
        TEST(a_plan_cut_short_is_completed),
        TEST(what_could_not_run_when_planned_is_left_alone),
        TEST(other_samples_are_not_mixed_in),
        TEST(too_many_threads_are_warned_of_and_recorded),
        TEST(spinning_beyond_the_processors_is_warned_of_once_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
