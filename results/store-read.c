/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the parts of a run back, row by row. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "database.h"

/* Text of rows that are no longer current, until the group they belong to has been handed on. */
struct fl_copies {
    char *text[2 * FL_FACTS_MAX];
    size_t count;
};

static void clear_copies(struct fl_copies *copies)
{
    while (copies->count)
        free(copies->text[--copies->count]);
}

static const char *copy(struct fl_copies *copies, const char *text)
{
    char *made = strdup(text);

    if (made)
        copies->text[copies->count++] = made;
    return made;
}

static int too_many(const struct fl_store *store, struct fl_err *err)
{
    return fl_fail(err, -EBADMSG, "cannot read '%s': more factors or facts than a run can have",
                   store->path);
}

static int out_of_memory(const struct fl_store *store, struct fl_err *err)
{
    return fl_fail(err, -ENOMEM, "cannot read '%s': out of memory", store->path);
}

/* ---- cells ---- */

struct fl_levels {
    struct fl_stored_level items[FL_FACTS_MAX];
    struct fl_copies copies;
    size_t count;
};

static int read_levels(struct fl_store *store, int64_t cell, struct fl_levels *out,
                       struct fl_err *err)
{
    static const char select[] =
        "SELECT factor, level, implied FROM cell_factor WHERE cell = ? ORDER BY position, factor";
    sqlite3_stmt *row;
    int status = fl_db_bind(store, select, &row, err, "i", cell);

    out->count = 0;
    while (!status && (status = fl_db_step(store, row, err)) > 0) {
        if (out->count == FL_FACTS_MAX) {
            fl_db_reset(row);
            return too_many(store, err);
        }
        struct fl_stored_level *level = &out->items[out->count++];
        level->factor = copy(&out->copies, fl_db_text(row, 0));
        level->level = copy(&out->copies, fl_db_text(row, 1));
        level->implied = sqlite3_column_int(row, 2);
        status = level->factor && level->level ? 0 : out_of_memory(store, err);
        if (status)
            fl_db_reset(row);
    }
    return status;
}

static int hand_on_cell(struct fl_store *store, sqlite3_stmt *row, fl_stored_cell_fn each,
                        void *arg, struct fl_err *err)
{
    struct fl_levels levels = {.count = 0};
    struct fl_stored_cell cell = {
        .id = sqlite3_column_int64(row, 0),
        .key = fl_db_text(row, 1),
        .unavailable = fl_db_text_or_null(row, 2),
        .levels = levels.items,
    };
    int status = read_levels(store, cell.id, &levels, err);

    cell.count = levels.count;
    if (!status)
        status = each(arg, &cell);
    clear_copies(&levels.copies);
    return status;
}

int fl_store_cells(struct fl_store *store, int64_t run, fl_stored_cell_fn each, void *arg,
                   struct fl_err *err)
{
    static const char select[] =
        "SELECT cell.id, key, text FROM run_cell JOIN cell ON cell.id = cell "
        "LEFT JOIN reason ON reason.id = unavailable WHERE run = ? ORDER BY position, cell.id";
    sqlite3_stmt *row;
    int status = fl_db_bind(store, select, &row, err, "i", run);

    while (!status && (status = fl_db_step(store, row, err)) > 0) {
        status = hand_on_cell(store, row, each, arg, err);
        if (status)
            fl_db_reset(row);
    }
    return status;
}

/* ---- samples ---- */

struct fl_fact_list {
    int64_t set; /* that is loaded; 0: none */
    struct fl_fact items[FL_FACTS_MAX];
    struct fl_copies copies;
    size_t count;
};

static int read_facts(struct fl_store *store, int64_t set, struct fl_fact_list *out,
                      struct fl_err *err)
{
    static const char select[] = "SELECT name, value FROM fact_set_member "
                                 "JOIN fact ON fact.id = fact WHERE fact_set = ? ORDER BY fact.id";
    sqlite3_stmt *row;
    int status = fl_db_bind(store, select, &row, err, "i", set);

    clear_copies(&out->copies);
    out->count = 0;
    while (!status && (status = fl_db_step(store, row, err)) > 0) {
        if (out->count == FL_FACTS_MAX) {
            fl_db_reset(row);
            return too_many(store, err);
        }
        struct fl_fact *fact = &out->items[out->count++];
        fact->name = copy(&out->copies, fl_db_text(row, 0));
        fact->value = copy(&out->copies, fl_db_text(row, 1));
        status = fact->name && fact->value ? 0 : out_of_memory(store, err);
        if (status)
            fl_db_reset(row);
    }
    out->set = status ? 0 : set;
    return status;
}

static void fill_sample(sqlite3_stmt *row, int64_t run, struct fl_stored_sample *out)
{
    bool no_cpu = sqlite3_column_type(row, 8) == SQLITE_NULL;
    bool no_load = sqlite3_column_type(row, 9) == SQLITE_NULL;
    bool no_steal = sqlite3_column_type(row, 10) == SQLITE_NULL;

    *out = (struct fl_stored_sample){
        .id = sqlite3_column_int64(row, 0),
        .sample = {.run = run,
                   .cell = sqlite3_column_int64(row, 1),
                   .mode = (enum fl_sample_mode)fl_sample_mode_from(fl_db_text(row, 2)),
                   .round = sqlite3_column_int(row, 3),
                   .seed = (uint64_t)sqlite3_column_int64(row, 4),
                   .outcome = (enum fl_outcome)fl_outcome_from(fl_db_text(row, 5)),
                   .calls = sqlite3_column_int64(row, 6),
                   .started_ns = sqlite3_column_int64(row, 7),
                   .cpu = no_cpu ? -1 : sqlite3_column_int(row, 8),
                   .load = no_load ? -1 : sqlite3_column_double(row, 9),
                   .steal_ns = no_steal ? -1 : sqlite3_column_int64(row, 10),
                   .duration_ns = sqlite3_column_int64(row, 11),
                   .reason = fl_db_text_or_null(row, 12)},
    };
}

struct fl_sample_reader {
    int64_t run;
    struct fl_fact_list facts;
    fl_stored_sample_fn each;
    void *arg;
};

static int hand_on_sample(struct fl_store *store, sqlite3_stmt *row,
                          struct fl_sample_reader *reader, struct fl_err *err)
{
    struct fl_stored_sample sample;
    struct fl_fact_list *facts = &reader->facts;
    int64_t set = sqlite3_column_int64(row, 13);
    int status = set != facts->set && set ? read_facts(store, set, facts, err) : 0;

    if (status)
        return status;
    fill_sample(row, reader->run, &sample);
    sample.sample.facts = facts->items;
    sample.sample.fact_count = set ? facts->count : 0;
    return reader->each(reader->arg, &sample);
}

int fl_store_samples(struct fl_store *store, int64_t run, fl_stored_sample_fn each, void *arg,
                     struct fl_err *err)
{
    static const char select[] =
        "SELECT sample.id, cell, mode, round, seed, outcome, calls, started_ns, cpu, load, "
        "steal_ns, duration_ns, text, facts FROM sample LEFT JOIN reason ON reason.id = reason "
        "WHERE run = ? ORDER BY sample.id";
    struct fl_sample_reader reader = {.run = run, .each = each, .arg = arg};
    sqlite3_stmt *row;
    int status = fl_db_bind(store, select, &row, err, "i", run);

    while (!status && (status = fl_db_step(store, row, err)) > 0) {
        status = hand_on_sample(store, row, &reader, err);
        if (status)
            fl_db_reset(row);
    }
    clear_copies(&reader.facts.copies);
    return status;
}

static void fill_value(sqlite3_stmt *row, struct fl_value *out)
{
    *out = (struct fl_value){
        .metric = sqlite3_column_int64(row, 0),
        .state = (enum fl_reading_state)sqlite3_column_int(row, 1),
        .is_real = sqlite3_column_type(row, 2) == SQLITE_FLOAT,
        .total = sqlite3_column_int64(row, 2),
        .real = sqlite3_column_double(row, 2),
        .scale = sqlite3_column_double(row, 3),
        .reason = fl_db_text_or_null(row, 4),
    };
}

int fl_store_values(struct fl_store *store, int64_t sample, fl_value_fn each, void *arg,
                    struct fl_err *err)
{
    static const char select[] =
        "SELECT metric, state, total, scale, text FROM value LEFT JOIN reason "
        "ON reason.id = reason WHERE sample = ? ORDER BY metric";
    struct fl_value value;
    sqlite3_stmt *row;
    int status = fl_db_bind(store, select, &row, err, "i", sample);

    while (!status && (status = fl_db_step(store, row, err)) > 0) {
        fill_value(row, &value);
        status = each(arg, &value);
        if (status)
            fl_db_reset(row);
    }
    return status;
}

/* ---- metrics, facts, expectations ---- */

static void fill_metric(sqlite3_stmt *row, struct fl_stored_metric *out)
{
    *out = (struct fl_stored_metric){
        .id = sqlite3_column_int64(row, 0),
        .metric = {.name = fl_db_text(row, 1),
                   .unit = fl_db_text(row, 2),
                   .summary = fl_db_text(row, 3),
                   .source = fl_db_text(row, 4),
                   .kind = (enum fl_metric_kind)fl_metric_kind_from(fl_db_text(row, 5)),
                   .better = (enum fl_metric_better)fl_metric_better_from(fl_db_text(row, 6)),
                   .mode = strcmp(fl_db_text(row, 7), "counted") == 0 ? FL_IN_COUNTING_SAMPLES
                                                                      : FL_IN_EVERY_SAMPLE},
        .per_call = sqlite3_column_int(row, 8),
        .planned = sqlite3_column_type(row, 9) != SQLITE_NULL,
    };
    out->metric.ratio = !out->per_call && out->metric.kind != FL_METRIC_LEVEL;
}

int fl_store_metrics(struct fl_store *store, int64_t run, fl_stored_metric_fn each, void *arg,
                     struct fl_err *err)
{
    static const char select[] =
        "SELECT id, name, unit, summary, source, kind, better, mode, per_call, position "
        "FROM metric LEFT JOIN run_metric ON run_metric.metric = metric.id AND run_metric.run = ?1 "
        "WHERE position IS NOT NULL OR id IN (SELECT value.metric FROM sample JOIN value "
        "ON value.sample = sample.id WHERE sample.run = ?1) "
        "ORDER BY position IS NULL, position, id";
    struct fl_stored_metric metric;
    sqlite3_stmt *row;
    int status = fl_db_bind(store, select, &row, err, "i", run);

    while (!status && (status = fl_db_step(store, row, err)) > 0) {
        fill_metric(row, &metric);
        status = each(arg, &metric);
        if (status)
            fl_db_reset(row);
    }
    return status;
}

static int each_pair(struct fl_store *store, const char *sql, int64_t run, fl_fact_fn each,
                     void *arg, struct fl_err *err)
{
    sqlite3_stmt *row;
    int status = fl_db_bind(store, sql, &row, err, "i", run);

    while (!status && (status = fl_db_step(store, row, err)) > 0) {
        struct fl_fact fact = {fl_db_text(row, 0), fl_db_text(row, 1)};
        status = each(arg, &fact);
        if (status)
            fl_db_reset(row);
    }
    return status;
}

int fl_store_machine_facts(struct fl_store *store, int64_t run, fl_fact_fn each, void *arg,
                           struct fl_err *err)
{
    static const char select[] = "SELECT name, value FROM machine_fact WHERE machine = "
                                 "(SELECT machine FROM run WHERE id = ?) ORDER BY name";

    return each_pair(store, select, run, each, arg, err);
}

int fl_store_environment(struct fl_store *store, int64_t run, fl_fact_fn each, void *arg,
                         struct fl_err *err)
{
    static const char select[] = "SELECT name, value FROM environment WHERE run = ? ORDER BY name";

    return each_pair(store, select, run, each, arg, err);
}

int fl_store_expectations(struct fl_store *store, int64_t run, fl_expectation_fn each, void *arg,
                          struct fl_err *err)
{
    static const char select[] =
        "SELECT rule, metric, host, ifnull(cell, 0), expected, measured, ifnull(held, -1), key "
        "FROM expectation LEFT JOIN cell ON cell.id = cell WHERE run = ? ORDER BY position";
    sqlite3_stmt *row;
    int status = fl_db_bind(store, select, &row, err, "i", run);

    while (!status && (status = fl_db_step(store, row, err)) > 0) {
        struct fl_expectation expectation = {
            .rule = fl_db_text(row, 0),
            .metric = fl_db_text(row, 1),
            .host = fl_db_text_or_null(row, 2),
            .cell = sqlite3_column_int64(row, 3),
            .expected = fl_db_text(row, 4),
            .measured = fl_db_text_or_null(row, 5),
            .held = sqlite3_column_int(row, 6),
        };
        status = each(arg, &expectation, fl_db_text_or_null(row, 7));
        if (status)
            fl_db_reset(row);
    }
    return status;
}
