/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long comparisons of large stores take, and the queries that they make: two runs side by side
 * of 10,000 cells and 9 rounds; then one pairing of 24 cells and 36 rounds in a store of a million
 * samples. And what the gate adds: its findings and all its reports.
 *
 *   bench-compare [FOLDER]    where the store is made and removed (.)
 *
 * Prints seconds; read them beside those of the same store's sqlite3 doing the least that is
 * needed, one pass over the same rows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "results/gate-formats.h"

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what, const char *why)
{
    fprintf(stderr, "bench-compare: %s: %s\n", what, why);
    exit(2);
}

static void sql(sqlite3 *db, const char *text)
{
    char *why = NULL;

    if (sqlite3_exec(db, text, NULL, NULL, &why))
        die(text, why ? why : "no reason");
}

/* A run of `cells` cells from `first` on, `rounds` timed rounds; times about 100 ns with 1 % noise
 * that both runs do not share, and 10 % that they do. */
static void add_run(sqlite3 *db, int run, int cells, int first, int rounds)
{
    char text[2400];

    snprintf(text, sizeof(text),
             "INSERT INTO run (id, uuid, machine, host, scenario, scenario_text, command_line, "
             "version, build_flags, seed, settle_ns, window_ns, rounds, counted_rounds, "
             "counted_calls, started_ns, status) VALUES (%d, 'u%d', 1, 'h', 's', '', '', '1', '', "
             "1, 1, 1, %d, 0, 0, 1, 'finished');"
             "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d - 1) "
             "INSERT OR IGNORE INTO cell (id, key) SELECT i + %d, 'kernel=k n=' || (i + %d) FROM n;"
             "INSERT OR IGNORE INTO cell_factor SELECT id, 'kernel', 'k', 0, 0 FROM cell;"
             "INSERT OR IGNORE INTO cell_factor SELECT id, 'n', id, 1, 0 FROM cell;"
             "INSERT INTO run_cell SELECT %d, id, id, NULL FROM cell WHERE id >= %d AND id < %d;"
             "INSERT INTO run_metric VALUES (%d, 1, 0), (%d, 2, 1);"
             "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d - 1) "
             "INSERT INTO sample (run, cell, mode, round, seed, outcome, calls, started_ns, "
             "duration_ns) SELECT %d, id, 'timed', i, 1, 'ok', 1000, 1, 1 FROM n, cell WHERE id >= "
             "%d AND id < %d;",
             run, run, rounds, cells, first, first, run, first, first + cells, run, run, rounds,
             run, first, first + cells);
    sql(db, text);
    snprintf(text, sizeof(text),
             "INSERT INTO value (sample, metric, total) SELECT id, 1, 1e5 * (1 + (cell + round) %% "
             "10 / 100.0) * (1 + abs(random() %% 1000) / 1e5) FROM sample WHERE run = %d;"
             "INSERT INTO value (sample, metric, total) SELECT id, 2, 1 + abs(random() %% 1000) / "
             "1e5 FROM sample WHERE run = %d;",
             run, run);
    sql(db, text);
}

static void pair_runs(sqlite3 *db, int base, int head)
{
    char text[600];

    snprintf(text, sizeof(text),
             "INSERT INTO pairing (base, head, purpose, base_side, head_side, tolerance, detect, "
             "planned, budget_ns) VALUES (%d, %d, 'ab', 'a', 'b', 0.5, 2, 1, 0);"
             "INSERT INTO paired_cell SELECT last_insert_rowid(), position, 'n=' || cell, cell, "
             "cell, 1000, 0.5, 2 FROM run_cell WHERE run = %d;",
             base, head, base);
    sql(db, text);
}

static sqlite3 *make_store(const char *path)
{
    struct fl_err err;
    struct fl_store *store;
    sqlite3 *db;

    if (fl_store_open(path, FL_STORE_CREATE, &store, &err))
        die(path, err.text);
    fl_store_close(store);
    if (sqlite3_open(path, &db))
        die(path, sqlite3_errmsg(db));
    sql(db, "PRAGMA synchronous = OFF; BEGIN;"
            "INSERT INTO machine (id, fingerprint) VALUES (1, 'isa=x page=4096');"
            "INSERT INTO metric VALUES (1, 'time', 'ns', 'timed', 'less', 'every', 1, '', ''),"
            "(2, 'gflops', 'GFLOP/s', 'timed', 'more', 'every', 0, '', '')");
    return db;
}

static double one_pass(sqlite3 *db, int base, int head)
{
    char text[200];
    double start = now();

    snprintf(text, sizeof(text),
             "SELECT sum(total) FROM sample JOIN value ON sample = sample.id WHERE run IN (%d, %d)",
             base, head);
    sql(db, text);
    return now() - start;
}

/* Seconds of the findings and of every report. */
static double gate(const struct fl_compare *all)
{
    static const fl_gate_format_fn formats[] = {fl_gate_print_terminal, fl_gate_print_markdown,
                                                fl_gate_print_junit,    fl_gate_print_github,
                                                fl_gate_print_gitlab,   fl_gate_print_json};
    const struct fl_gate_policy policy = {.inconclusive_fails = true};
    struct fl_gate judged;
    struct fl_err err;
    double start = now();
    FILE *out = fopen("/dev/null", "we");

    if (!out || fl_gate_judge(all, &policy, &judged, &err))
        die("gate", out ? err.text : "/dev/null");
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
        if (formats[i](&judged, out, &err))
            die("report", err.text);
    fclose(out);
    fl_gate_release(&judged);
    return now() - start;
}

static void compare(sqlite3 *db, const char *path, int base, int head, const char *what)
{
    static const struct fl_compare_options options;
    struct fl_err err;
    struct fl_store *store;
    struct fl_compare all;
    double start = now();

    if (fl_store_open(path, FL_STORE_READ, &store, &err) ||
        fl_compare_runs(store, base, head, &options, &all, &err))
        die("compare", err.text);
    double seconds = now() - start;
    size_t with_interval = 0;
    for (size_t i = 0; i < all.count; i++)
        with_interval += all.rows[i].result.interval != FL_INTERVAL_NONE;
    double pass = one_pass(db, base, head);
    printf("%s: %zu rows, %zu with intervals: %.2f s, %.1f times one pass over the values; gate: "
           "%.2f s more\n",
           what, all.count, with_interval, seconds, seconds / pass, gate(&all));
    fl_compare_release(&all);
    fl_store_close(store);
}

int main(int argc, char **argv)
{
    char path[4096], side[4110];

    snprintf(path, sizeof(path), "%s/bench-compare-%d.db", argc > 1 ? argv[1] : ".", getpid());
    sqlite3 *db = make_store(path);
    add_run(db, 1, 10000, 1, 9);
    add_run(db, 2, 10000, 1, 9);
    add_run(db, 3, 24, 1, 36);
    add_run(db, 4, 24, 1, 36);
    pair_runs(db, 1, 2);
    pair_runs(db, 3, 4);
    sql(db, "COMMIT");
    compare(db, path, 1, 2, "10,000 cells x 9 rounds, pairs");
    sql(db, "DELETE FROM paired_cell WHERE pairing = 1; DELETE FROM pairing WHERE id = 1");
    compare(db, path, 1, 2, "10,000 cells x 9 rounds, no pairs");
    sql(db, "BEGIN");
    for (int run = 5; run < 15; run++)
        add_run(db, run, 10000, 1, 9);
    sql(db, "COMMIT");
    compare(db, path, 3, 4, "24 cells x 36 rounds of a million samples, pairs");
    sqlite3_close(db);
    for (const char *const *suffix = (const char *const[]){"", "-wal", "-shm", NULL}; *suffix;
         suffix++) {
        snprintf(side, sizeof(side), "%s%s", path, *suffix);
        unlink(side);
    }
    return 0;
}
