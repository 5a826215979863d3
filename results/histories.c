/* SPDX-License-Identifier: Apache-2.0 */
/* Runs into series of points, and cells into their rows of values. */
#include "results/histories.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "database.h"
#include "history-values.h"
#include "results/pairing.h"
#include "results/text.h"

/* A run, before it is known which series it is a point of. */
struct candidate {
    struct fl_history_point point;
    const char *scenario, *fingerprint, *reference;
};

struct reader {
    const struct fl_history_options *options;
    struct fl_history *out;
    struct candidate *candidates;
    size_t count, room;
    struct fl_history_reader values;
    struct fl_err *err;
};

static int out_of_memory(struct reader *r)
{
    return fl_fail(r->err, -ENOMEM, "cannot read the history: out of memory");
}

static void *room_for(struct reader *r, size_t count, size_t size)
{
    return fl_arena_alloc(&r->out->arena, (count + 1) * size, 16);
}

/* ---- runs ---- */

static int add_candidate(struct reader *r, const struct candidate *candidate)
{
    if (r->count == r->room) {
        size_t room = r->room ? 2 * r->room : 64;
        struct candidate *more = realloc(r->candidates, room * sizeof(*more));
        if (!more)
            return out_of_memory(r);
        r->candidates = more;
        r->room = room;
    }
    r->candidates[r->count++] = *candidate;
    return 0;
}

static const char *copy_column(struct reader *r, sqlite3_stmt *row, int column)
{
    const char *text = fl_db_text_or_null(row, column);

    return text ? fl_text_copy(&r->out->arena, text) : NULL;
}

static int take_run(struct reader *r, sqlite3_stmt *row)
{
    const struct candidate candidate = {
        .point = {.run = sqlite3_column_int64(row, 0),
                  .base = sqlite3_column_int64(row, 1),
                  .pairing = sqlite3_column_int64(row, 2),
                  .started_ns = sqlite3_column_int64(row, 3),
                  .commit_ns = sqlite3_column_int64(row, 4),
                  .commit = copy_column(r, row, 5),
                  .label = copy_column(r, row, 6)},
        .scenario = copy_column(r, row, 7),
        .fingerprint = copy_column(r, row, 8),
        .reference = copy_column(r, row, 9),
    };

    if (!candidate.scenario || !candidate.fingerprint)
        return out_of_memory(r);
    return add_candidate(r, &candidate);
}

static int read_runs(struct reader *r)
{
    static const char select[] =
        "SELECT run.id, ifnull(base, 0), ifnull(pairing.id, 0), started_ns, ifnull(commit_ns, 0), "
        "commit_id, label, scenario, fingerprint, base_side "
        "FROM run JOIN machine ON machine.id = machine LEFT JOIN pairing ON head = run.id "
        "WHERE run.status <> 'running' AND ifnull(purpose, 'ab') = 'ab' "
        "AND run.id NOT IN (SELECT base FROM pairing) AND ifnull(?1, scenario) = scenario "
        "ORDER BY run.id";
    sqlite3_stmt *row;
    int rc = fl_db_bind(r->values.store, select, &row, r->err, "t", r->options->scenario);

    while (!rc && (rc = fl_db_step(r->values.store, row, r->err)) > 0) {
        rc = take_run(r, row);
        if (rc)
            fl_db_reset(row);
    }
    return rc;
}

/* ---- series ---- */

static int compare_texts(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int compare_series(const struct candidate *x, const struct candidate *y)
{
    int order = strcmp(x->scenario, y->scenario);

    if (!order)
        order = compare_texts(x->reference, y->reference);
    return order ? order : strcmp(x->fingerprint, y->fingerprint);
}

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    int order = compare_series(x, y);

    return order ? order : (x->point.run > y->point.run) - (x->point.run < y->point.run);
}

static int by_commit(const void *a, const void *b)
{
    const struct fl_history_point *x = a, *y = b;

    if (x->commit_ns != y->commit_ns)
        return x->commit_ns < y->commit_ns ? -1 : 1;
    return (x->started_ns > y->started_ns) - (x->started_ns < y->started_ns);
}

static int by_start(const void *a, const void *b)
{
    const struct fl_history_point *x = a, *y = b;

    return (x->started_ns > y->started_ns) - (x->started_ns < y->started_ns);
}

static int add_series(struct reader *r, const struct candidate *from, size_t count)
{
    struct fl_history_series *series = &r->out->series[r->out->count++];

    *series = (struct fl_history_series){.scenario = from->scenario,
                                         .fingerprint = from->fingerprint,
                                         .reference = from->reference,
                                         .by_commit = true,
                                         .points = room_for(r, count, sizeof(*series->points)),
                                         .count = count};
    if (!series->points)
        return out_of_memory(r);
    for (size_t i = 0; i < count; i++) {
        series->points[i] = from[i].point;
        series->by_commit = series->by_commit && from[i].point.commit_ns > 0;
    }
    qsort(series->points, count, sizeof(*series->points), series->by_commit ? by_commit : by_start);
    return 0;
}

/* Series of one scenario and reference in the order in which they began. */
static int compare_made(const void *a, const void *b)
{
    const struct fl_history_series *x = a, *y = b;
    int order = strcmp(x->scenario, y->scenario);

    if (!order)
        order = compare_texts(x->reference, y->reference);
    return order ? order : by_start(x->points, y->points);
}

static int make_series(struct reader *r)
{
    int rc = 0;

    r->out->series = room_for(r, r->count, sizeof(*r->out->series));
    if (!r->out->series)
        return out_of_memory(r);
    if (r->count)
        qsort(r->candidates, r->count, sizeof(*r->candidates), compare_candidates);
    for (size_t from = 0, to; from < r->count && !rc; from = to) {
        for (to = from + 1; to < r->count; to++)
            if (compare_series(&r->candidates[from], &r->candidates[to]))
                break;
        rc = add_series(r, &r->candidates[from], to - from);
    }
    qsort(r->out->series, r->out->count, sizeof(*r->out->series), compare_made);
    return rc;
}

/* ---- cells ---- */

/* Cells of one series while they are found; `room` of the list that the series has. */
struct cells {
    struct fl_history_series *series;
    size_t room;
};

static int more_cells(struct reader *r, struct cells *cells)
{
    struct fl_history_series *series = cells->series;
    const size_t room = cells->room ? 2 * cells->room : 32;
    struct fl_history_cell *more = room_for(r, room, sizeof(*more));

    if (!more)
        return out_of_memory(r);
    if (series->cell_count)
        memcpy(more, series->cells, series->cell_count * sizeof(*more));
    series->cells = more;
    cells->room = room;
    return 0;
}

static int add_cell(struct reader *r, struct cells *cells, const char *key)
{
    struct fl_history_series *series = cells->series;
    int rc = series->cell_count == cells->room ? more_cells(r, cells) : 0;

    if (rc)
        return rc;
    struct fl_history_cell *cell = &series->cells[series->cell_count++];
    *cell = (struct fl_history_cell){
        .key = fl_text_copy(&r->out->arena, key),
        .values = room_for(r, series->count, sizeof(*cell->values)),
    };
    if (!cell->key || !cell->values)
        return out_of_memory(r);
    for (size_t i = 0; i < series->count; i++)
        cell->values[i] =
            (struct fl_history_value){0, (double)NAN, (double)NAN, (double)NAN, (double)NAN};
    return 0;
}

/* Runs of a series mostly have the same cells in the same order: `hint` is where this one may be.
 */
static int find_cell(struct reader *r, struct cells *cells, const char *key, size_t hint,
                     size_t *place)
{
    const struct fl_history_series *series = cells->series;

    for (size_t i = 0; i < series->cell_count; i++) {
        *place = (hint + i) % series->cell_count;
        if (strcmp(series->cells[*place].key, key) == 0)
            return 0;
    }
    *place = series->cell_count;
    return add_cell(r, cells, key);
}

static int read_point(struct reader *r, struct cells *cells, size_t p)
{
    static const char of_run[] = "SELECT key, cell, 0 FROM run_cell JOIN cell ON cell.id = cell "
                                 "WHERE run = ? ORDER BY position";
    static const char of_pairing[] = "SELECT key, head_cell, base_cell FROM paired_cell "
                                     "WHERE pairing = ? ORDER BY position";
    const struct fl_history_point *point = &cells->series->points[p];
    size_t place, next = 0;
    sqlite3_stmt *row;
    int rc = fl_db_bind(r->values.store, point->base ? of_pairing : of_run, &row, r->err, "i",
                        point->base ? point->pairing : point->run);

    while (!rc && (rc = fl_db_step(r->values.store, row, r->err)) > 0) {
        const char *key = fl_db_text(row, 0);
        rc = 0;
        if (r->options->selects && !r->options->selects(r->options->arg, key))
            continue;
        rc = find_cell(r, cells, key, next, &place);
        if (!rc) {
            struct fl_history_value *value = &cells->series->cells[place].values[p];
            value->cell = sqlite3_column_int64(row, 1);
            rc = fl_history_value_read(&r->values, point, sqlite3_column_int64(row, 2), value,
                                       r->err);
        }
        next = place + 1;
        if (rc)
            fl_db_reset(row);
    }
    return rc;
}

static int read_cells(struct reader *r)
{
    int rc = 0;

    for (size_t i = 0; i < r->out->count && !rc; i++) {
        struct cells cells = {.series = &r->out->series[i]};
        for (size_t p = 0; p < cells.series->count && !rc; p++)
            rc = read_point(r, &cells, p);
    }
    return rc;
}

/* ---- all ---- */

static int find_metric(struct reader *r)
{
    static const char select[] = "SELECT id, unit, better, per_call FROM metric WHERE name = ?";
    sqlite3_stmt *row;
    int rc = fl_db_bind(r->values.store, select, &row, r->err, "T", r->options->metric);

    if (rc || (rc = fl_db_step(r->values.store, row, r->err)) < 0)
        return rc;
    if (rc == 0)
        return r->count
                   ? fl_fail(r->err, -EINVAL, "no run has the metric '%.80s'", r->options->metric)
                   : 0;
    r->values.metric = sqlite3_column_int64(row, 0);
    r->out->unit = copy_column(r, row, 1);
    r->out->better = (enum fl_metric_better)fl_metric_better_from(fl_db_text(row, 2));
    r->values.per_call = sqlite3_column_int(row, 3);
    fl_db_reset(row);
    return r->out->unit ? 0 : out_of_memory(r);
}

int fl_history_read(struct fl_store *store, const struct fl_history_options *options,
                    struct fl_history *out, struct fl_err *err)
{
    struct reader r = {.options = options, .out = out, .values = {.store = store}, .err = err};

    *out = (struct fl_history){.unit = ""};
    out->metric = fl_text_copy(&out->arena, options->metric);
    int rc = out->metric ? read_runs(&r) : out_of_memory(&r);
    if (!rc)
        rc = find_metric(&r);
    if (!rc)
        rc = make_series(&r);
    if (!rc && !options->selects)
        rc = fl_history_read_all(&r.values, err);
    if (!rc)
        rc = read_cells(&r);
    free(r.candidates);
    fl_history_reader_release(&r.values);
    if (rc)
        fl_history_release(out);
    return rc;
}

void fl_history_release(struct fl_history *history)
{
    fl_arena_release(&history->arena);
    *history = (struct fl_history){.count = 0};
}
