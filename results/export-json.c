/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON of a run, written piece by piece: one line a metric, a cell and a sample, so that a large
 * run is never in memory at once.
 */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "database.h"
#include "results/export.h"
#include "results/text.h"

#define FORMAT_VERSION 1
#define PLAIN          (JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)

struct fl_writer {
    struct fl_store *store;
    FILE *out;
    struct fl_err *err;
    struct fl_arena arena;     /* of the piece being made */
    struct fl_summary names;   /* names of metrics by id, keys of cells by id */
    struct json_object *piece; /* values are added to it */
    const char *between;       /* in front of the next piece of the current list */
    bool failed;               /* a text could not be copied */
};

static struct json_object *text_of(struct fl_writer *w, const char *text)
{
    char *valid = text ? fl_text_as_utf8(&w->arena, text) : NULL;

    w->failed |= text && !valid;
    return valid ? json_object_new_string(valid) : NULL;
}

/* json-c keeps what it is handed; a name that is there already is replaced. */
static void put(struct fl_writer *w, struct json_object *object, const char *name,
                struct json_object *value)
{
    char *valid = fl_text_as_utf8(&w->arena, name);

    if (!valid || json_object_object_add(object, valid, value))
        json_object_put(value);
}

static void put_text(struct fl_writer *w, struct json_object *object, const char *name,
                     const char *text)
{
    put(w, object, name, text_of(w, text));
}

static void put_integer(struct fl_writer *w, struct json_object *object, const char *name,
                        int64_t value)
{
    put(w, object, name, json_object_new_int64(value));
}

/* A real always shows that it is one, so that reading it back gives a real. */
static void put_real(struct fl_writer *w, struct json_object *object, const char *name,
                     double value)
{
    char text[FL_NUMBER_TEXT + 2];

    fl_number_text((struct fl_number){.is_real = true, .real = value}, text);
    if (!strpbrk(text, ".en"))
        memcpy(text + strlen(text), ".0", sizeof(".0"));
    put(w, object, name, json_object_new_double_s(value, text));
}

/* Writes a piece, lets go of it and of the text it was made from. */
static int write_piece(struct fl_writer *w, struct json_object *piece)
{
    size_t length = 0;
    bool whole = piece && !w->failed;
    const char *text = whole ? json_object_to_json_string_length(piece, PLAIN, &length) : NULL;

    int status = fl_export_check(w->out, w->err);
    errno = 0;
    if (text && !status)
        fprintf(w->out, "%s%s", w->between, text);
    w->between = ",\n    ";
    json_object_put(piece);
    fl_arena_release(&w->arena);
    if (status)
        return status;
    return text ? fl_export_check(w->out, w->err)
                : fl_fail(w->err, -ENOMEM, "cannot write: out of memory");
}

static void begin_list(struct fl_writer *w, const char *name)
{
    fprintf(w->out, ",\n  \"%s\": [", name);
    w->between = "\n    ";
}

static void end_list(struct fl_writer *w)
{
    fputs("\n  ]", w->out);
}

/* ---- the run ---- */

static int add_fact(void *arg, const struct fl_fact *fact)
{
    struct fl_writer *w = arg;

    put_text(w, w->piece, fact->name, fact->value);
    return 0;
}

static int write_facts(struct fl_writer *w, int64_t run, const char *name,
                       int (*read)(struct fl_store *, int64_t, fl_fact_fn, void *, struct fl_err *))
{
    w->piece = json_object_new_object();
    int status = read(w->store, run, add_fact, w, w->err);

    if (status) {
        json_object_put(w->piece);
        return status;
    }
    fprintf(w->out, ",\n  \"%s\": ", name);
    w->between = "";
    return write_piece(w, w->piece);
}

static int write_run(struct fl_writer *w, const struct fl_run_record *run)
{
    const struct fl_run_info *info = &run->info;
    struct json_object *o = json_object_new_object();

    put_text(w, o, "uuid", run->uuid);
    put_text(w, o, "status", fl_run_status_name(run->status));
    put_integer(w, o, "started_ns", run->started_ns);
    put(w, o, "finished_ns", run->finished_ns ? json_object_new_int64(run->finished_ns) : NULL);
    put_text(w, o, "host", info->host);
    put_text(w, o, "label", info->label);
    put_text(w, o, "scenario", info->scenario);
    put_text(w, o, "title", info->title);
    put_text(w, o, "scenario_text", info->scenario_text);
    put_text(w, o, "command_line", info->command_line);
    put_text(w, o, "version", info->version);
    put_text(w, o, "build_flags", info->build_flags);
    put(w, o, "seed", json_object_new_uint64(info->seed));
    put_integer(w, o, "settle_ns", info->settle_ns);
    put_integer(w, o, "window_ns", info->window_ns);
    put_integer(w, o, "rounds", info->rounds);
    put_integer(w, o, "counted_rounds", info->counted_rounds);
    put_integer(w, o, "counted_calls", info->counted_calls);
    put_text(w, o, "origin", fl_run_origin_name(info->origin));
    put_text(w, o, "commit_id", info->commit_id);
    put(w, o, "commit_ns", info->commit_ns ? json_object_new_int64(info->commit_ns) : NULL);
    put_text(w, o, "fingerprint", info->fingerprint);
    fprintf(w->out,
            "{\n  \"format\": \"faultline-run\",\n  \"version\": %d,\n  \"run\": ", FORMAT_VERSION);
    w->between = "";
    return write_piece(w, o);
}

/* ---- metrics and cells ---- */

static int write_metric(struct fl_writer *w, const struct fl_stored_metric *metric)
{
    const struct fl_metric *m = &metric->metric;
    struct json_object *o = json_object_new_object();

    put_text(w, o, "name", m->name);
    put_text(w, o, "unit", m->unit);
    put_text(w, o, "kind", fl_metric_kind_name(m->kind));
    put_text(w, o, "better", fl_metric_better_name(m->better));
    put_text(w, o, "mode", m->mode == FL_IN_COUNTING_SAMPLES ? "counted" : "every");
    put(w, o, "per_call", json_object_new_boolean(metric->per_call));
    put(w, o, "planned", json_object_new_boolean(metric->planned));
    put_text(w, o, "summary", m->summary);
    put_text(w, o, "source", m->source);
    return write_piece(w, o);
}

static int write_cell(void *arg, const struct fl_stored_cell *cell)
{
    struct fl_writer *w = arg;
    struct json_object *o = json_object_new_object();
    struct json_object *factors = json_object_new_object();
    struct json_object *implied = json_object_new_array();

    put_text(w, o, "key", cell->key);
    put_text(w, o, "unavailable", cell->unavailable);
    for (size_t i = 0; i < cell->count; i++) {
        put_text(w, factors, cell->levels[i].factor, cell->levels[i].level);
        if (cell->levels[i].implied)
            json_object_array_add(implied, text_of(w, cell->levels[i].factor));
    }
    put(w, o, "factors", factors);
    put(w, o, "implied", implied);
    return write_piece(w, o);
}

/* ---- samples ---- */

static const char *metric_name(const struct fl_writer *w, int64_t id)
{
    for (size_t i = 0; i < w->names.metric_count; i++)
        if (w->names.metrics[i].id == id)
            return w->names.metrics[i].metric.name;
    return "";
}

static int add_value(void *arg, const struct fl_value *value)
{
    struct fl_writer *w = arg;
    struct json_object *o = json_object_new_object();

    if (value->state != FL_READING_OK) {
        put_text(w, o, "state", fl_reading_state_name(value->state));
        put_text(w, o, "reason", value->reason);
    } else if (value->is_real) {
        put_real(w, o, "total", value->real);
    } else {
        put_integer(w, o, "total", value->total);
    }
    if (value->scale != 1)
        put_real(w, o, "scale", value->scale);
    put(w, w->piece, metric_name(w, value->metric), o);
    return 0;
}

static const char *cell_key(const struct fl_writer *w, int64_t id)
{
    for (size_t i = 0; i < w->names.cell_count; i++)
        if (w->names.cells[i].id == id)
            return w->names.cells[i].key;
    return "";
}

static void put_surroundings(struct fl_writer *w, struct json_object *o, const struct fl_sample *s)
{
    struct json_object *facts = json_object_new_object();

    put(w, o, "cpu", s->cpu < 0 ? NULL : json_object_new_int(s->cpu));
    if (s->load < 0)
        put(w, o, "load", NULL);
    else
        put_real(w, o, "load", s->load);
    put(w, o, "steal_ns", s->steal_ns < 0 ? NULL : json_object_new_int64(s->steal_ns));
    for (size_t i = 0; i < s->fact_count; i++)
        put_text(w, facts, s->facts[i].name, s->facts[i].value);
    put(w, o, "facts", facts);
}

static int write_sample(void *arg, const struct fl_stored_sample *stored)
{
    struct fl_writer *w = arg;
    const struct fl_sample *s = &stored->sample;
    struct json_object *o = json_object_new_object();

    put_text(w, o, "cell", cell_key(w, s->cell));
    put_text(w, o, "mode", fl_sample_mode_name(s->mode));
    put_integer(w, o, "round", s->round);
    put(w, o, "seed", json_object_new_uint64(s->seed));
    put_text(w, o, "outcome", fl_outcome_name(s->outcome));
    put_text(w, o, "reason", s->reason);
    put_integer(w, o, "calls", s->calls);
    put_integer(w, o, "started_ns", s->started_ns);
    put_integer(w, o, "duration_ns", s->duration_ns);
    put_surroundings(w, o, s);
    w->piece = json_object_new_object();
    int status = fl_store_values(w->store, stored->id, add_value, w, w->err);
    put(w, o, "values", w->piece);
    if (status) {
        json_object_put(o);
        return status;
    }
    return write_piece(w, o);
}

static int write_expectation(void *arg, const struct fl_expectation *row, const char *key)
{
    struct fl_writer *w = arg;
    struct json_object *o = json_object_new_object();

    put_text(w, o, "rule", row->rule);
    put_text(w, o, "metric", row->metric);
    put_text(w, o, "host", row->host);
    put_text(w, o, "cell", key);
    put_text(w, o, "expected", row->expected);
    put_text(w, o, "measured", row->measured);
    put(w, o, "held", row->held < 0 ? NULL : json_object_new_boolean(row->held));
    return write_piece(w, o);
}

static int write_lists(struct fl_writer *w, int64_t run)
{
    int status = 0;

    begin_list(w, "metrics");
    for (size_t i = 0; i < w->names.metric_count && !status; i++)
        status = write_metric(w, &w->names.metrics[i]);
    end_list(w);
    if (!status) {
        begin_list(w, "cells");
        status = fl_store_cells(w->store, run, write_cell, w, w->err);
        end_list(w);
    }
    if (!status) {
        begin_list(w, "samples");
        status = fl_store_samples(w->store, run, write_sample, w, w->err);
        end_list(w);
    }
    if (!status) {
        begin_list(w, "expectations");
        status = fl_store_expectations(w->store, run, write_expectation, w, w->err);
        end_list(w);
    }
    return status;
}

static int write_all(struct fl_writer *w, int64_t run)
{
    int status = fl_summary_read(w->store, run, &w->names, w->err);

    if (!status)
        status = write_run(w, &w->names.run);
    if (!status)
        status = write_facts(w, run, "machine", fl_store_machine_facts);
    if (!status)
        status = write_facts(w, run, "environment", fl_store_environment);
    if (!status)
        status = write_lists(w, run);
    if (status)
        return status;
    fputs("\n}\n", w->out);
    return fl_export_flush(w->out, w->err);
}

int fl_export_json(struct fl_store *store, int64_t run, FILE *out, struct fl_err *err)
{
    struct fl_writer writer = {.store = store, .out = out, .err = err, .between = ""};
    writer.arena.heap = true; /* many small pieces, each let go of at once */

    /* One read transaction: what is written while we read is in no part of it. */
    int status = fl_db_run(store, "BEGIN", err, "");
    if (!status)
        status = fl_db_end(store, write_all(&writer, run), err);
    fl_arena_release(&writer.arena);
    fl_summary_release(&writer.names);
    return status;
}
