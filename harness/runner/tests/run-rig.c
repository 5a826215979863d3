/* SPDX-License-Identifier: Apache-2.0 */
/* Folder, worker, scenario and store of a run, and what it tells. */
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

#include "run-rig.h"
#include "runner/scenario-keys.h"

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

void rig_set_worker(struct rig *rig, const char *body)
{
    write_file(rig->worker, "#!/bin/sh\n", body, 0755);
}

void rig_set_scenario(struct rig *rig, const char *factors, const char *metrics)
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

int rig_set_up(void **state)
{
    struct rig *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    strcpy(rig->folder, "/tmp/fl-runs-XXXXXX");
    assert_non_null(mkdtemp(rig->folder));
    snprintf(rig->worker, sizeof rig->worker, "%s/worker", rig->folder);
    snprintf(rig->path, sizeof rig->path, "%s/s.db", rig->folder);
    snprintf(rig->library, sizeof rig->library, "%s/mine.so", rig->folder);
    snprintf(rig->lock, sizeof rig->lock, "%s/lock", rig->folder);
    rig_set_worker(rig, GOOD);
    rig_set_scenario(rig, "kernel = null\nrequests = none, 64", "time, malloc-calls");
    assert_int_equal(fl_store_open(rig->path, FL_STORE_CREATE, &rig->store, &rig->err), 0);
    *state = rig;
    return 0;
}

int rig_tear_down(void **state)
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

int rig_run(struct rig *rig, bool resume)
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

void rig_interrupt(struct rig *rig)
{
    rig->stop_at = 1;
    assert_int_equal(rig_run(rig, false), 0);
    assert_true(rig->result.interrupted);
    rig->stop_at = 0;
}

long long rig_sql(struct rig *rig, const char *statement)
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

int rig_set_library(struct rig *rig, const char *alias, const char *path)
{
    const struct fl_ini_line line = {.section = "libraries", .key = alias, .value = path};
    return fl_scenario_take(&rig->scenario, &line, &rig->err);
}

void rig_make_library(struct rig *rig)
{
    char command[256];
    snprintf(command, sizeof command, "cp /proc/%d/exe '%s'", (int)getpid(), rig->library);
    /* NOLINTNEXTLINE(cert-env33-c): fixed words and the test's own folder */
    assert_int_equal(system(command), 0);
}
