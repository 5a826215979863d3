/* SPDX-License-Identifier: Apache-2.0 */
#include "store-fixture.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int fixture_set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    if (!f)
        return -1;
    snprintf(f->folder, sizeof(f->folder), "/tmp/faultline-store-XXXXXX");
    if (!mkdtemp(f->folder)) {
        free(f);
        return -1;
    }
    snprintf(f->path, sizeof(f->path), "%s/x.db", f->folder);
    *state = f;
    return 0;
}

int fixture_tear_down(void **state)
{
    struct fixture *f = *state;
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal", ".copy"};

    fl_store_close(f->store);
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        char name[200];
        snprintf(name, sizeof(name), "%s%s", f->path, suffixes[i]);
        unlink(name);
    }
    rmdir(f->folder);
    free(f);
    return 0;
}

void fixture_ok(struct fixture *f, int status)
{
    if (status)
        fail_msg("status %d: %s", status, f->err.text);
}

void fixture_open(struct fixture *f, enum fl_store_access access)
{
    fixture_ok(f, fl_store_open(f->path, access, &f->store, &f->err));
}

void fixture_close(struct fixture *f)
{
    fl_store_close(f->store);
    f->store = NULL;
}

struct fl_run_info fixture_info(void)
{
    static const struct fl_fact machine[] = {{"processor", "Test CPU"}, {"page-size", "4096"}};
    static const struct fl_fact environment[] = {{"governor", "performance"}, {"thp", "always"}};

    return (struct fl_run_info){
        .fingerprint = "test-cpu/4096/glibc-2.36",
        .machine = machine,
        .machine_count = 2,
        .environment = environment,
        .environment_count = 2,
        .host = "box",
        .label = "first",
        .scenario = "packing-faults",
        .title = "Packing buffers that fault on every call",
        .scenario_text = "[scenario]\nname = packing-faults\n",
        .command_line = "faultline run packing-faults",
        .version = "0.1.0",
        .build_flags = "-O2 -g",
        .seed = UINT64_MAX - 1,
        .settle_ns = 150000000,
        .window_ns = 100000000,
        .counted_calls = 200,
        .rounds = 7,
        .counted_rounds = 2,
    };
}

void fixture_begin(struct fixture *f)
{
    static const struct fl_metric time = {"time",
                                          "ns",
                                          "time of a call",
                                          "clock_gettime(CLOCK_MONOTONIC)",
                                          FL_METRIC_TIMED,
                                          FL_LESS_IS_BETTER,
                                          FL_IN_EVERY_SAMPLE,
                                          false};
    static const struct fl_metric gflops = {
        "gflops",          "GFLOP/s",          "rate", "flops / time", FL_METRIC_TIMED,
        FL_MORE_IS_BETTER, FL_IN_EVERY_SAMPLE, true};
    static const struct fl_metric faults = {
        "minor-faults", "faults",          "page faults",      "getrusage(RUSAGE_THREAD).ru_minflt",
        FL_METRIC_SET,  FL_LESS_IS_BETTER, FL_IN_EVERY_SAMPLE, false};
    struct fl_run_info info = fixture_info();

    fixture_ok(f, fl_store_begin_run(f->store, &info, &f->run, &f->err));
    fixture_ok(f, fl_store_metric(f->store, &time, &f->time, &f->err));
    fixture_ok(f, fl_store_metric(f->store, &gflops, &f->gflops, &f->err));
    fixture_ok(f, fl_store_metric(f->store, &faults, &f->faults, &f->err));
    int64_t order[] = {f->faults, f->time, f->gflops};
    fixture_ok(f, fl_store_plan_metrics(f->store, f->run, order, 3, &f->err));
}

int64_t fixture_cell(struct fixture *f, const char *n, const char *workspace,
                     const char *malloc_name, const char *unavailable)
{
    char key[512];
    int64_t id = 0;
    const struct fl_stored_level levels[] = {{"kernel", "dgemm", false},
                                             {"n", n, false},
                                             {"isa", "auto", true},
                                             {"workspace", workspace, false},
                                             {"malloc", malloc_name, false}};

    snprintf(key, sizeof(key), "kernel=dgemm n=%s workspace=%s malloc=%s", n, workspace,
             malloc_name);
    struct fl_planned_cell cell = {key, levels, 5, unavailable};
    fixture_ok(f, fl_store_plan(f->store, f->run, &cell, 1, &id, &f->err));
    return id;
}

int fixture_add(struct fixture *f, const struct fl_sample *sample)
{
    static const struct fl_fact facts[] = {{"blocking", "192x192x192"}, {"isa", "avx2"}};
    struct fl_sample full = *sample;

    full.run = f->run;
    full.seed = UINT64_MAX - (uint64_t)sample->round;
    full.started_ns = 1700000000000000000 + sample->round;
    full.duration_ns = 250000000;
    full.cpu = 1;
    full.load = 0.5;
    full.steal_ns = 0;
    if (!full.facts) {
        full.facts = facts;
        full.fact_count = 2;
    }
    return fl_store_add_sample(f->store, &full, NULL, &f->err);
}

void fixture_timed(struct fixture *f, int64_t cell, int round, int64_t calls, double ns)
{
    const struct fl_value values[] = {
        {.metric = f->time, .is_real = true, .real = ns * (double)calls},
        {.metric = f->gflops, .is_real = true, .real = 1000 / ns},
    };
    struct fl_sample sample = {.cell = cell,
                               .mode = FL_SAMPLE_TIMED,
                               .round = round,
                               .calls = calls,
                               .values = values,
                               .value_count = 2};

    fixture_ok(f, fixture_add(f, &sample));
}

void fixture_counted(struct fixture *f, int64_t cell, int round, int64_t calls, int64_t faults)
{
    const struct fl_value values[] = {{.metric = f->faults, .total = faults * calls}};
    struct fl_sample sample = {.cell = cell,
                               .mode = FL_SAMPLE_COUNTED,
                               .round = round,
                               .calls = calls,
                               .values = values,
                               .value_count = 1};

    fixture_ok(f, fixture_add(f, &sample));
}

long long fixture_query(struct fixture *f, const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *statement;

    assert_int_equal(sqlite3_open_v2(f->path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    long long number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return number;
}
