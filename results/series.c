/* SPDX-License-Identifier: Apache-2.0 */
#include "results/series.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "database.h"
#include "results/text.h"

/* Columns of the one query. */
enum { CELL, MODE, ROUND, OUTCOME, WHY, CALLS, FACTS, METRIC, STATE, TOTAL, SCALE, ABSENT };

struct place {
    int64_t id;
    size_t at;
};

struct one_value {
    size_t metric;
    bool counted;
    struct fl_round_value value;
};

struct reader {
    struct fl_store *store;
    struct fl_series_set *out;
    struct place *cells, *metrics; /* by id */
    int64_t cell_id, round;        /* of the row before; a sample has one row for each value */
    bool counted;
    struct fl_series_cell *cell; /* whose rows are being read; NULL: of none of the plan */
    struct one_value *values;    /* of that cell, as they came */
    size_t count, room;
    size_t alike;    /* of the bad samples: those that went wrong as the first of them */
    const char *why; /* what that was */
    struct fl_err *err;
};

static int out_of_memory(const struct reader *r)
{
    return fl_fail(r->err, -ENOMEM, "cannot read the samples: out of memory");
}

/* ---- places ---- */

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

/* SIZE_MAX: there is none. */
static size_t find(const struct place *places, size_t count, int64_t id)
{
    const struct place wanted = {.id = id};
    const struct place *found =
        count ? bsearch(&wanted, places, count, sizeof(*places), compare_places) : NULL;

    return found ? found->at : SIZE_MAX;
}

static int make_places(struct reader *r)
{
    struct fl_summary *plan = &r->out->plan;
    struct fl_arena *arena = &r->out->arena;

    r->cells = fl_arena_alloc(arena, (plan->cell_count + 1) * sizeof(*r->cells), 16);
    r->metrics = fl_arena_alloc(arena, (plan->metric_count + 1) * sizeof(*r->metrics), 16);
    r->out->cells = fl_arena_alloc(arena, (plan->cell_count + 1) * sizeof(*r->out->cells), 16);
    struct fl_series *all =
        fl_arena_alloc(arena, (plan->cell_count * plan->metric_count + 1) * sizeof(*all), 16);
    if (!r->cells || !r->metrics || !r->out->cells || !all)
        return out_of_memory(r);
    for (size_t i = 0; i < plan->cell_count; i++) {
        r->cells[i] = (struct place){plan->cells[i].id, i};
        r->out->cells[i] = (struct fl_series_cell){.failure = plan->cells[i].reason,
                                                   .items = all + i * plan->metric_count};
    }
    for (size_t i = 0; i < plan->metric_count; i++)
        r->metrics[i] = (struct place){plan->metrics[i].id, i};
    qsort(r->cells, plan->cell_count, sizeof(*r->cells), compare_places);
    qsort(r->metrics, plan->metric_count, sizeof(*r->metrics), compare_places);
    return 0;
}

/* ---- one cell ---- */

/* The values of one metric and mode, one behind the other; they came in the order of rounds. */
static int gather(struct reader *r, size_t metric, bool counted)
{
    struct fl_series *series = &r->cell->items[metric];
    struct fl_round_row *row = counted ? &series->counted : &series->timed;

    if (!row->count)
        return 0;
    struct fl_round_value *values =
        fl_arena_alloc(&r->out->arena, row->count * sizeof(*values), sizeof(double));
    if (!values)
        return out_of_memory(r);
    row->values = values;
    for (size_t i = 0; i < r->count; i++)
        if (r->values[i].metric == metric && r->values[i].counted == counted)
            *values++ = r->values[i].value;
    return 0;
}

static int tell_failure(struct reader *r)
{
    size_t all = r->cell->timed + r->cell->counted + r->cell->bad;
    char text[FL_ERR_MAX];

    if (r->alike == all)
        snprintf(text, sizeof(text), "%s", r->why);
    else
        snprintf(text, sizeof(text), "%zu of %zu samples: %.900s", r->alike, all, r->why);
    r->cell->failure = fl_text_copy(&r->out->arena, text);
    return r->cell->failure ? 0 : out_of_memory(r);
}

static int end_cell(struct reader *r)
{
    int rc = 0;

    if (!r->cell)
        return 0;
    for (size_t i = 0; i < r->out->plan.metric_count && !rc; i++) {
        rc = gather(r, i, false);
        if (!rc)
            rc = gather(r, i, true);
    }
    if (!rc && r->cell->bad)
        rc = tell_failure(r);
    r->cell = NULL;
    r->count = r->alike = 0;
    return rc;
}

static void begin_cell(struct reader *r, int64_t id)
{
    size_t at = find(r->cells, r->out->plan.cell_count, id);

    r->cell_id = id;
    r->round = -1;
    r->cell = at == SIZE_MAX ? NULL : &r->out->cells[at];
}

/* ---- one sample ---- */

static int keep_failure(struct reader *r, sqlite3_stmt *row)
{
    const char *why = fl_db_text(row, WHY);

    why = *why ? why : fl_db_text(row, OUTCOME);
    if (!r->cell->bad++) {
        r->why = fl_text_copy(&r->out->arena, why);
        r->alike = 1;
        return r->why ? 0 : out_of_memory(r);
    }
    r->alike += strcmp(why, r->why) == 0;
    return 0;
}

/* The first row of a sample. */
static int keep_sample(struct reader *r, sqlite3_stmt *row, bool fine)
{
    r->round = sqlite3_column_int64(row, ROUND);
    r->counted = strcmp(fl_db_text(row, MODE), "counted") == 0;
    if (!fine)
        return keep_failure(r, row);
    r->cell->timed += !r->counted;
    r->cell->counted += r->counted;
    if (!r->cell->facts)
        r->cell->facts = sqlite3_column_int64(row, FACTS);
    return 0;
}

/* ---- one value ---- */

static int keep_absence(struct reader *r, struct fl_series *series, sqlite3_stmt *row)
{
    const char *why = fl_db_text(row, ABSENT);
    enum fl_reading_state state = (enum fl_reading_state)sqlite3_column_int(row, STATE);
    char text[FL_ERR_MAX];

    if (series->absent)
        return 0;
    snprintf(text, sizeof(text), "%s%s%.900s", fl_reading_state_name(state), *why ? ": " : "", why);
    series->absent = fl_text_copy(&r->out->arena, text);
    return series->absent ? 0 : out_of_memory(r);
}

static int grow(struct reader *r)
{
    size_t room = r->room ? 2 * r->room : 256;
    struct one_value *more = realloc(r->values, room * sizeof(*more));

    if (!more)
        return out_of_memory(r);
    r->values = more;
    r->room = room;
    return 0;
}

/* Zero calls leave nothing to divide by. */
static int keep_number(struct reader *r, size_t metric, sqlite3_stmt *row)
{
    struct fl_series *series = &r->cell->items[metric];
    int64_t calls = sqlite3_column_int64(row, CALLS);
    double value = sqlite3_column_double(row, TOTAL), scale = sqlite3_column_double(row, SCALE);

    value *= scale;
    if (r->out->plan.metrics[metric].per_call)
        value /= (double)calls;
    if (!isfinite(value))
        return 0;
    if (r->count == r->room && grow(r))
        return -ENOMEM;
    if (r->counted)
        series->calls = !series->counted.count || series->calls == calls ? calls : 0;
    series->counted.count += r->counted;
    series->timed.count += !r->counted;
    series->scaled |= scale < 1 || scale > 1;
    r->values[r->count++] =
        (struct one_value){metric, r->counted, {.round = r->round, .value = value}};
    return 0;
}

static int keep_row(struct reader *r, sqlite3_stmt *row)
{
    int64_t id = sqlite3_column_int64(row, CELL);
    bool fine = strcmp(fl_db_text(row, OUTCOME), fl_outcome_name(FL_OUTCOME_OK)) == 0;
    int rc = 0;

    if (id != r->cell_id) {
        rc = end_cell(r);
        begin_cell(r, id);
    }
    if (rc || !r->cell)
        return rc;
    bool counted = strcmp(fl_db_text(row, MODE), "counted") == 0;
    if (counted != r->counted || sqlite3_column_int64(row, ROUND) != r->round)
        rc = keep_sample(r, row, fine);
    size_t metric = find(r->metrics, r->out->plan.metric_count, sqlite3_column_int64(row, METRIC));
    if (rc || !fine || metric == SIZE_MAX)
        return rc;
    return sqlite3_column_int(row, STATE) ? keep_absence(r, &r->cell->items[metric], row)
                                          : keep_number(r, metric, row);
}

/* ---- all ---- */

/* In the order of the index on samples: nothing is sorted, and other runs are not looked at. */
static int read_samples(struct reader *r)
{
    static const char select[] =
        "SELECT s.cell, s.mode, s.round, s.outcome, w.text, s.calls, s.facts, v.metric, v.state, "
        "v.total, v.scale, a.text FROM sample AS s LEFT JOIN value AS v ON v.sample = s.id "
        "LEFT JOIN reason AS w ON w.id = s.reason LEFT JOIN reason AS a ON a.id = v.reason "
        "WHERE s.run = ? ORDER BY s.cell, s.mode, s.round";
    sqlite3_stmt *row;
    int rc = fl_db_bind(r->store, select, &row, r->err, "i", r->out->plan.run.id);

    while (!rc && (rc = fl_db_step(r->store, row, r->err)) > 0) {
        rc = keep_row(r, row);
        if (rc)
            fl_db_reset(row);
    }
    return rc ? rc : end_cell(r);
}

static int read_all(struct reader *r, int64_t run)
{
    int rc = fl_summary_read_plan(r->store, run, &r->out->plan, r->err);

    if (!rc)
        rc = make_places(r);
    return rc ? rc : read_samples(r);
}

int fl_series_read(struct fl_store *store, int64_t run, struct fl_series_set *out,
                   struct fl_err *err)
{
    struct reader r = {.store = store, .out = out, .cell_id = -1, .err = err};
    int rc;

    *out = (struct fl_series_set){.cells = NULL};
    /* One read transaction, the caller's if there is one. */
    if (!sqlite3_get_autocommit(store->db))
        rc = read_all(&r, run);
    else if (!(rc = fl_db_run(store, "BEGIN", err, "")))
        rc = fl_db_end(store, read_all(&r, run), err);
    free(r.values);
    if (rc)
        fl_series_release(out);
    return rc;
}

void fl_series_release(struct fl_series_set *set)
{
    fl_summary_release(&set->plan);
    fl_arena_release(&set->arena);
    *set = (struct fl_series_set){.cells = NULL};
}

int fl_series_facts(struct fl_store *store, int64_t facts, fl_fact_fn each, void *arg,
                    struct fl_err *err)
{
    static const char select[] =
        "SELECT name, value FROM fact_set_member JOIN fact ON fact.id = fact WHERE fact_set = ? "
        "ORDER BY name";
    sqlite3_stmt *row;
    int rc = fl_db_bind(store, select, &row, err, "i", facts);

    while (!rc && (rc = fl_db_step(store, row, err)) > 0) {
        const struct fl_fact fact = {fl_db_text(row, 0), fl_db_text(row, 1)};
        rc = each(arg, &fact);
        if (rc)
            fl_db_reset(row);
    }
    return rc;
}
