/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a run: its description, its plan, its end and what became of its expectations. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "database.h"

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A random (version 4) UUID. */
static int make_uuid(char out[37], struct fl_err *err)
{
    unsigned char b[16];

    if (getrandom(b, sizeof(b), 0) != (ssize_t)sizeof(b))
        return fl_fail(err, -errno, "cannot make a run id: %s", strerror(errno));
    b[6] = (b[6] & 0x0f) | 0x40;
    b[8] = (b[8] & 0x3f) | 0x80;
    snprintf(out, 37, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0],
             b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
             b[14], b[15]);
    return 0;
}

static int add_pairs(struct fl_store *store, const char *sql, int64_t owner,
                     const struct fl_fact *pairs, size_t count, struct fl_err *err)
{
    int status = 0;

    for (size_t i = 0; i < count && !status; i++)
        status = fl_db_run(store, sql, err, "iTT", owner, pairs[i].name, pairs[i].value);
    return status;
}

static int add_machine(struct fl_store *store, const struct fl_run_info *info, int64_t *machine,
                       struct fl_err *err)
{
    static const char insert[] = "INSERT INTO machine (fingerprint) VALUES (?) "
                                 "ON CONFLICT DO UPDATE SET fingerprint = excluded.fingerprint "
                                 "RETURNING id";
    static const char clear[] = "DELETE FROM machine_fact WHERE machine = ?";
    static const char fact[] = "INSERT OR REPLACE INTO machine_fact VALUES (?, ?, ?)";
    int status = fl_db_number(store, insert, machine, err, "T", info->fingerprint);

    if (!status)
        status = fl_db_run(store, clear, err, "i", *machine);
    if (!status)
        status = add_pairs(store, fact, *machine, info->machine, info->machine_count, err);
    return status;
}

static int add_run(struct fl_store *store, const struct fl_run_info *info, int64_t machine,
                   int64_t *run, struct fl_err *err)
{
    static const char insert[] =
        "INSERT INTO run (uuid, machine, host, label, scenario, title, scenario_text, "
        "command_line, version, build_flags, seed, settle_ns, window_ns, rounds, counted_rounds, "
        "counted_calls, started_ns, origin, commit_id, commit_ns, status) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, 0), 'running') "
        "RETURNING id";
    static const char fact[] = "INSERT OR REPLACE INTO environment VALUES (?, ?, ?)";
    char uuid[37];
    int status = make_uuid(uuid, err);

    if (!status)
        status = fl_db_number(store, insert, run, err, "tiTtTtTTTTiiiiiiiTti", uuid, machine,
                              info->host, info->label, info->scenario, info->title,
                              info->scenario_text, info->command_line, info->version,
                              info->build_flags, (int64_t)info->seed, info->settle_ns,
                              info->window_ns, (int64_t)info->rounds, (int64_t)info->counted_rounds,
                              info->counted_calls, info->started_ns ? info->started_ns : now_ns(),
                              fl_run_origin_name(info->origin), info->commit_id, info->commit_ns);
    if (!status)
        status = add_pairs(store, fact, *run, info->environment, info->environment_count, err);
    return status;
}

int fl_db_describe_run(struct fl_store *store, int64_t run, const struct fl_run_info *info,
                       struct fl_err *err)
{
    static const char update[] =
        "UPDATE run SET machine = ?, host = ?, label = ?, scenario = ?, title = ?, "
        "scenario_text = ?, command_line = ?, version = ?, build_flags = ?, rounds = ?, "
        "started_ns = ?, origin = ?, commit_id = ?, commit_ns = nullif(?, 0), seed = ?, "
        "settle_ns = ?, window_ns = ?, counted_rounds = ?, counted_calls = ? WHERE id = ?";
    static const char clear[] = "DELETE FROM environment WHERE run = ?";
    static const char fact[] = "INSERT OR REPLACE INTO environment VALUES (?, ?, ?)";
    int64_t machine;
    int status = add_machine(store, info, &machine, err);

    if (!status)
        status =
            fl_db_run(store, update, err, "iTtTtTTTTiiTtiiiiiii", machine, info->host, info->label,
                      info->scenario, info->title, info->scenario_text, info->command_line,
                      info->version, info->build_flags, (int64_t)info->rounds, info->started_ns,
                      fl_run_origin_name(info->origin), info->commit_id, info->commit_ns,
                      (int64_t)info->seed, info->settle_ns, info->window_ns,
                      (int64_t)info->counted_rounds, info->counted_calls, run);
    if (!status)
        status = fl_db_run(store, clear, err, "i", run);
    if (!status)
        status = add_pairs(store, fact, run, info->environment, info->environment_count, err);
    return status;
}

int fl_store_begin_run(struct fl_store *store, const struct fl_run_info *info, int64_t *run,
                       struct fl_err *err)
{
    int64_t machine;
    int status = fl_db_begin(store, err);

    if (status)
        return status;
    status = add_machine(store, info, &machine, err);
    if (!status)
        status = add_run(store, info, machine, run, err);
    return fl_db_end(store, status, err);
}

int fl_store_set_status(struct fl_store *store, int64_t run, enum fl_run_status status,
                        struct fl_err *err)
{
    static const char ended[] = "UPDATE run SET status = ?, finished_ns = ? WHERE id = ?";
    static const char going[] = "UPDATE run SET status = ?, finished_ns = NULL WHERE id = ?";
    const char *name = fl_run_status_name(status);
    int result;

    if (status == FL_RUN_RUNNING)
        result = fl_db_run(store, going, err, "Ti", name, run);
    else
        result = fl_db_run(store, ended, err, "Tii", name, now_ns(), run);
    if (!result && sqlite3_changes(store->db) == 0)
        return fl_fail(err, -ENOENT, "cannot end run %lld: '%s' has no such run", (long long)run,
                       store->path);
    return result;
}

static int add_level(struct fl_store *store, int64_t cell, const char *key,
                     const struct fl_stored_level *level, size_t position, struct fl_err *err)
{
    static const char insert[] = "INSERT OR IGNORE INTO cell_factor VALUES (?, ?, ?, ?, ?)";
    static const char differs[] =
        "SELECT 1 FROM cell_factor WHERE cell = ? AND factor = ? AND level <> ?";
    int64_t yes;
    int status = fl_db_run(store, insert, err, "iTTii", cell, level->factor, level->level,
                           (int64_t)position, (int64_t)level->implied);

    if (status || sqlite3_changes(store->db))
        return status;
    status = fl_db_number(store, differs, &yes, err, "iTT", cell, level->factor, level->level);
    if (status)
        return status == -ENOENT ? 0 : status;
    return fl_fail(err, -EEXIST,
                   "cannot store cell '%s' in '%s': it is there with another %s than '%s': use "
                   "another store",
                   key, store->path, level->factor, level->level);
}

static int add_cell(struct fl_store *store, const struct fl_planned_cell *cell, int64_t *id,
                    struct fl_err *err)
{
    static const char insert[] = "INSERT OR IGNORE INTO cell (key) VALUES (?)";
    static const char find[] = "SELECT id FROM cell WHERE key = ?";
    int status = fl_db_insert(store, insert, id, err, "T", cell->key);

    if (!status && !sqlite3_changes(store->db))
        status = fl_db_number(store, find, id, err, "T", cell->key);

    if (!status && cell->count > FL_FACTS_MAX)
        return fl_fail(err, -E2BIG, "cannot store cell '%s' with more than %d factors", cell->key,
                       FL_FACTS_MAX);
    for (size_t i = 0; i < cell->count && !status; i++)
        status = add_level(store, *id, cell->key, &cell->levels[i], i, err);
    return status;
}

int fl_db_reason(struct fl_store *store, const char *text, int64_t *id, struct fl_err *err)
{
    static const char find[] = "SELECT id FROM reason WHERE text = ?";
    static const char insert[] = "INSERT INTO reason (text) VALUES (?)";
    int status = fl_db_number(store, find, id, err, "T", text);

    return status == -ENOENT ? fl_db_insert(store, insert, id, err, "T", text) : status;
}

int fl_db_plan_cell(struct fl_store *store, int64_t run, const struct fl_planned_cell *cell,
                    int64_t position, int64_t *id, struct fl_err *err)
{
    static const char insert[] =
        "INSERT INTO run_cell (run, cell, position, unavailable) VALUES (?, ?, ?, nullif(?, 0)) "
        "ON CONFLICT DO UPDATE SET unavailable = excluded.unavailable";
    int64_t reason = 0;
    int status = add_cell(store, cell, id, err);

    if (!status && cell->unavailable)
        status = fl_db_reason(store, cell->unavailable, &reason, err);
    if (!status)
        status = fl_db_run(store, insert, err, "iiii", run, *id, position, reason);
    return status;
}

static int plan_cells(struct fl_store *store, int64_t run, const struct fl_planned_cell *cells,
                      size_t count, int64_t *ids, struct fl_err *err)
{
    static const char next[] = "SELECT ifnull(max(position) + 1, 0) FROM run_cell WHERE run = ?";
    int64_t id, position;
    int status = fl_db_number(store, next, &position, err, "i", run);

    for (size_t i = 0; i < count && !status; i++) {
        status = fl_db_plan_cell(store, run, &cells[i], position + (int64_t)i, &id, err);
        if (!status && ids)
            ids[i] = id;
    }
    return status;
}

int fl_store_plan(struct fl_store *store, int64_t run, const struct fl_planned_cell *cells,
                  size_t count, int64_t *ids, struct fl_err *err)
{
    int status = fl_db_begin(store, err);

    return status ? status : fl_db_end(store, plan_cells(store, run, cells, count, ids, err), err);
}

int fl_store_metric(struct fl_store *store, const struct fl_metric *metric, int64_t *id,
                    struct fl_err *err)
{
    static const char upsert[] =
        "INSERT INTO metric (name, unit, kind, better, mode, per_call, summary, source) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, "
        "better = excluded.better, mode = excluded.mode, summary = excluded.summary, "
        "source = excluded.source "
        "WHERE unit = excluded.unit AND per_call = excluded.per_call RETURNING id";
    const char *mode = metric->mode == FL_IN_COUNTING_SAMPLES ? "counted" : "every";
    int status =
        fl_db_number(store, upsert, id, err, "TTTTTiTT", metric->name, metric->unit,
                     fl_metric_kind_name(metric->kind), fl_metric_better_name(metric->better), mode,
                     (int64_t)fl_metric_per_call(metric), metric->summary, metric->source);

    if (status == -ENOENT)
        return fl_fail(err, -EEXIST,
                       "cannot store metric '%s' in '%s': it is there with another unit than "
                       "'%s': use another store",
                       metric->name, store->path, metric->unit);
    return status;
}

int fl_store_plan_metrics(struct fl_store *store, int64_t run, const int64_t *metrics, size_t count,
                          struct fl_err *err)
{
    static const char insert[] =
        "INSERT OR IGNORE INTO run_metric VALUES (?1, ?2, "
        "(SELECT ifnull(max(position) + 1, 0) FROM run_metric WHERE run = ?1))";
    int status = fl_db_begin(store, err);

    if (status)
        return status;
    for (size_t i = 0; i < count && !status; i++)
        status = fl_db_run(store, insert, err, "ii", run, metrics[i]);
    return fl_db_end(store, status, err);
}

static int add_expectation(struct fl_store *store, int64_t run, size_t position,
                           const struct fl_expectation *row, struct fl_err *err)
{
    static const char insert[] =
        "INSERT INTO expectation (run, position, rule, metric, host, expected, measured, "
        "cell, held) VALUES (?, ?, ?, ?, ?, ?, ?, nullif(?, 0), nullif(?, -1))";

    return fl_db_run(store, insert, err, "iiTTtTtii", run, (int64_t)position, row->rule,
                     row->metric, row->host, row->expected, row->measured, row->cell,
                     (int64_t)row->held);
}

int fl_store_set_expectations(struct fl_store *store, int64_t run,
                              const struct fl_expectation *rows, size_t count, struct fl_err *err)
{
    static const char clear[] = "DELETE FROM expectation WHERE run = ?";
    int status = fl_db_begin(store, err);

    if (status)
        return status;
    status = fl_db_run(store, clear, err, "i", run);
    for (size_t i = 0; i < count && !status; i++)
        status = add_expectation(store, run, i, &rows[i], err);
    return fl_db_end(store, status, err);
}
