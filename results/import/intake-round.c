/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that wait, and the sample that those of a cell become when the round ends. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/arena.h"
#include "faultline/cell.h"
#include "faultline/reals.h"
#include "intake.h"
#include "results/database.h"
#include "results/number.h"

/* ---- waiting ---- */

static const size_t values_at = offsetof(struct fl_intake_row, values);

/* Head, values and text, without the room between them. */
static size_t pack(const struct fl_intake_row *row, char *out)
{
    size_t values = row->count * sizeof(row->values[0]);

    memcpy(out, row, values_at);
    memcpy(out + values_at, row->values, values);
    memcpy(out + values_at + values, row->text, row->text_used);
    return values_at + values + row->text_used;
}

static void unpack(const char *from, struct fl_intake_row *row)
{
    memcpy(row, from, values_at);
    size_t values = row->count * sizeof(row->values[0]);
    memcpy(row->values, from + values_at, values);
    memcpy(row->text, from + values_at + values, row->text_used);
}

int fl_intake_add(struct fl_intake *intake, const struct fl_intake_row *row)
{
    static const char insert[] = "INSERT INTO temp.staged (key, row) VALUES (?, ?)";
    char *packed = (char *)intake->packed;
    sqlite3_stmt *statement;
    size_t size = pack(row, packed);
    int status = fl_db_bind(intake->store, insert, &statement, intake->err, "T", intake->key);

    if (status)
        return status;
    int code = sqlite3_bind_blob(statement, 2, packed, (int)size, SQLITE_STATIC);
    if (code != SQLITE_OK)
        return fl_db_failure(intake->store, code, intake->err);
    status = fl_db_step(intake->store, statement, intake->err);
    sqlite3_clear_bindings(statement);
    intake->rows++;
    return status;
}

/* ---- one cell ---- */

/* What its rows come to: repetitions, or what sums them up where there are none. */
struct group {
    struct fl_intake *intake;
    char key[4096]; /* "": none yet */
    int64_t place;  /* of its first row in the file */
    size_t rows, repetitions, failed;
    bool summed;                       /* `first` sums repetitions up */
    struct fl_intake_row first;        /* head and text: of the first that counts */
    double *values[FL_INTAKE_METRICS]; /* of repetitions, by metric */
    size_t counts[FL_INTAKE_METRICS], rooms[FL_INTAKE_METRICS];
    double scales[FL_INTAKE_METRICS];         /* the largest */
    size_t order[FL_INTAKE_METRICS], metrics; /* that have values, as they came */
    struct fl_arena arena;                    /* text of the sample */
};

static bool keep_value(struct group *g, const struct fl_intake_value *of)
{
    size_t metric = (size_t)of->metric;

    if (g->counts[metric] == g->rooms[metric]) {
        size_t room = g->rooms[metric] ? 2 * g->rooms[metric] : 16;
        double *more = realloc(g->values[metric], room * sizeof(*more));
        if (!more)
            return false;
        g->values[metric] = more;
        g->rooms[metric] = room;
    }
    if (!g->counts[metric]) {
        g->order[g->metrics++] = metric;
        g->scales[metric] = 1;
    }
    if (of->scale > g->scales[metric])
        g->scales[metric] = of->scale;
    g->values[metric][g->counts[metric]++] = of->value;
    return true;
}

static void forget_values(struct group *g)
{
    for (size_t i = 0; i < g->metrics; i++)
        g->counts[g->order[i]] = 0;
    g->metrics = 0;
}

static void clear(struct group *g)
{
    forget_values(g);
    fl_arena_release(&g->arena);
    g->rows = g->repetitions = g->failed = 0;
    g->summed = false;
}

/* Of what sums repetitions up, the median is the best, then the mean; no other is a time. */
static int worth(const char *aggregate)
{
    if (strcmp(aggregate, "median") == 0)
        return 2;
    return strcmp(aggregate, "mean") == 0;
}

/* Is the row to be the sample, or part of it, rather than what there is? */
static bool counts(struct group *g, const struct fl_intake_row *row)
{
    if (!row->aggregate[0])
        return true;
    return !g->repetitions && worth(row->aggregate) > (g->summed ? worth(g->first.aggregate) : 0);
}

static void keep_first(struct group *g, const struct fl_intake_row *row)
{
    memcpy(&g->first, row, values_at);
    memcpy(g->first.text, row->text, row->text_used);
}

static int take_row(struct group *g, const struct fl_intake_row *row)
{
    bool repetition = !row->aggregate[0], failed = row->outcome != FL_OUTCOME_OK;

    if (!counts(g, row))
        return 0;
    if (g->repetitions == FL_INTAKE_GROUP) {
        fl_intake_note(g->intake, 1, true, "repetitions of one cell beyond %d", FL_INTAKE_GROUP);
        return 0;
    }
    /* A failure says more than the repetitions that went well. */
    if (!g->repetitions || (failed && !g->failed))
        keep_first(g, row);
    if (!g->repetitions)
        forget_values(g);
    g->summed = !repetition;
    g->repetitions += repetition;
    g->failed += failed;
    for (size_t i = 0; i < row->count && !failed; i++)
        if (!keep_value(g, &row->values[i]))
            return -ENOMEM;
    return 0;
}

/* ---- its sample ---- */

#define FACTS_MAX FL_FACTS_MAX

struct made {
    struct fl_fact facts[FACTS_MAX];
    size_t fact_count;
    struct fl_value values[FL_INTAKE_METRICS];
    const char *reason;
};

static const char *text_of(struct group *g, const char *format, ...) FL_PRINTF(2, 3);

static const char *copy_of(struct group *g, const char *text)
{
    size_t length = strlen(text) + 1;
    char *copy = fl_arena_alloc(&g->arena, length, 1);

    return copy ? memcpy(copy, text, length) : "";
}

static const char *text_of(struct group *g, const char *format, ...)
{
    char text[512];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    return copy_of(g, text);
}

static void add_fact(struct group *g, struct made *made, const char *name, const char *value)
{
    if (made->fact_count == FACTS_MAX) {
        fl_intake_note(g->intake, 1, true, "facts of a sample beyond %d", FACTS_MAX);
        return;
    }
    made->facts[made->fact_count++] = (struct fl_fact){name, value};
}

/* `12.5 13 12.75`: every repetition, in the file's order. */
static const char *list_of(struct group *g, const double *values, size_t count)
{
    char *text = fl_arena_alloc(&g->arena, count * FL_NUMBER_TEXT + 1, 1), *at = text;

    for (size_t i = 0; i < count && text; i++) {
        if (i)
            *at++ = ' ';
        fl_number_text((struct fl_number){.is_real = true, .real = values[i]}, at);
        at += strlen(at);
    }
    return text ? text : "";
}

static bool is_measured(const struct fl_intake_metric *metric, double value)
{
    return isfinite(value) && (!metric->positive || value > 0);
}

/* What the file says instead of a number may be a fact of the metric's name. */
static const char *why_not(struct group *g, const struct fl_intake_metric *metric, double value)
{
    const char *end = g->first.text + g->first.text_used;

    for (const char *name = g->first.text; name < end;) {
        const char *said = name + strlen(name) + 1;
        if (strcmp(name, metric->name) == 0)
            return text_of(g, "the file says %s", said);
        name = said + strlen(said) + 1;
    }
    return text_of(g, "the file says %g, which is no %s", value,
                   metric->positive ? "time" : "number");
}

/* Sorts the values: their list has been made before. */
static struct fl_value value_of(struct group *g, size_t metric)
{
    const struct fl_intake_metric *as = &g->intake->metrics[metric];
    double *values = g->values[metric];
    size_t count = g->counts[metric], bad = 0;

    for (size_t i = 0; i < count; i++)
        bad += !is_measured(as, values[i]);
    if (bad && count == 1)
        return (struct fl_value){
            .metric = as->id, .state = FL_READING_UNAVAILABLE, .reason = why_not(g, as, values[0])};
    if (bad)
        return (struct fl_value){.metric = as->id,
                                 .state = FL_READING_UNAVAILABLE,
                                 .reason = text_of(g, "%zu of %zu repetitions are no %s", bad,
                                                   count, as->positive ? "time" : "number")};
    fl_reals_sort(values, count);
    /* What was really counted, and what it has been multiplied by: an estimate is marked as one. */
    double scale = g->scales[metric];
    return (struct fl_value){.metric = as->id,
                             .is_real = true,
                             .real = fl_reals_middle(values, count) / scale,
                             .scale = scale};
}

static void make_facts(struct group *g, struct made *made)
{
    const struct fl_intake_row *first = &g->first;
    const char *end = first->text + first->text_used;

    for (const char *name = first->text; name < end;) {
        const char *value = name + strlen(name) + 1;
        if (*name)
            add_fact(g, made, name, value);
        else
            made->reason = value;
        name = value + strlen(value) + 1;
    }
    if (first->aggregate[0])
        add_fact(g, made, "aggregate", first->aggregate);
    if (g->repetitions < 2)
        return;
    add_fact(g, made, "repetitions", text_of(g, "%zu", g->repetitions));
    for (size_t i = 0; i < g->metrics; i++) {
        size_t metric = g->order[i];
        if (g->counts[metric] > 1)
            add_fact(g, made, text_of(g, "%s.repetitions", g->intake->metrics[metric].name),
                     list_of(g, g->values[metric], g->counts[metric]));
    }
}

/* Cells of later files stand behind those of the first. */
static int plan_cell(struct group *g, int64_t *cell)
{
    struct fl_intake *intake = g->intake;
    struct fl_stored_level levels[FL_INTAKE_LEVELS];
    char name[sizeof(g->key)], level[sizeof(g->key)];
    const char *text = g->key;
    size_t count = 0;
    struct fl_planned_cell planned = {g->key, levels, 0, NULL};

    while (count < FL_INTAKE_LEVELS &&
           fl_cell_split(&text, name, sizeof(name), level, sizeof(level), intake->err) > 0)
        levels[count++] = (struct fl_stored_level){copy_of(g, name), copy_of(g, level), false};
    planned.count = count;
    return fl_db_plan_cell(intake->store, intake->run, &planned,
                           ((int64_t)intake->round << 32) + g->place, cell, intake->err);
}

static struct fl_sample sample_of(struct group *g, struct made *made)
{
    bool failed = g->failed > 0;

    make_facts(g, made);
    if (failed && g->repetitions > g->failed)
        made->reason = text_of(g, "%zu of %zu repetitions: %s", g->failed, g->repetitions,
                               made->reason ? made->reason : "failed");
    for (size_t i = 0; i < g->metrics && !failed; i++)
        made->values[i] = value_of(g, g->order[i]);
    return (struct fl_sample){
        .run = g->intake->run,
        .mode = FL_SAMPLE_TIMED,
        .round = g->intake->round,
        .outcome = failed ? (enum fl_outcome)g->first.outcome : FL_OUTCOME_OK,
        .reason = failed ? made->reason : NULL,
        .calls = g->first.calls,
        .started_ns = g->intake->started_ns,
        .cpu = -1,
        .load = -1,
        .steal_ns = -1,
        .facts = made->facts,
        .fact_count = made->fact_count,
        .values = made->values,
        .value_count = failed ? 0 : g->metrics,
    };
}

static int store_sample(struct group *g)
{
    struct made made;

    made.fact_count = 0;
    made.reason = NULL;
    struct fl_sample sample = sample_of(g, &made);
    g->intake->report->samples++;
    g->intake->report->failed += sample.outcome != FL_OUTCOME_OK;
    int status = plan_cell(g, &sample.cell);
    return status ? status : fl_store_add_sample(g->intake->store, &sample, NULL, g->intake->err);
}

static int end_group(struct group *g)
{
    int status = 0;

    if (g->repetitions || g->summed)
        status = store_sample(g);
    size_t left = g->rows - g->repetitions - g->summed;
    if (left && g->repetitions)
        fl_intake_note(g->intake, left, false,
                       "sums (mean, median, ...) of repetitions that are imported themselves");
    else if (left && g->summed)
        fl_intake_note(g->intake, left, false, "sums beside the median or mean that is imported");
    else if (left)
        fl_intake_note(g->intake, left, true, "sums without a median, a mean or repetitions");
    clear(g);
    return status;
}

/* ---- all ---- */

static int take_staged(struct group *g, sqlite3_stmt *staged)
{
    struct fl_intake_row *row = g->intake->packed;
    const char *key = (const char *)sqlite3_column_text(staged, 0);
    const void *packed = sqlite3_column_blob(staged, 2);
    int status = 0;

    if (!key || !packed)
        return fl_fail(g->intake->err, -ENOMEM, "cannot import: out of memory");
    if (strcmp(key, g->key) != 0) {
        status = g->rows ? end_group(g) : 0;
        snprintf(g->key, sizeof(g->key), "%s", key);
        g->place = sqlite3_column_int64(staged, 1);
    }
    if (status)
        return status;
    g->rows++;
    unpack(packed, row);
    status = take_row(g, row);
    return status ? fl_fail(g->intake->err, status, "cannot import: out of memory") : 0;
}

static int end_staged(struct group *g)
{
    static const char select[] = "SELECT key, rowid, row FROM temp.staged ORDER BY key, rowid";
    static const char forget[] = "DELETE FROM temp.staged";
    struct fl_intake *intake = g->intake;
    sqlite3_stmt *staged;
    int status = fl_db_bind(intake->store, select, &staged, intake->err, "");

    while (!status && (status = fl_db_step(intake->store, staged, intake->err)) > 0) {
        status = take_staged(g, staged);
        if (status)
            fl_db_reset(staged);
    }
    if (!status)
        status = end_group(g);
    return status ? status : fl_db_run(intake->store, forget, intake->err, "");
}

int fl_intake_end_round(struct fl_intake *intake)
{
    if (!intake->rows)
        return 0;
    struct group *group = calloc(1, sizeof(*group));
    if (!group)
        return fl_fail(intake->err, -ENOMEM, "cannot import: out of memory");
    group->intake = intake;
    group->arena.heap = true;
    int status = end_staged(group);
    for (size_t i = 0; i < FL_INTAKE_METRICS; i++)
        free(group->values[i]);
    fl_arena_release(&group->arena);
    free(group);
    intake->rows = 0;
    return status ? status : fl_intake_keep_surroundings(intake);
}
