/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run as Google Benchmark's JSON, for the tools that read it: one entry a timed sample, or one a
 * repetition where an imported sample keeps them. Written entry by entry.
 */
#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "database.h"
#include "results/export.h"
#include "results/number.h"
#include "results/text.h"

enum { VALUES_MAX = 512 };

struct one_value {
    const char *name, *unit;
    double value;
    const char *list; /* of repetitions, as text; NULL: none */
};

struct writer {
    struct fl_store *store;
    FILE *out;
    struct fl_err *err;
    struct fl_arena arena; /* of the sample at hand */
    bool first;
};

/* The columns of a sample's row. */
struct sample_row {
    int64_t id, calls, index, samples, threads;
    const char *name, *outcome, *reason;
    const char *time_unit, *label; /* NULL: none */
    int64_t repetitions;
    struct one_value values[VALUES_MAX];
    size_t count;
};

static void put_text(struct writer *w, const char *text)
{
    char *valid = fl_text_as_utf8(&w->arena, text);
    struct json_object *string = json_object_new_string(valid ? valid : "");

    fputs(string ? json_object_to_json_string_ext(string, JSON_C_TO_STRING_NOSLASHESCAPE) : "\"\"",
          w->out);
    json_object_put(string);
}

static void put_key(struct writer *w, const char *key)
{
    fputs(",\n      ", w->out);
    put_text(w, key);
    fputs(": ", w->out);
}

static void put_real(struct writer *w, const char *key, double value)
{
    char text[FL_NUMBER_TEXT];

    fl_number_text((struct fl_number){.is_real = true, .real = value}, text);
    put_key(w, key);
    fputs(text, w->out);
}

static void put_integer(struct writer *w, const char *key, int64_t value)
{
    put_key(w, key);
    fprintf(w->out, "%lld", (long long)value);
}

static void put_string(struct writer *w, const char *key, const char *value)
{
    put_key(w, key);
    put_text(w, value);
}

/* ---- times ---- */

static const struct {
    const char *name;
    double ns;
} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

/* Of a unit, in nanoseconds; 0: it is none of time. */
static double unit_ns(const char *unit)
{
    if (strcmp(unit, "msec") == 0)
        return 1e6;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(unit, units[i].name) == 0)
            return units[i].ns;
    return 0;
}

static const struct one_value *find_value(const struct sample_row *row, const char *name)
{
    for (size_t i = 0; i < row->count; i++)
        if (strcmp(row->values[i].name, name) == 0)
            return &row->values[i];
    return NULL;
}

/* What this run's samples have for wall time: ours, Google Benchmark's, hyperfine's or perf's. */
static const struct one_value *wall_time(const struct sample_row *row)
{
    static const char *const names[] = {"real_time", "time", "times", "duration_time"};
    const struct one_value *found = NULL;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !found; i++)
        found = find_value(row, names[i]);
    return found;
}

/* ---- entries ---- */

/* The value of a repetition; the sample's where there is no list. */
static double value_at(const struct one_value *of, int64_t repetition)
{
    const char *at = of->list;
    char *end = NULL;
    double value = of->value;

    for (int64_t i = 0; i <= repetition && at; i++) {
        double next = strtod(at, &end);
        if (end == at)
            return of->value;
        value = next;
        at = end;
    }
    return isfinite(value) ? value : of->value;
}

/* Fields of an entry, which no counter may be called. */
static bool is_field(const char *name)
{
    static const char *const fields[] = {"name",
                                         "family_index",
                                         "per_family_instance_index",
                                         "run_name",
                                         "run_type",
                                         "repetitions",
                                         "repetition_index",
                                         "threads",
                                         "aggregate_name",
                                         "aggregate_unit",
                                         "error_occurred",
                                         "error_message",
                                         "skipped",
                                         "skip_message",
                                         "iterations",
                                         "real_time",
                                         "cpu_time",
                                         "time_unit",
                                         "label"};

    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        if (strcmp(name, fields[i]) == 0)
            return true;
    return false;
}

static void put_counters(struct writer *w, const struct sample_row *row,
                         const struct one_value *wall, int64_t repetition)
{
    char other[300];

    for (size_t i = 0; i < row->count; i++) {
        const struct one_value *value = &row->values[i];
        if (value == wall || strcmp(value->name, "cpu_time") == 0)
            continue;
        snprintf(other, sizeof(other), "%.270s (counter)", value->name);
        put_real(w, is_field(value->name) ? other : value->name, value_at(value, repetition));
    }
}

static void put_times(struct writer *w, const struct sample_row *row, const struct one_value *wall,
                      int64_t repetition)
{
    const struct one_value *cpu = find_value(row, "cpu_time");
    const char *unit = row->time_unit && unit_ns(row->time_unit) > 0 ? row->time_unit : "ns";
    double factor = 1;

    if (unit_ns(wall->unit) > 0 && strcmp(wall->unit, "ns") != 0)
        unit = strcmp(wall->unit, "msec") ? wall->unit : "ms"; /* as it is stored */
    else
        factor = unit_ns(unit);
    put_integer(w, "iterations", row->calls);
    put_real(w, "real_time", value_at(wall, repetition) / factor);
    /* What reads the file wants one. Where none was measured, it is the wall time. */
    put_real(w, "cpu_time", value_at(cpu ? cpu : wall, repetition) / factor);
    put_string(w, "time_unit", unit);
}

static void put_failure(struct writer *w, const struct sample_row *row)
{
    char text[256];

    snprintf(text, sizeof(text), "%s%s%.200s", row->outcome, row->reason ? ": " : "",
             row->reason ? row->reason : "");
    put_key(w, "error_occurred");
    fputs("true", w->out);
    put_string(w, "error_message",
               strcmp(row->outcome, "failed") || !row->reason ? text : row->reason);
    put_integer(w, "iterations", 0);
    put_integer(w, "real_time", 0);
    put_integer(w, "cpu_time", 0);
    put_string(w, "time_unit", "ns");
}

static void put_entry(struct writer *w, const struct sample_row *row, int64_t repetition)
{
    const struct one_value *wall = wall_time(row);

    fprintf(w->out, "%s\n    {\n      \"name\": ", w->first ? "" : ",");
    w->first = false;
    put_text(w, row->name);
    put_string(w, "run_name", row->name);
    put_string(w, "run_type", "iteration");
    put_integer(w, "repetitions", row->samples * row->repetitions);
    put_integer(w, "repetition_index", row->index * row->repetitions + repetition);
    put_integer(w, "threads", row->threads);
    if (strcmp(row->outcome, "ok") != 0) {
        put_failure(w, row);
    } else if (wall) {
        put_times(w, row, wall, repetition);
        put_counters(w, row, wall, repetition);
    }
    if (row->label)
        put_string(w, "label", row->label);
    fputs("\n    }", w->out);
}

/* ---- reading a sample ---- */

static const char *keep(struct writer *w, const char *text)
{
    const char *copy = fl_text_copy(&w->arena, text);

    return copy ? copy : "";
}

static int read_values(struct writer *w, struct sample_row *row)
{
    static const char select[] = "SELECT name, unit, value FROM v_value "
                                 "WHERE sample = ? AND value IS NOT NULL ORDER BY metric";
    sqlite3_stmt *value;
    int status = fl_db_bind(w->store, select, &value, w->err, "i", row->id);

    row->count = 0;
    while (!status && (status = fl_db_step(w->store, value, w->err)) > 0) {
        status = 0;
        if (row->count < VALUES_MAX)
            row->values[row->count++] = (struct one_value){
                .name = keep(w, fl_db_text(value, 0)),
                .unit = keep(w, fl_db_text(value, 1)),
                .value = sqlite3_column_double(value, 2),
            };
    }
    return status;
}

static void keep_fact(struct writer *w, struct sample_row *row, const char *name, const char *text)
{
    static const char tail[] = ".repetitions";
    size_t length = strlen(name);

    if (strcmp(name, "time_unit") == 0)
        row->time_unit = keep(w, text);
    else if (strcmp(name, "label") == 0)
        row->label = keep(w, text);
    else if (strcmp(name, "repetitions") == 0)
        row->repetitions = strtoll(text, NULL, 10);
    if (length < sizeof(tail) || strcmp(name + length - (sizeof(tail) - 1), tail) != 0)
        return;
    for (size_t i = 0; i < row->count; i++)
        if (strncmp(row->values[i].name, name, length - (sizeof(tail) - 1)) == 0 &&
            strlen(row->values[i].name) == length - (sizeof(tail) - 1))
            row->values[i].list = keep(w, text);
}

static int read_facts(struct writer *w, struct sample_row *row)
{
    static const char select[] = "SELECT name, value FROM v_fact WHERE sample = ?";
    sqlite3_stmt *fact;
    int status = fl_db_bind(w->store, select, &fact, w->err, "i", row->id);

    row->time_unit = row->label = NULL;
    row->repetitions = 1;
    while (!status && (status = fl_db_step(w->store, fact, w->err)) > 0) {
        status = 0;
        keep_fact(w, row, fl_db_text(fact, 0), fl_db_text(fact, 1));
    }
    if (row->repetitions < 1 || row->repetitions > 1000000 || !wall_time(row) ||
        !wall_time(row)->list)
        row->repetitions = 1;
    return status;
}

static int write_sample(struct writer *w, sqlite3_stmt *at, struct sample_row *row)
{
    row->id = sqlite3_column_int64(at, 0);
    row->name = keep(w, fl_db_text(at, sqlite3_column_type(at, 1) == SQLITE_NULL ? 2 : 1));
    row->outcome = keep(w, fl_db_text(at, 3));
    row->reason = fl_db_text_or_null(at, 4);
    row->calls = sqlite3_column_int64(at, 5);
    row->threads = strtoll(fl_db_text(at, 6), NULL, 10);
    row->threads = row->threads > 0 ? row->threads : 1;
    row->repetitions = 1;
    row->samples = sqlite3_column_int64(at, 7);
    row->index = sqlite3_column_int64(at, 8) - 1;
    int status = read_values(w, row);
    if (!status)
        status = read_facts(w, row);
    bool shown = strcmp(row->outcome, "ok") != 0 || wall_time(row);
    for (int64_t i = 0; i < row->repetitions && shown && !status; i++)
        put_entry(w, row, i);
    fl_arena_release(&w->arena);
    return status ? status : fl_export_check(w->out, w->err);
}

static int write_samples(struct writer *w, int64_t run)
{
    static const char select[] =
        "SELECT s.id, (SELECT level FROM cell_factor AS f WHERE f.cell = s.cell AND factor = "
        "'benchmark'), key, outcome, text, calls, "
        "ifnull((SELECT level FROM cell_factor AS f WHERE f.cell = s.cell AND factor = 'threads'), "
        "'1'), count(*) OVER (PARTITION BY s.cell), row_number() OVER (PARTITION BY s.cell "
        "ORDER BY round) FROM run_cell AS p JOIN sample AS s ON s.run = p.run AND s.cell = p.cell "
        "JOIN cell ON cell.id = s.cell LEFT JOIN reason ON reason.id = s.reason "
        "WHERE p.run = ? AND mode = 'timed' ORDER BY position, round";
    struct sample_row *row = malloc(sizeof(*row));
    sqlite3_stmt *at;
    int status = row ? fl_db_bind(w->store, select, &at, w->err, "i", run)
                     : fl_fail(w->err, -ENOMEM, "cannot export: out of memory");

    while (!status && (status = fl_db_step(w->store, at, w->err)) > 0) {
        status = write_sample(w, at, row);
        if (status)
            fl_db_reset(at);
    }
    free(row);
    return status;
}

/* ---- context ---- */

static int write_context(void *arg, const struct fl_run_record *run)
{
    struct writer *w = arg;
    time_t seconds = (time_t)(run->started_ns / 1000000000);
    struct tm tm;
    char date[40];

    gmtime_r(&seconds, &tm);
    strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S+00:00", &tm);
    fprintf(w->out, "{\n  \"context\": {\n      \"date\": \"%s\"", date);
    put_string(w, "host_name", run->info.host);
    put_string(w, "executable", run->info.scenario);
    put_string(w, "faultline_run", run->uuid);
    put_string(w, "faultline_version", run->info.version);
    fl_arena_release(&w->arena);
    return fl_export_check(w->out, w->err);
}

/* What an imported context had and is not written from the run itself. */
static int write_fact(void *arg, const struct fl_fact *fact)
{
    static const char *const own[] = {"date", "host_name", "executable", "faultline_run",
                                      "faultline_version"};
    static const char *const numbers[] = {"num_cpus", "mhz_per_cpu", "json_schema_version"};
    struct writer *w = arg;

    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if (strcmp(fact->name, own[i]) == 0)
            return 0;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (strcmp(fact->name, numbers[i]) == 0) {
            put_integer(w, fact->name, strtoll(fact->value, NULL, 10));
            return 0;
        }
    put_string(w, fact->name, fact->value);
    fl_arena_release(&w->arena);
    return 0;
}

static int write_all(struct writer *w, int64_t run)
{
    int status = fl_store_run(w->store, run, write_context, w, w->err);

    if (!status)
        status = fl_store_environment(w->store, run, write_fact, w, w->err);
    if (status)
        return status;
    fputs("\n  },\n  \"benchmarks\": [", w->out);
    status = write_samples(w, run);
    if (status)
        return status;
    fputs("\n  ]\n}\n", w->out);
    return fl_export_flush(w->out, w->err);
}

int fl_export_gbench(struct fl_store *store, int64_t run, FILE *out, struct fl_err *err)
{
    struct writer writer = {.store = store, .out = out, .err = err, .first = true};

    writer.arena.heap = true;
    /* One read transaction: what is written while we read is in no part of it. */
    int status = fl_db_run(store, "BEGIN", err, "");
    if (!status)
        status = fl_db_end(store, write_all(&writer, run), err);
    fl_arena_release(&writer.arena);
    return status;
}
