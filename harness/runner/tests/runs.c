/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs with a worker that is a shell script: what is stored, counted and told when workers fail,
 * parts go away, and a run is resumed.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "runner/run.h"
#include "runner/scenario-keys.h"

#define GOOD                                                                                       \
    "echo 'window 5 1000 5' >&3; echo 'metric malloc-calls ok 10 1' >&3; echo 'outcome ok ' >&3\n"

/* A run in a folder of its own, and what it told while it went on. */
struct rig {
    char folder[64], worker[96], path[96], library[96], lock[96], text[2048];
    struct fl_scenario scenario;
    struct fl_store *store;
    struct fl_run_result result;
    struct fl_err err;
    volatile sig_atomic_t stop;
    size_t stop_at;     /* stop the run behind so many samples of this process; 0: never */
    const char *remove; /* a file that goes away behind the first sample */
    size_t first_total, samples, done, total, notes;
    char warnings[2][512];
    size_t warning_count;
    bool beyond; /* more was done than there was in all */
};

static void on_begin(void *arg, int64_t run, size_t cells, size_t done, size_t total)
{
    struct rig *rig = arg;
    (void)run, (void)cells;
    rig->done = done;
    rig->first_total = rig->total = total;
}

static void on_sample(void *arg, const char *key, size_t done, size_t total,
                      enum fl_outcome outcome, const char *reason)
{
    struct rig *rig = arg;
    (void)key, (void)outcome, (void)reason;
    rig->done = done;
    rig->total = total;
    rig->beyond |= done > total;
    if (++rig->samples == rig->stop_at)
        rig->stop = 1;
    if (rig->remove)
        unlink(rig->remove);
}

static void on_waiting(void *arg, int holder, double seconds)
{
    (void)arg, (void)holder, (void)seconds;
}

static void on_note(void *arg, const char *text)
{
    struct rig *rig = arg;
    (void)text;
    rig->notes++;
}

static void on_warning(void *arg, const char *text)
{
    struct rig *rig = arg;
    snprintf(rig->warnings[rig->warning_count++ % 2], sizeof rig->warnings[0], "%s", text);
}

static void write_file(const char *path, const char *head, const char *body, mode_t mode)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s%s", head, body);
    fclose(file);
    assert_int_equal(chmod(path, mode), 0);
}

static void set_worker(struct rig *rig, const char *body)
{
    write_file(rig->worker, "#!/bin/sh\n", body, 0755);
}

/* Two cells of the null kernel, unless `factors` says otherwise. */
static void set_scenario(struct rig *rig, const char *factors, const char *metrics)
{
    fl_scenario_release(&rig->scenario);
    snprintf(rig->text, sizeof rig->text,
             "[scenario]\nname = rig\n[libraries]\nmine = %s\ngone = %s/gone.so\n[factors]\n%s\n"
             "[measure]\nsettle = 0\nwindow = 1ms\nrounds = 2\ncalls = 5\ntimeout = 10s\n"
             "metrics = %s\n[expect]\nkernel=null : malloc-calls = 2\n",
             rig->library, rig->folder, factors, metrics);
    int rc =
        fl_scenario_read("rig.ini", rig->text, strlen(rig->text), false, &rig->scenario, &rig->err);
    if (rc)
        fail_msg("%s", rig->err.text);
}

static int set_up(void **state)
{
    struct rig *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    strcpy(rig->folder, "/tmp/fl-runs-XXXXXX");
    assert_non_null(mkdtemp(rig->folder));
    snprintf(rig->worker, sizeof rig->worker, "%s/worker", rig->folder);
    snprintf(rig->path, sizeof rig->path, "%s/s.db", rig->folder);
    snprintf(rig->library, sizeof rig->library, "%s/mine.so", rig->folder);
    snprintf(rig->lock, sizeof rig->lock, "%s/lock", rig->folder);
    set_worker(rig, GOOD);
    set_scenario(rig, "kernel = null\nrequests = none, 64", "time, malloc-calls");
    assert_int_equal(fl_store_open(rig->path, FL_STORE_CREATE, &rig->store, &rig->err), 0);
    *state = rig;
    return 0;
}

static int tear_down(void **state)
{
    struct rig *rig = *state;
    char command[128];
    fl_store_close(rig->store);
    fl_scenario_release(&rig->scenario);
    snprintf(command, sizeof command, "rm -rf '%s'", rig->folder);
    int rc = system(command); /* NOLINT(cert-env33-c): the test's own folder */
    free(rig);
    return rc;
}

static int run(struct rig *rig, bool resume)
{
    const struct fl_progress progress = {on_begin, on_sample, on_waiting, on_note, on_warning, rig};
    const struct fl_run_request request = {
        .scenario = &rig->scenario,
        .store = rig->store,
        .worker = rig->worker,
        .lock = rig->lock, /* nothing is measured */
        .command_line = "test",
        .seed = 7,
        .resume = resume,
        .stop = &rig->stop,
        .progress = &progress,
    };
    rig->stop = 0;
    rig->samples = rig->notes = 0;
    return fl_run(&request, &rig->result, &rig->err);
}

/* Ends a run behind its first sample. */
static void interrupt(struct rig *rig)
{
    rig->stop_at = 1;
    assert_int_equal(run(rig, false), 0);
    assert_true(rig->result.interrupted);
    rig->stop_at = 0;
}

/* The first number that a statement gives on a connection of its own. */
static long long sql(struct rig *rig, const char *statement)
{
    sqlite3 *db;
    sqlite3_stmt *row;
    assert_int_equal(sqlite3_open(rig->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, statement, -1, &row, NULL), SQLITE_OK);
    long long number = sqlite3_step(row) == SQLITE_ROW ? sqlite3_column_int64(row, 0) : -1;
    sqlite3_finalize(row);
    sqlite3_close(db);
    return number;
}

static int set_library(struct rig *rig, const char *alias, const char *path)
{
    const struct fl_scenario_line line = {"libraries", alias, path, 0, false};
    return fl_scenario_take(&rig->scenario, &line, &rig->err);
}

/* The runner asks for an ELF file of this processor: this program is one. */
static void make_library(struct rig *rig)
{
    char command[256];
    snprintf(command, sizeof command, "cp /proc/%d/exe '%s'", (int)getpid(), rig->library);
    /* NOLINTNEXTLINE(cert-env33-c): fixed words and the test's own folder */
    assert_int_equal(system(command), 0);
}

static void the_total_leaves_out_cells_that_cannot_run(void **state)
{
    struct rig *rig = *state;
    set_scenario(rig, "kernel = null, blas:dgemm_\nlibrary = faultline, gone\nn = 8, 16, 24",
                 "time");
    assert_int_equal(fl_scenario_set(&rig->scenario, "kernel", "blas:dgemm_", &rig->err), 0);
    make_library(rig);
    assert_int_equal(fl_scenario_set(&rig->scenario, "library", "mine, gone", &rig->err), 0);
    assert_int_equal(run(rig, false), 0);
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
    set_worker(rig,
               "case $1 in *requests=64*) echo 'outcome unavailable no' >&3; exit;; esac\n" GOOD);
    assert_int_equal(run(rig, false), 0);
    assert_int_equal(rig->first_total, 8);
    assert_int_equal(rig->total, 5);
    assert_int_equal(rig->done, 5);
    assert_int_equal(rig->result.unavailable, 1);
    assert_false(rig->beyond);
}

static void what_goes_away_is_an_outcome(void **state)
{
    struct rig *rig = *state;
    set_scenario(rig, "kernel = blas:dgemm_\nlibrary = mine\nn = 8", "time");
    make_library(rig);
    rig->remove = rig->library;
    assert_int_equal(run(rig, false), 0);
    assert_int_equal(rig->result.samples, 2);
    assert_int_equal(sql(rig, "SELECT count(*) FROM sample WHERE outcome = 'unavailable'"), 1);
    assert_int_equal(sql(rig, "SELECT status = 'finished' FROM run"), 1);
}

static void a_bad_status_behind_an_outcome_is_a_crash(void **state)
{
    struct rig *rig = *state;
    set_worker(rig, GOOD "exit 3\n");
    assert_int_equal(run(rig, false), 0);
    assert_int_equal(sql(rig, "SELECT count(*) FROM sample WHERE outcome = 'crashed'"), 8);
    assert_int_equal(rig->result.failed, 8);
}

static void a_worker_cannot_end_the_run_with_what_it_says(void **state)
{
    struct rig *rig = *state;
    set_worker(rig,
               "echo 'metric time ok 1 1' >&3; echo 'metric malloc-calls ok 1 nan' >&3\n" GOOD);
    assert_int_equal(run(rig, false), 0);
    assert_int_equal(sql(rig, "SELECT count(*) FROM sample WHERE outcome = 'ok'"), 8);
    assert_int_equal(sql(rig, "SELECT count(*) FROM v_value WHERE name = 'time' AND value = 200"),
                     4);
    assert_int_equal(sql(rig, "SELECT count(*) FROM v_value WHERE name = 'malloc-calls' "
                              "AND state = 'unavailable' AND reason LIKE '%nan%'"),
                     8);
}

static void a_window_is_not_held_against_the_worker(void **state)
{
    struct rig *rig = *state;
    set_scenario(rig, "kernel = null", "time, malloc-calls");
    assert_int_equal(fl_scenario_set(&rig->scenario, "timeout", "1s", &rig->err), 0);
    assert_int_equal(fl_scenario_set(&rig->scenario, "window", "5s", &rig->err), 0);
    set_worker(rig, "case $2 in *=time) sleep 1.5;; esac\n" GOOD);
    assert_int_equal(run(rig, false), 0);
    assert_int_equal(rig->result.failed, 0);
}

static void a_long_reason_is_stored_whole(void **state)
{
    struct rig *rig = *state;
    set_scenario(rig, "kernel = null", "time, malloc-calls");
    set_worker(rig, "printf 'metric malloc-calls unavailable %01000d\\n' 7 >&3\n"
                    "echo 'window 5 1000 5' >&3; echo 'outcome ok ' >&3\n");
    assert_int_equal(run(rig, false), 0);
    assert_int_equal(
        sql(rig, "SELECT min(length(reason)) FROM v_value WHERE state = 'unavailable'"), 1000);
}

static void exact_counts_take_two_that_came_through(void **state)
{
    struct rig *rig = *state;
    char body[256];
    snprintf(body, sizeof body,
             "case $2 in *=count) [ -e %s/once ] || { : >%s/once; exit 1; };; esac\n%s",
             rig->folder, rig->folder, GOOD);
    set_worker(rig, body);
    assert_int_equal(run(rig, false), 0);
    assert_int_equal(sql(rig, "SELECT min(n) FROM (SELECT count(*) n FROM sample "
                              "WHERE mode = 'counted' AND outcome = 'ok' GROUP BY cell)"),
                     2);
    assert_int_equal(sql(rig, "SELECT count(*) FROM sample WHERE mode = 'counted'"), 5);
    assert_int_equal(rig->notes, 0);
}

static void counts_that_never_agree_are_told_and_not_counted_again(void **state)
{
    struct rig *rig = *state;
    set_scenario(rig, "kernel = null", "time, malloc-calls");
    set_worker(rig, "echo 'window 5 1000 5' >&3; echo \"metric malloc-calls ok $$ 1\" >&3\n"
                    "echo 'outcome ok ' >&3\n");
    rig->stop_at = 6; /* two rounds, three more, and the first timed one */
    assert_int_equal(run(rig, false), 0);
    assert_int_equal(rig->notes, 1);
    rig->stop_at = 0;
    assert_int_equal(run(rig, true), 0);
    assert_int_equal(rig->notes, 1);
    assert_int_equal(sql(rig, "SELECT count(*) FROM sample WHERE mode = 'counted'"), 5);
    assert_int_equal(rig->total, 7);
    assert_int_equal(rig->done, 7);
}

static void a_resumed_run_remembers_its_failures(void **state)
{
    struct rig *rig = *state;
    set_worker(rig, "exit 1\n");
    interrupt(rig);
    assert_int_equal(rig->result.failed, 1);
    set_worker(rig, GOOD);
    assert_int_equal(run(rig, true), 0);
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
    set_worker(rig, "echo 'fact library-version 7' >&3\n" GOOD);
    snprintf(text, sizeof text,
             "[scenario]\nname = rig\n[factors]\nkernel = null\n[measure]\nsettle = 0\n"
             "window = 1ms\nrounds = 1\ncalls = 5\nmetrics = malloc-calls\n[expect]\n"
             "fact.library-version=7 : malloc-calls = 2\n"
             "fact.library-version=7 : malloc-calls = 3\n"
             "fact.library-version=8 : malloc-calls = 3\n");
    fl_scenario_release(&rig->scenario);
    assert_int_equal(
        fl_scenario_read("rig.ini", text, strlen(text), false, &rig->scenario, &rig->err), 0);
    assert_int_equal(run(rig, false), 0);
    assert_int_equal(rig->result.expectations, 2);
    assert_int_equal(rig->result.broken, 1);
    assert_int_equal(rig->result.undecided, 0);
    assert_int_equal(rig->notes, 1);
    assert_int_equal(sql(rig, "SELECT count(*) FROM expectation WHERE rule LIKE '%version=8%'"), 0);
}

static void a_resumed_run_keeps_its_seeds(void **state)
{
    struct rig *rig = *state;
    interrupt(rig);
    assert_int_equal(run(rig, true), 0);
    assert_int_equal(run(rig, false), 0);
    assert_int_equal(sql(rig,
                         "SELECT count(*) FROM sample a JOIN sample b USING (cell, mode, round, "
                         "seed) WHERE a.run = 1 AND b.run = 2"),
                     8);
}

static void a_run_that_failed_is_resumed(void **state)
{
    struct rig *rig = *state;
    rig->remove = rig->worker;
    assert_int_equal(run(rig, false), -ENOENT);
    rig->remove = NULL;
    assert_int_equal(sql(rig, "SELECT status = 'failed' FROM run"), 1);
    set_worker(rig, GOOD);
    assert_int_equal(run(rig, true), 0);
    assert_int_equal(sql(rig, "SELECT count(*) FROM sample WHERE run = 1"), 8);
}

static void a_plan_cut_short_is_completed(void **state)
{
    struct rig *rig = *state;
    interrupt(rig);
    sql(rig, "DELETE FROM value");
    sql(rig, "DELETE FROM sample");
    sql(rig, "DELETE FROM run_cell WHERE position = (SELECT max(position) FROM run_cell)");
    sql(rig, "DELETE FROM run_metric");
    assert_int_equal(run(rig, true), 0);
    assert_int_equal(rig->result.cells, 2);
    assert_int_equal(sql(rig, "SELECT count(*) FROM sample"), 8);
    assert_int_equal(sql(rig, "SELECT count(*) FROM run_metric"), 2);
}

static void what_could_not_run_when_planned_is_left_alone(void **state)
{
    struct rig *rig = *state;
    set_scenario(rig, "kernel = blas:dgemm_\nlibrary = mine, gone\nn = 8", "time");
    unlink(rig->library);
    char other[112];
    snprintf(other, sizeof other, "%s/gone.so", rig->folder);
    make_library(rig);
    assert_int_equal(rename(rig->library, other), 0);
    interrupt(rig);
    make_library(rig); /* installed between the two */
    assert_int_equal(run(rig, true), 0);
    assert_int_equal(rig->result.unavailable, 1);
    assert_int_equal(sql(rig, "SELECT count(*) FROM sample"), 4);
    assert_int_equal(sql(rig, "SELECT count(DISTINCT cell) FROM sample"), 1);
}

/* Asserts that the run is not resumed, for a reason that says `word`. */
static void refuses(struct rig *rig, const char *word)
{
    assert_int_equal(run(rig, true), -EINVAL);
    if (!strstr(rig->err.text, word))
        fail_msg("'%s' does not say '%s'", rig->err.text, word);
    assert_int_equal(rig->samples, 0);
    assert_int_equal(sql(rig, "SELECT count(*) FROM sample"), 1);
}

static void other_samples_are_not_mixed_in(void **state)
{
    struct rig *rig = *state;
    interrupt(rig);
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
    assert_int_equal(set_library(rig, "mine", "/elsewhere/mine.so"), 0);
    refuses(rig, "settings");
    assert_int_equal(set_library(rig, "mine", rig->library), 0);
    assert_int_equal(set_library(rig, "more", "/elsewhere/more.so"), 0);
    refuses(rig, "settings");
    rig->scenario.library_count--;
    free(rig->scenario.libraries[2].alias);
    free(rig->scenario.libraries[2].path);
    sql(rig, "UPDATE run SET host = 'elsewhere'");
    refuses(rig, "machine");
    char host[256] = "", statement[512];
    gethostname(host, sizeof host - 1);
    snprintf(statement, sizeof statement, "UPDATE run SET host = '%s', version = '0'", host);
    sql(rig, statement);
    refuses(rig, "another build");
}

/* ---- crossovers ---- */

/* A time of n on the main thread, of 1000 + n/2 on another: the same at 2000. */
static void search_crossover(struct rig *rig, int from, int to)
{
    set_worker(rig, "n=${1#*n=}; n=${n%% *}; t=$n\n"
                    "case $1 in *caller=worker*) t=$((1000 + n / 2));; esac\n"
                    "echo \"window 1 $t 1\" >&3; echo 'outcome ok ' >&3\n");
    set_scenario(rig, "kernel = dgemm\nn = 100\nuplo = L, U", "time");
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
    return sql(rig, below ? "SELECT max(CAST(level AS INTEGER)) FROM cell_factor WHERE "
                            "factor = 'n' AND CAST(level AS INTEGER) < 2000"
                          : "SELECT min(CAST(level AS INTEGER)) FROM cell_factor WHERE "
                            "factor = 'n' AND CAST(level AS INTEGER) > 2000");
}

static void a_crossover_is_found_by_halving(void **state)
{
    struct rig *rig = *state;
    search_crossover(rig, 500, 9000);
    assert_int_equal(run(rig, false), 0);
    long long below = nearest_size(rig, true), above = nearest_size(rig, false);
    assert_in_range(below, 1890, 2000);
    assert_in_range(above, 2000, 2110);
    /* 60 steps are halved six times; two ends, and the planned cell with its counting rounds. */
    assert_in_range(sql(rig, "SELECT count(DISTINCT level) FROM cell_factor WHERE factor = 'n'"), 8,
                    9);
    assert_int_equal(sql(rig, "SELECT count(*) FROM sample WHERE mode = 'counted'"), 2);
    assert_int_equal(rig->done, rig->total);
    assert_false(rig->beyond);
}

static void a_crossover_out_of_reach_takes_the_ends_only(void **state)
{
    struct rig *rig = *state;
    search_crossover(rig, 2500, 9000);
    assert_int_equal(run(rig, false), 0);
    assert_int_equal(sql(rig, "SELECT count(DISTINCT level) FROM cell_factor WHERE factor = 'n'"),
                     2); /* 100 as planned, 2500 */
    search_crossover(rig, 500, 1500);
    assert_int_equal(run(rig, false), 0);
    assert_int_equal(sql(rig, "SELECT count(DISTINCT level) FROM run_cell JOIN cell_factor USING "
                              "(cell) WHERE factor = 'n' AND run = 2"),
                     3);
}

static void a_search_that_was_stopped_goes_on(void **state)
{
    struct rig *rig = *state;
    search_crossover(rig, 500, 9000);
    assert_int_equal(run(rig, false), 0);
    size_t whole = rig->result.samples;
    rig->stop_at = whole / 2;
    assert_int_equal(run(rig, false), 0);
    assert_true(rig->result.interrupted);
    rig->stop_at = 0;
    assert_int_equal(run(rig, true), 0);
    assert_int_equal(rig->result.samples + whole / 2, whole);
    assert_int_equal(sql(rig, "SELECT count(*) FROM run_cell WHERE run = 1"),
                     sql(rig, "SELECT count(*) FROM run_cell WHERE run = 2"));
    assert_int_equal(sql(rig, "SELECT count(*) FROM sample WHERE run = 1"),
                     sql(rig, "SELECT count(*) FROM sample WHERE run = 2"));
}

static void a_search_ends_where_a_level_cannot_be_timed(void **state)
{
    struct rig *rig = *state;
    search_crossover(rig, 500, 9000);
    set_worker(rig, "case $1 in *caller=worker*) exit 1;; esac\n"
                    "echo 'window 1 5 1' >&3; echo 'outcome ok ' >&3\n");
    assert_int_equal(run(rig, false), 0);
    assert_int_equal(sql(rig, "SELECT count(DISTINCT level) FROM cell_factor WHERE factor = 'n'"),
                     2);
    assert_true(rig->result.failed > 0);
}

static void too_many_threads_are_warned_of_and_recorded(void **state)
{
    struct rig *rig = *state;
    set_scenario(rig, "kernel = null-region\nthreads = 1, 2*nproc", "time");
    assert_int_equal(run(rig, false), 0);
    assert_int_equal(rig->warning_count, 1);
    assert_non_null(strstr(rig->warnings[0], "1 of 2 cells have more threads, up to"));
    assert_int_equal(sql(rig, "SELECT count(*) FROM v_sample WHERE key LIKE '%nproc%'"), 4);
    assert_int_equal(sql(rig, "SELECT count(*) FROM v_fact JOIN v_sample USING (sample) "
                              "WHERE name = 'oversubscribed' AND key LIKE '%nproc%'"),
                     4);
    assert_int_equal(sql(rig, "SELECT count(*) FROM v_fact WHERE name = 'oversubscribed'"), 4);
}

static void spinning_beyond_the_processors_is_warned_of_once_more(void **state)
{
    struct rig *rig = *state;
    set_scenario(rig, "kernel = null-region\nthreads = 2*nproc\nwait = spin, spin-yield", "time");
    assert_int_equal(run(rig, false), 0);
    assert_int_equal(rig->warning_count, 2);
    assert_non_null(strstr(rig->warnings[0], "2 of 2 cells"));
    assert_non_null(strstr(rig->warnings[1], "in 1 of these"));
    assert_non_null(strstr(rig->warnings[1], "(wait=spin)"));
    set_scenario(rig, "kernel = null-region\nthreads = 1, nproc\nwait = spin", "time");
    assert_int_equal(run(rig, false), 0);
    assert_int_equal(rig->warning_count, 2); /* threads that fit are not warned of */
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_total_leaves_out_cells_that_cannot_run),
        TEST(the_total_leaves_out_what_was_given_up),
        TEST(what_goes_away_is_an_outcome),
        TEST(a_bad_status_behind_an_outcome_is_a_crash),
        TEST(a_worker_cannot_end_the_run_with_what_it_says),
        TEST(a_window_is_not_held_against_the_worker),
        TEST(a_long_reason_is_stored_whole),
        TEST(exact_counts_take_two_that_came_through),
        TEST(counts_that_never_agree_are_told_and_not_counted_again),
        TEST(a_resumed_run_remembers_its_failures),
        TEST(expectations_are_keyed_by_facts),
        TEST(a_resumed_run_keeps_its_seeds),
        TEST(a_run_that_failed_is_resumed),
        TEST(a_plan_cut_short_is_completed),
        TEST(what_could_not_run_when_planned_is_left_alone),
        TEST(other_samples_are_not_mixed_in),
        TEST(a_crossover_is_found_by_halving),
        TEST(a_crossover_out_of_reach_takes_the_ends_only),
        TEST(a_search_that_was_stopped_goes_on),
        TEST(a_search_ends_where_a_level_cannot_be_timed),
        TEST(too_many_threads_are_warned_of_and_recorded),
        TEST(spinning_beyond_the_processors_is_warned_of_once_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
