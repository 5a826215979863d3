/* SPDX-License-Identifier: Apache-2.0 */
#include "results/summary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "database.h"
#include "results/text.h"

/* Growing lists live outside the arena until their length is known. */
struct fl_reader {
    struct fl_store *store;
    struct fl_summary *out;
    struct fl_err *err;
    size_t capacity; /* of the list being read */
};

static int out_of_memory(struct fl_err *err)
{
    return fl_fail(err, -ENOMEM, "cannot summarise the run: out of memory");
}

static int take_copy(struct fl_reader *r, const char *text, const char **out)
{
    *out = text ? fl_text_copy(&r->out->arena, text) : NULL;
    return text && !*out ? out_of_memory(r->err) : 0;
}

/* A list in the arena with room for one more; doubling leaves the old one behind. */
static void *grow(struct fl_reader *r, void *list, size_t count, size_t size)
{
    if (list && count < r->capacity)
        return list;
    r->capacity = list ? 2 * r->capacity : 16;
    void *made = fl_arena_alloc(&r->out->arena, r->capacity * size, 16);
    if (made && list)
        memcpy(made, list, count * size);
    return made;
}

/* ---- the run, its metrics, its cells ---- */

static int keep_run(void *arg, const struct fl_run_record *run)
{
    struct fl_reader *r = arg;
    struct fl_run_record *out = &r->out->run;
    const char **texts[] = {
        &out->uuid,
        &out->info.fingerprint,
        &out->info.host,
        &out->info.label,
        &out->info.scenario,
        &out->info.title,
        &out->info.version,
        &out->info.scenario_text,
        &out->info.command_line,
        &out->info.build_flags,
        &out->info.commit_id,
    };

    *out = *run;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (take_copy(r, *texts[i], texts[i]))
            return -ENOMEM;
    return 0;
}

static int keep_metric(void *arg, const struct fl_stored_metric *metric)
{
    struct fl_reader *r = arg;
    struct fl_summary *out = r->out;
    struct fl_stored_metric *list = grow(r, out->metrics, out->metric_count, sizeof(*list));

    if (!list)
        return out_of_memory(r->err);
    out->metrics = list;
    struct fl_stored_metric *kept = &list[out->metric_count++];
    *kept = *metric;
    if (take_copy(r, metric->metric.name, &kept->metric.name) ||
        take_copy(r, metric->metric.unit, &kept->metric.unit) ||
        take_copy(r, metric->metric.summary, &kept->metric.summary) ||
        take_copy(r, metric->metric.source, &kept->metric.source))
        return -ENOMEM;
    return 0;
}

static int keep_cell(void *arg, const struct fl_stored_cell *cell)
{
    struct fl_reader *r = arg;
    struct fl_summary *out = r->out;
    struct fl_summary_cell *list = grow(r, out->cells, out->cell_count, sizeof(*list));

    if (!list)
        return out_of_memory(r->err);
    out->cells = list;
    struct fl_summary_cell *kept = &list[out->cell_count++];
    *kept = (struct fl_summary_cell){.id = cell->id};
    return take_copy(r, cell->key, &kept->key) || take_copy(r, cell->unavailable, &kept->reason)
               ? -ENOMEM
               : 0;
}

/* ---- factors and levels ---- */

static int keep_factor(struct fl_reader *r, sqlite3_stmt *row)
{
    struct fl_summary *out = r->out;
    size_t before = r->capacity;
    const char **list = grow(r, out->factors, out->factor_count, sizeof(*list));

    if (list && r->capacity != before) {
        bool *implied = fl_arena_alloc(&out->arena, r->capacity * sizeof(*implied), 1);
        if (implied && out->factor_count)
            memcpy(implied, out->implied, out->factor_count * sizeof(*implied));
        out->implied = implied;
    }
    if (!list || !out->implied)
        return out_of_memory(r->err);
    out->factors = list;
    out->implied[out->factor_count] = sqlite3_column_int(row, 1);
    return take_copy(r, fl_db_text(row, 0), &list[out->factor_count++]);
}

static int read_factors(struct fl_reader *r, int64_t run)
{
    static const char select[] =
        "SELECT factor, min(implied) FROM run_cell JOIN cell_factor USING (cell) WHERE run = ? "
        "GROUP BY factor ORDER BY CASE factor WHEN 'kernel' THEN 1 WHEN 'n' THEN 2 "
        "WHEN 'workspace' THEN 3 WHEN 'malloc' THEN 4 WHEN 'library' THEN 5 WHEN 'isa' THEN 6 "
        "ELSE 7 END, factor";
    sqlite3_stmt *row;
    int status = fl_db_bind(r->store, select, &row, r->err, "i", run);

    r->capacity = 0;
    while (!status && (status = fl_db_step(r->store, row, r->err)) > 0) {
        status = keep_factor(r, row);
        if (status)
            fl_db_reset(row);
    }
    return status;
}

static size_t factor_index(const struct fl_summary *summary, const char *factor)
{
    size_t i = 0;

    while (i < summary->factor_count && strcmp(summary->factors[i], factor) != 0)
        i++;
    return i;
}

static int compare_places(const void *a, const void *b)
{
    const struct fl_summary_cell *x = *(struct fl_summary_cell *const *)a;
    const struct fl_summary_cell *y = *(struct fl_summary_cell *const *)b;

    return (x->id > y->id) - (x->id < y->id);
}

/* Cells by id, to find one in. NULL: out of memory, or there are no cells. */
static struct fl_summary_cell **index_cells(struct fl_summary *summary)
{
    struct fl_summary_cell **index = fl_arena_alloc(
        &summary->arena, summary->cell_count * sizeof(struct fl_summary_cell *) + 1, 16);

    for (size_t i = 0; index && i < summary->cell_count; i++)
        index[i] = &summary->cells[i];
    if (index && summary->cell_count)
        qsort(index, summary->cell_count, sizeof(struct fl_summary_cell *), compare_places);
    return index;
}

static struct fl_summary_cell *find_cell(const struct fl_summary *summary,
                                         struct fl_summary_cell **index, int64_t id)
{
    struct fl_summary_cell wanted = {.id = id}, *key = &wanted;
    struct fl_summary_cell **found = summary->cell_count
                                         ? bsearch(&key, index, summary->cell_count,
                                                   sizeof(struct fl_summary_cell *), compare_places)
                                         : NULL;

    return found ? *found : NULL;
}

static struct fl_summary_value *find_value(const struct fl_summary *summary,
                                           struct fl_summary_cell *cell, int64_t metric)
{
    for (size_t i = 0; cell && i < summary->metric_count; i++)
        if (summary->metrics[i].id == metric)
            return &cell->values[i];
    return NULL;
}

static int make_room(struct fl_reader *r)
{
    struct fl_summary *out = r->out;

    for (size_t i = 0; i < out->cell_count; i++) {
        struct fl_summary_cell *cell = &out->cells[i];
        cell->levels =
            fl_arena_alloc(&out->arena, (out->factor_count + 1) * sizeof(*cell->levels), 16);
        cell->implied =
            fl_arena_alloc(&out->arena, (out->factor_count + 1) * sizeof(*cell->implied), 1);
        cell->values =
            fl_arena_alloc(&out->arena, (out->metric_count + 1) * sizeof(*cell->values), 16);
        if (!cell->levels || !cell->implied || !cell->values)
            return out_of_memory(r->err);
    }
    return 0;
}

/* One query of rows that each belong to a cell; keep() handles a row. */
static int each_row(struct fl_reader *r, struct fl_summary_cell **index, const char *select,
                    int64_t run,
                    int (*keep)(struct fl_reader *, struct fl_summary_cell *, sqlite3_stmt *))
{
    sqlite3_stmt *row;
    int status = fl_db_bind(r->store, select, &row, r->err, "i", run);

    while (!status && (status = fl_db_step(r->store, row, r->err)) > 0) {
        struct fl_summary_cell *cell = find_cell(r->out, index, sqlite3_column_int64(row, 0));
        status = cell ? keep(r, cell, row) : 0;
        if (status)
            fl_db_reset(row);
    }
    return status;
}

static int keep_level(struct fl_reader *r, struct fl_summary_cell *cell, sqlite3_stmt *row)
{
    size_t factor = factor_index(r->out, fl_db_text(row, 1));

    cell->implied[factor] = sqlite3_column_int(row, 3);
    return take_copy(r, fl_db_text(row, 2), &cell->levels[factor]);
}

static struct fl_number number_of(sqlite3_stmt *row, int column)
{
    return (struct fl_number){
        .is_real = sqlite3_column_type(row, column) == SQLITE_FLOAT,
        .integer = sqlite3_column_int64(row, column),
        .real = sqlite3_column_double(row, column),
    };
}

/* Counts that should not vary, and did: something that nobody controls is at work, or what is
 * counted happens once in a while and not once a call. */
static int note_disagreement(struct fl_reader *r, struct fl_summary_value *value)
{
    char text[80], least[FL_NUMBER_TEXT], most[FL_NUMBER_TEXT];

    if (fl_number_real(value->min) == fl_number_real(value->max))
        return 0;
    fl_number_text(value->min, least);
    fl_number_text(value->max, most);
    snprintf(text, sizeof(text), "samples disagree: %s to %s", least, most);
    return take_copy(r, text, &value->reason);
}

static int keep_median(struct fl_reader *r, struct fl_summary_cell *cell, sqlite3_stmt *row)
{
    struct fl_summary_value *value = find_value(r->out, cell, sqlite3_column_int64(row, 1));

    if (!value)
        return 0;
    const char *kind = fl_db_text(row, 7);
    bool counted = strcmp(kind, fl_metric_kind_name(FL_METRIC_EXACT)) == 0 ||
                   strcmp(kind, fl_metric_kind_name(FL_METRIC_SET)) == 0;
    value->median = number_of(row, 2);
    value->min = number_of(row, 3);
    value->max = number_of(row, 4);
    value->count = (size_t)sqlite3_column_int64(row, 5);
    value->scaled = sqlite3_column_int(row, 6);
    return counted ? note_disagreement(r, value) : 0;
}

static int keep_absence(struct fl_reader *r, struct fl_summary_cell *cell, sqlite3_stmt *row)
{
    struct fl_summary_value *value = find_value(r->out, cell, sqlite3_column_int64(row, 1));

    return value && !value->reason ? take_copy(r, fl_db_text(row, 2), &value->reason) : 0;
}

/* ---- what became of a cell ---- */

/* Rows come with the outcomes that went wrong first, the most frequent ahead. */
static int keep_outcome(struct fl_reader *r, struct fl_summary_cell *cell, sqlite3_stmt *row)
{
    int outcome = fl_outcome_from(fl_db_text(row, 1));
    size_t count = (size_t)sqlite3_column_int64(row, 3);
    size_t all = (size_t)sqlite3_column_int64(row, 5), alike = (size_t)sqlite3_column_int64(row, 6);
    const char *why = fl_db_text(row, 4);
    char text[FL_ERR_MAX];

    if (outcome == FL_OUTCOME_OK && strcmp(fl_db_text(row, 2), "timed") == 0)
        cell->timed = count;
    else if (outcome == FL_OUTCOME_OK)
        cell->counted = count;
    else
        cell->bad += count;
    if (outcome <= FL_OUTCOME_OK || cell->status)
        return 0;
    cell->status = fl_outcome_name((enum fl_outcome)outcome);
    if (alike == all)
        return take_copy(r, why, &cell->reason);
    snprintf(text, sizeof(text), "%zu of %zu samples: %s", alike, all, why);
    return take_copy(r, text, &cell->reason);
}

/* The status of a cell none of whose samples went wrong. */
static int judge(struct fl_reader *r, struct fl_summary_cell *cell)
{
    const struct fl_run_record *run = &r->out->run;
    size_t samples = cell->timed + cell->counted;
    size_t wanted = (size_t)run->info.rounds + (size_t)run->info.counted_rounds;
    const char *state = fl_run_status_name(run->status);
    char text[80];

    if (cell->reason) {
        cell->status = fl_outcome_name(FL_OUTCOME_UNAVAILABLE);
        return 0;
    }
    if (samples == 0) {
        cell->status = "missing";
        snprintf(text, sizeof(text), "not measured, the run is %s", state);
        return take_copy(r, text, &cell->reason);
    }
    /* A finished run may have needed fewer rounds than it was allowed. */
    if (run->status != FL_RUN_FINISHED && samples < wanted) {
        cell->status = "partial";
        snprintf(text, sizeof(text), "%zu of %zu samples, the run is %s", samples, wanted, state);
        return take_copy(r, text, &cell->reason);
    }
    cell->status = fl_outcome_name(FL_OUTCOME_OK);
    return 0;
}

static int read_levels(struct fl_reader *r, struct fl_summary_cell **index, int64_t run)
{
    static const char levels[] = "SELECT cell, factor, level, implied FROM run_cell "
                                 "JOIN cell_factor USING (cell) WHERE run = ?";

    return each_row(r, index, levels, run, keep_level);
}

static int read_rows(struct fl_reader *r, struct fl_summary_cell **index, int64_t run)
{
    static const char medians[] = "SELECT cell, metric, median, min, max, count, scaled, "
                                  "kind FROM v_median WHERE run = ?";
    static const char absences[] =
        "SELECT cell, metric, CASE WHEN reason IS NULL THEN state ELSE state || ': ' || reason END "
        "FROM v_value WHERE run = ? AND state <> 'ok' ORDER BY sample";
    static const char outcomes[] =
        "SELECT cell, outcome, mode, count(*) AS times, text, "
        "sum(count(*)) OVER (PARTITION BY cell), sum(count(*)) OVER (PARTITION BY cell, outcome) "
        "FROM sample LEFT JOIN reason ON reason.id = reason WHERE run = ? "
        "GROUP BY cell, outcome, mode, reason ORDER BY outcome = 'ok', times DESC, min(sample.id)";
    int status = each_row(r, index, medians, run, keep_median);

    if (!status)
        status = each_row(r, index, absences, run, keep_absence);
    if (!status)
        status = each_row(r, index, outcomes, run, keep_outcome);
    for (size_t i = 0; i < r->out->cell_count && !status; i++)
        if (!r->out->cells[i].status)
            status = judge(r, &r->out->cells[i]);
    return status;
}

static int read_all(struct fl_reader *r, int64_t run, bool values)
{
    struct fl_summary_cell **index = NULL;
    int status = fl_store_run(r->store, run, keep_run, r, r->err);

    r->capacity = 0;
    if (!status)
        status = fl_store_metrics(r->store, run, keep_metric, r, r->err);
    r->capacity = 0;
    if (!status)
        status = fl_store_cells(r->store, run, keep_cell, r, r->err);
    if (!status)
        status = read_factors(r, run);
    if (!status)
        status = make_room(r);
    if (!status)
        index = index_cells(r->out);
    if (!status && !index)
        status = out_of_memory(r->err);
    if (!status)
        status = read_levels(r, index, run);
    return status || !values ? status : read_rows(r, index, run);
}

static int read_summary(struct fl_store *store, int64_t run, bool values, struct fl_summary *out,
                        struct fl_err *err)
{
    struct fl_reader reader = {.store = store, .out = out, .err = err};
    int status;

    *out = (struct fl_summary){.cell_count = 0};
    /* One read transaction, the caller's if there is one: a run that is being written is seen as it
     * was at one moment. */
    if (!sqlite3_get_autocommit(store->db))
        status = read_all(&reader, run, values);
    else if (!(status = fl_db_run(store, "BEGIN", err, "")))
        status = fl_db_end(store, read_all(&reader, run, values), err);
    if (status)
        fl_summary_release(out);
    return status;
}

int fl_summary_read(struct fl_store *store, int64_t run, struct fl_summary *out, struct fl_err *err)
{
    return read_summary(store, run, true, out, err);
}

int fl_summary_read_plan(struct fl_store *store, int64_t run, struct fl_summary *out,
                         struct fl_err *err)
{
    return read_summary(store, run, false, out, err);
}

void fl_summary_release(struct fl_summary *summary)
{
    fl_arena_release(&summary->arena);
    *summary = (struct fl_summary){.cell_count = 0};
}
