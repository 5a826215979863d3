/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long histories of a large store take: 24 cells, 16 rounds of pairs a run, as many A/B runs as
 * make a million samples. Prints seconds, and the same beside one pass of SQLite over the samples.
 * history-speed [SAMPLES]
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "results/histories.h"

enum { CELLS = 24, ROUNDS = 16 };

/* ?1: A/B runs. Odd runs are bases. Cell 3 gets 5 % slower when two thirds have been. */
static const char *const fill[] = {
    "INSERT INTO machine VALUES (1, 'isa=x86-64-v4')",
    "INSERT INTO metric VALUES (1, 'time', 'ns', 'timed', 'less', 'every', 1, '', ''), "
    "(2, 'minor-faults', '', 'set', 'less', 'every', 1, '', '')",
    "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 24) "
    "INSERT INTO cell SELECT i, printf('kernel=dgemm n=%d malloc=glibc', 8 * i) FROM n",
    "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2 * ?1) "
    "INSERT INTO run (id, uuid, machine, host, scenario, scenario_text, command_line, version, "
    "build_flags, seed, settle_ns, window_ns, rounds, counted_rounds, counted_calls, started_ns, "
    "finished_ns, status, commit_id, commit_ns) SELECT i, printf('%032d', i), 1, 'host', 'large', "
    "'', '', '', '', 1, 1, 1, 16, 0, 0, i * 1000000000, i * 1000000000 + 1, 'finished', "
    "printf('%040d', i), i * 1000000000 FROM n",
    "INSERT INTO run_cell SELECT run.id, cell.id, cell.id, NULL FROM run JOIN cell",
    "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) INSERT INTO environment "
    "SELECT run.id, printf('cpu.field-%03d', i), printf('value %d', i) FROM run JOIN n",
    "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) INSERT INTO pairing "
    "SELECT i, 2 * i - 1, 2 * i, 'ab', 'worker=reference', '', 0.5, 2, 24, 0 FROM n",
    "INSERT INTO paired_cell SELECT pairing.id, cell.id, key, cell.id, cell.id, 100, 0.5, 2 "
    "FROM pairing JOIN cell",
    "WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 768 * ?1 - 1) "
    "INSERT INTO sample SELECT NULL, 2 * (i / 768) + 1 + i % 2, 1 + i / 2 % 24, 'timed', "
    "i / 48 % 16, 1, 'ok', NULL, 100, i, 1, NULL, NULL, NULL, NULL FROM n",
    "INSERT INTO value SELECT sample.id, 1, 100.0 * (100 + cell + abs(random()) % 1000 / 500.0) "
    "* iif(cell = 3 AND run % 2 = 0 AND run > ?1 * 4 / 3, 1.05, 1), 1, 0, NULL FROM sample",
    "INSERT INTO value SELECT sample.id, 2, 6100, 1, 0, NULL FROM sample",
};

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void stop(const char *why)
{
    fprintf(stderr, "history-speed: %s\n", why);
    exit(1);
}

static void make_store(const char *path, long pairings)
{
    struct fl_err err = {.text = ""};
    struct fl_store *store;
    sqlite3 *db;

    if (fl_store_open(path, FL_STORE_CREATE, &store, &err))
        stop(err.text);
    fl_store_close(store);
    if (sqlite3_open(path, &db) || sqlite3_exec(db, "BEGIN", NULL, NULL, NULL))
        stop(sqlite3_errmsg(db));
    for (size_t i = 0; i < sizeof(fill) / sizeof(*fill); i++) {
        sqlite3_stmt *statement;
        if (sqlite3_prepare_v2(db, fill[i], -1, &statement, NULL))
            stop(sqlite3_errmsg(db));
        if (sqlite3_bind_parameter_count(statement))
            sqlite3_bind_int64(statement, 1, pairings);
        if (sqlite3_step(statement) != SQLITE_DONE)
            stop(sqlite3_errmsg(db));
        sqlite3_finalize(statement);
    }
    if (sqlite3_exec(db, "COMMIT", NULL, NULL, NULL))
        stop(sqlite3_errmsg(db));
    sqlite3_close(db);
}

static double pass(const char *path)
{
    const double start = seconds();
    sqlite3 *db;

    if (sqlite3_open(path, &db) ||
        sqlite3_exec(db, "SELECT sum(calls + round) FROM sample", NULL, NULL, NULL))
        stop(sqlite3_errmsg(db));
    sqlite3_close(db);
    return seconds() - start;
}

static bool one_cell(void *arg, const char *key)
{
    (void)arg;
    return strcmp(key, "kernel=dgemm n=24 malloc=glibc") == 0;
}

static double read_all(const char *path, fl_history_select_fn selects, bool fields, size_t *changes)
{
    const struct fl_history_options options = {
        .metric = "time", .selects = selects, .tolerance = 0.5};
    struct fl_err err = {.text = ""};
    struct fl_store *store;
    struct fl_history history;
    const double start = seconds();

    if (fl_store_open(path, FL_STORE_READ, &store, &err) ||
        fl_history_read(store, &options, &history, &err) ||
        fl_history_find_changes(store, &options, &history, &err) ||
        (fields && fl_history_compare(store, &history, &err)))
        stop(err.text);
    const double end = seconds();
    *changes = 0;
    for (size_t i = 0; i < history.count; i++)
        for (size_t c = 0; c < history.series[i].cell_count; c++)
            *changes += history.series[i].cells[c].change_count;
    fl_history_release(&history);
    fl_store_close(store);
    return end - start;
}

int main(int argc, char **argv)
{
    const long samples = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
    char folder[] = "/tmp/faultline-history-XXXXXX", path[64];
    size_t changes, found;

    if (!mkdtemp(folder))
        stop("cannot make a folder");
    snprintf(path, sizeof(path), "%s/store.db", folder);
    make_store(path, samples / (2 * CELLS * ROUNDS) + 1);
    for (int i = 0; i < 3; i++) {
        const double one = pass(path), history = read_all(path, one_cell, true, &found);
        const double all = read_all(path, NULL, false, &changes);
        printf("one pass %.3f s, history of a cell %.3f s (%.2f), changes of all %.3f s (%.2f), "
               "%zu changes\n",
               one, history, history / one, all, all / one, changes);
    }
    unlink(path);
    rmdir(folder);
    return changes == 1 && found == 1 ? 0 : 1;
}
