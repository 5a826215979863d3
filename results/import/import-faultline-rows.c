/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics, cells and samples of our own JSON, each one line there and one row here. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "import-faultline.h"
#include "results/database.h"

/* 1: go on with the piece; 0: the input ended in it; else an error that has been said. */
static int read_piece(struct fl_own *own, const struct fl_member *members)
{
    int status = fl_members_read(own->reader, members, &own->piece, own);

    return status == -ENOMEM ? fl_own_out_of_memory(own) : status;
}

/* ---- metrics ---- */

/* A metric that the store has keeps its kind and direction: no file changes what ours mean. */
static int find_or_store(struct fl_own *own, struct fl_metric *metric, int64_t *id)
{
    static const char find[] = "SELECT id FROM metric WHERE name = ? AND unit = ? AND per_call = ?";
    static const char taken[] = "SELECT id FROM metric WHERE name = ?";
    struct fl_store *store = own->intake->store;
    struct fl_err *err = own->intake->err;
    int64_t other, per_call = fl_metric_per_call(metric);
    int status = fl_db_number(store, find, id, err, "TTi", metric->name, metric->unit, per_call);

    if (status != -ENOENT)
        return status;
    status = fl_db_number(store, taken, &other, err, "T", metric->name);
    if (status == -ENOENT)
        return fl_store_metric(store, metric, id, err);
    return status ? status
                  : fl_fail(err, -EEXIST,
                            "cannot import '%s': its metric '%.80s' is in the store with another "
                            "unit: use another store",
                            own->intake->file, metric->name);
}

static int keep_metric(struct fl_own *own, const char *name, int64_t id, bool planned)
{
    struct fl_intake *intake = own->intake;

    if (intake->metric_count == FL_INTAKE_METRICS || strlen(name) >= FL_INTAKE_NAME) {
        fl_intake_note(intake, 1, true,
                       "values of more than %d metrics, or with longer names than %d",
                       FL_INTAKE_METRICS, FL_INTAKE_NAME - 1);
        return 0;
    }
    struct fl_intake_metric *added = &intake->metrics[intake->metric_count++];
    added->id = id;
    snprintf(added->name, sizeof(added->name), "%s", name);
    return planned ? fl_store_plan_metrics(intake->store, intake->run, &id, 1, intake->err) : 0;
}

static int take_metric(struct fl_own *own)
{
    const char *kind = "", *better = "", *mode = "";
    int per_call = 1, planned = 0;
    int64_t id;
    struct fl_metric metric = {.name = NULL, .unit = "", .summary = "", .source = ""};
    const struct fl_member members[] = {
        {"name", FL_MEMBER_TEXT, &metric.name, NULL},
        {"unit", FL_MEMBER_TEXT, &metric.unit, NULL},
        {"kind", FL_MEMBER_TEXT, &kind, NULL},
        {"better", FL_MEMBER_TEXT, &better, NULL},
        {"mode", FL_MEMBER_TEXT, &mode, NULL},
        {"per_call", FL_MEMBER_FLAG, &per_call, NULL},
        {"planned", FL_MEMBER_FLAG, &planned, NULL},
        {"summary", FL_MEMBER_TEXT, &metric.summary, NULL},
        {"source", FL_MEMBER_TEXT, &metric.source, NULL},
        {.key = NULL},
    };
    int status = read_piece(own, members);
    int kinds = fl_metric_kind_from(kind), betters = fl_metric_better_from(better);

    if (status <= 0)
        return status;
    if (!metric.name || kinds < 0 || betters < 0) {
        fl_intake_note(own->intake, 1, true, "metrics without a name, a kind or a direction");
        return 0;
    }
    metric.kind = (enum fl_metric_kind)kinds;
    metric.better = (enum fl_metric_better)betters;
    metric.mode = strcmp(mode, "counted") ? FL_IN_EVERY_SAMPLE : FL_IN_COUNTING_SAMPLES;
    metric.ratio = !per_call && metric.kind != FL_METRIC_LEVEL;
    status = find_or_store(own, &metric, &id);
    return status ? status : keep_metric(own, metric.name, id, planned);
}

int fl_own_metrics(void *own, enum fl_json_event event)
{
    return fl_own_list(own, event, take_metric);
}

/* ---- cells ---- */

struct cell_piece {
    struct fl_own *own;
    struct fl_fact factors[FL_FACTS_MAX];
    struct fl_stored_level levels[FL_FACTS_MAX];
    size_t count;
    const char *key, *unavailable;
};

static int take_factors(void *arg, enum fl_json_event event)
{
    struct cell_piece *cell = arg;
    int status = fl_own_facts(cell->own, event, &cell->own->piece, cell->factors, FL_FACTS_MAX,
                              &cell->count);

    for (size_t i = 0; i < cell->count && !status; i++)
        cell->levels[i] =
            (struct fl_stored_level){cell->factors[i].name, cell->factors[i].value, false};
    return status;
}

static int take_implied(void *arg, enum fl_json_event event)
{
    struct cell_piece *cell = arg;
    struct fl_json_reader *reader = cell->own->reader;

    if (event != FL_JSON_ARRAY) {
        fl_json_skip(reader, event);
        return 0;
    }
    while ((event = fl_json_next(reader)) != FL_JSON_ARRAY_END && event != FL_JSON_END) {
        for (size_t i = 0; i < cell->count && event == FL_JSON_STRING; i++)
            if (strcmp(cell->levels[i].factor, reader->text) == 0)
                cell->levels[i].implied = true;
        fl_json_skip(reader, event);
    }
    return 0;
}

static int take_cell(struct fl_own *own)
{
    struct cell_piece cell = {.own = own};
    int64_t id;
    const struct fl_member members[] = {
        {"key", FL_MEMBER_TEXT, &cell.key, NULL},
        {"unavailable", FL_MEMBER_TEXT, &cell.unavailable, NULL},
        {"factors", FL_MEMBER_CALL, NULL, take_factors},
        {"implied", FL_MEMBER_CALL, NULL, take_implied},
        {.key = NULL},
    };
    int status = fl_members_read(own->reader, members, &own->piece, &cell);

    if (status <= 0)
        return status == -ENOMEM ? fl_own_out_of_memory(own) : status;
    if (!cell.key) {
        fl_intake_note(own->intake, 1, true, "cells without a key");
        return 0;
    }
    const struct fl_planned_cell planned = {cell.key, cell.levels, cell.count, cell.unavailable};
    return fl_db_plan_cell(own->intake->store, own->intake->run, &planned, own->intake->cells++,
                           &id, own->intake->err);
}

int fl_own_cells(void *own, enum fl_json_event event)
{
    return fl_own_list(own, event, take_cell);
}

/* ---- samples ---- */

struct sample_piece {
    struct fl_own *own;
    struct fl_sample sample;
    struct fl_fact facts[FL_FACTS_MAX];
    struct fl_value values[FL_INTAKE_VALUES];
};

static int take_facts(void *arg, enum fl_json_event event)
{
    struct sample_piece *piece = arg;

    return fl_own_facts(piece->own, event, &piece->own->piece, piece->facts, FL_FACTS_MAX,
                        &piece->sample.fact_count);
}

/* True: the metric's place in the intake's list, which the document has named before. */
static bool find_metric(const struct fl_own *own, const char *name, int64_t *id)
{
    for (size_t i = 0; i < own->intake->metric_count; i++) {
        if (strcmp(own->intake->metrics[i].name, name) != 0)
            continue;
        *id = own->intake->metrics[i].id;
        return true;
    }
    return false;
}

static int take_total(void *arg, enum fl_json_event event)
{
    struct sample_piece *piece = arg;
    struct fl_value *value = &piece->values[piece->sample.value_count];
    const struct fl_json_number *number = &piece->own->reader->number;

    fl_json_skip(piece->own->reader, event);
    if (event != FL_JSON_NUMBER)
        return 0;
    value->state = FL_READING_OK;
    value->is_real = !number->is_integer;
    value->total = number->integer;
    value->real = number->real;
    return 0;
}

static int take_value(struct sample_piece *piece)
{
    struct fl_value *value = &piece->values[piece->sample.value_count];
    const char *state = "";
    const struct fl_member members[] = {
        {"total", FL_MEMBER_CALL, NULL, take_total},
        {"state", FL_MEMBER_TEXT, &state, NULL},
        {"reason", FL_MEMBER_TEXT, &value->reason, NULL},
        {"scale", FL_MEMBER_REAL, &value->scale, NULL},
        {.key = NULL},
    };

    value->state = FL_READING_UNAVAILABLE;
    value->scale = 1;
    value->reason = NULL;
    int status = fl_members_read(piece->own->reader, members, &piece->own->piece, piece);
    if (strcmp(state, fl_reading_state_name(FL_READING_NOT_OBSERVABLE)) == 0)
        value->state = FL_READING_NOT_OBSERVABLE;
    return status;
}

/* Has the sample that metric already? */
static bool is_there(const struct sample_piece *piece, int64_t metric)
{
    for (size_t i = 0; i < piece->sample.value_count; i++)
        if (piece->values[i].metric == metric)
            return true;
    return false;
}

static int take_values(void *arg, enum fl_json_event event)
{
    struct sample_piece *piece = arg;
    struct fl_own *own = piece->own;
    int64_t metric = 0;

    if (event != FL_JSON_OBJECT) {
        fl_json_skip(own->reader, event);
        return 0;
    }
    while (fl_json_next(own->reader) == FL_JSON_KEY) {
        bool known = find_metric(own, own->reader->text, &metric) && !is_there(piece, metric) &&
                     piece->sample.value_count < FL_INTAKE_VALUES;
        event = fl_json_next(own->reader);
        if (!known || event != FL_JSON_OBJECT) {
            fl_intake_note(own->intake, 1, true, "values of metrics that the file does not name");
            fl_json_skip(own->reader, event);
            continue;
        }
        int status = take_value(piece);
        if (status < 0)
            return status;
        piece->values[piece->sample.value_count++].metric = metric;
    }
    return 0;
}

static int store_sample(struct sample_piece *piece, const char *key, const char *mode,
                        const char *outcome)
{
    struct fl_own *own = piece->own;
    struct fl_sample *sample = &piece->sample;
    int modes = fl_sample_mode_from(mode), outcomes = fl_outcome_from(outcome);
    int status = modes >= 0 && outcomes >= 0 && sample->calls >= 0 && sample->round >= 0
                     ? fl_own_cell(own, key, &sample->cell)
                     : -ENOENT;

    if (status == -ENOENT) {
        fl_intake_note(own->intake, 1, true,
                       "samples of cells that the file does not name, or with impossible fields");
        return 0;
    }
    if (status)
        return status;
    sample->mode = (enum fl_sample_mode)modes;
    sample->outcome = (enum fl_outcome)outcomes;
    sample->facts = piece->facts;
    sample->values = piece->values;
    own->intake->report->samples++;
    own->intake->report->failed += sample->outcome != FL_OUTCOME_OK;
    return fl_store_add_sample(own->intake->store, sample, NULL, own->intake->err);
}

static int take_sample(struct fl_own *own)
{
    const char *key = "", *mode = "", *outcome = "";
    int64_t round = -1, cpu = -1;
    struct sample_piece piece = {.own = own,
                                 .sample = {.run = own->intake->run, .load = -1, .steal_ns = -1}};
    struct fl_sample *s = &piece.sample;
    const struct fl_member members[] = {
        {"cell", FL_MEMBER_TEXT, &key, NULL},
        {"mode", FL_MEMBER_TEXT, &mode, NULL},
        {"round", FL_MEMBER_INTEGER, &round, NULL},
        {"seed", FL_MEMBER_UNSIGNED, &s->seed, NULL},
        {"outcome", FL_MEMBER_TEXT, &outcome, NULL},
        {"reason", FL_MEMBER_TEXT, &s->reason, NULL},
        {"calls", FL_MEMBER_INTEGER, &s->calls, NULL},
        {"started_ns", FL_MEMBER_INTEGER, &s->started_ns, NULL},
        {"duration_ns", FL_MEMBER_INTEGER, &s->duration_ns, NULL},
        {"cpu", FL_MEMBER_INTEGER, &cpu, NULL},
        {"load", FL_MEMBER_REAL, &s->load, NULL},
        {"steal_ns", FL_MEMBER_INTEGER, &s->steal_ns, NULL},
        {"facts", FL_MEMBER_CALL, NULL, take_facts},
        {"values", FL_MEMBER_CALL, NULL, take_values},
        {.key = NULL},
    };
    int status = fl_members_read(own->reader, members, &own->piece, &piece);

    if (status <= 0)
        return status == -ENOMEM ? fl_own_out_of_memory(own) : status;
    s->round = round > INT32_MAX ? -1 : (int)round;
    s->cpu = cpu > INT32_MAX || cpu < 0 ? -1 : (int)cpu;
    return store_sample(&piece, key, mode, outcome);
}

int fl_own_samples(void *own, enum fl_json_event event)
{
    return fl_own_list(own, event, take_sample);
}
