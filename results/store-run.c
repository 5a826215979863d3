/* SPDX-License-Identifier: Apache-2.0 */
/* Finding runs and reading their descriptions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "database.h"

#define RUN_COLUMNS                                                                                \
    "SELECT run.id, uuid, status, started_ns, ifnull(finished_ns, 0), "                            \
    "(SELECT count(*) FROM run_cell WHERE run_cell.run = run.id), "                                \
    "(SELECT count(*) FROM sample WHERE sample.run = run.id), fingerprint, host, label, "          \
    "scenario, title, scenario_text, command_line, version, build_flags, seed, settle_ns, "        \
    "window_ns, counted_calls, rounds, counted_rounds, origin, commit_id, "                        \
    "ifnull(commit_ns, 0) "                                                                        \
    "FROM run JOIN machine ON machine.id = machine "

static void fill_info(sqlite3_stmt *row, struct fl_run_info *out)
{
    *out = (struct fl_run_info){
        .fingerprint = fl_db_text(row, 7),
        .host = fl_db_text(row, 8),
        .label = fl_db_text_or_null(row, 9),
        .scenario = fl_db_text(row, 10),
        .title = fl_db_text_or_null(row, 11),
        .scenario_text = fl_db_text(row, 12),
        .command_line = fl_db_text(row, 13),
        .version = fl_db_text(row, 14),
        .build_flags = fl_db_text(row, 15),
        .seed = (uint64_t)sqlite3_column_int64(row, 16),
        .settle_ns = sqlite3_column_int64(row, 17),
        .window_ns = sqlite3_column_int64(row, 18),
        .counted_calls = sqlite3_column_int64(row, 19),
        .rounds = sqlite3_column_int(row, 20),
        .counted_rounds = sqlite3_column_int(row, 21),
        .origin = (enum fl_run_origin)fl_run_origin_from(fl_db_text(row, 22)),
        .commit_id = fl_db_text_or_null(row, 23),
        .commit_ns = sqlite3_column_int64(row, 24),
        .started_ns = sqlite3_column_int64(row, 3),
    };
}

static void fill_run(sqlite3_stmt *row, struct fl_run_record *out)
{
    *out = (struct fl_run_record){
        .id = sqlite3_column_int64(row, 0),
        .uuid = fl_db_text(row, 1),
        .status = (enum fl_run_status)fl_run_status_from(fl_db_text(row, 2)),
        .started_ns = sqlite3_column_int64(row, 3),
        .finished_ns = sqlite3_column_int64(row, 4),
        .cells = sqlite3_column_int64(row, 5),
        .samples = sqlite3_column_int64(row, 6),
    };
    fill_info(row, &out->info);
}

int fl_store_runs(struct fl_store *store, fl_run_fn each, void *arg, struct fl_err *err)
{
    static const char select[] = RUN_COLUMNS "ORDER BY run.id";
    struct fl_run_record run;
    sqlite3_stmt *row;
    int status = fl_db_bind(store, select, &row, err, "");

    while (!status && (status = fl_db_step(store, row, err)) > 0) {
        fill_run(row, &run);
        status = each(arg, &run);
        if (status)
            fl_db_reset(row);
    }
    return status;
}

int fl_store_run(struct fl_store *store, int64_t run, fl_run_fn each, void *arg, struct fl_err *err)
{
    static const char select[] = RUN_COLUMNS "WHERE run.id = ?";
    struct fl_run_record record;
    sqlite3_stmt *row;
    int status = fl_db_bind(store, select, &row, err, "i", run);

    if (!status)
        status = fl_db_step(store, row, err);
    if (status == 0)
        return fl_fail(err, -ENOENT, "cannot find run %lld in '%s'", (long long)run, store->path);
    if (status < 0)
        return status;
    fill_run(row, &record);
    status = each(arg, &record);
    fl_db_reset(row);
    return status;
}

static int no_such_run(const struct fl_store *store, const char *name, struct fl_err *err)
{
    return fl_fail(err, -ENOENT,
                   "cannot find run '%s' in '%s': name its number, uuid or label, or `latest`",
                   name, store->path);
}

static int find_latest(struct fl_store *store, int64_t *run, struct fl_err *err)
{
    static const char select[] = "SELECT id FROM run ORDER BY id DESC LIMIT 1";
    int status = fl_db_number(store, select, run, err, "");

    if (status == -ENOENT)
        return fl_fail(err, -ENOENT, "cannot find a run in '%s': none is stored yet", store->path);
    return status;
}

static int find_by_uuid(struct fl_store *store, const char *name, int64_t *run, struct fl_err *err)
{
    static const char select[] =
        "SELECT max(id) FROM run WHERE substr(uuid, 1, length(?1)) = lower(?1) "
        "HAVING count(*) = 1";

    return strlen(name) < 4 ? -ENOENT : fl_db_number(store, select, run, err, "T", name);
}

int fl_store_find_run(struct fl_store *store, const char *name, int64_t *run, struct fl_err *err)
{
    static const char by_id[] = "SELECT id FROM run WHERE id = ?";
    static const char by_label[] = "SELECT id FROM run WHERE label = ? ORDER BY id DESC LIMIT 1";
    char *end;
    int status;

    if (strcmp(name, "latest") == 0)
        return find_latest(store, run, err);
    errno = 0;
    long long number = strtoll(name, &end, 10);
    status = -ENOENT;
    if (end != name && !*end && !errno)
        status = fl_db_number(store, by_id, run, err, "i", (int64_t)number);
    if (status == -ENOENT)
        status = fl_db_number(store, by_label, run, err, "T", name);
    if (status == -ENOENT)
        status = find_by_uuid(store, name, run, err);
    return status == -ENOENT ? no_such_run(store, name, err) : status;
}

int fl_store_find_unfinished(struct fl_store *store, const char *scenario, int64_t *run,
                             struct fl_err *err)
{
    static const char select[] =
        "SELECT id FROM (SELECT id, status FROM run WHERE scenario = ? ORDER BY id DESC LIMIT 1) "
        "WHERE status <> 'finished'";
    int status = fl_db_number(store, select, run, err, "T", scenario);

    if (status == -ENOENT)
        return fl_fail(err, -ENOENT,
                       "cannot resume '%s': its last run in '%s' is finished, or there is none",
                       scenario, store->path);
    return status;
}
