/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of values as series of log ratios, the changes in them, and what else changed there. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "history-fields.h"
#include "results/histories.h"

struct finder {
    struct fl_store *store;
    struct fl_history *history;
    struct fl_change_rule rule;
    double *logs;   /* of one cell, without holes */
    size_t *points; /* of these */
    struct fl_change *changes;
    struct fl_err *err;
};

static int out_of_memory(struct finder *f)
{
    return fl_fail(f->err, -ENOMEM, "cannot find changes: out of memory");
}

/* What a cell's row is made of. */
static double value_of(const struct fl_history_series *series, const struct fl_history_value *value)
{
    return series->reference ? value->ratio : value->median;
}

static size_t fill(struct finder *f, const struct fl_history_series *series,
                   const struct fl_history_cell *cell)
{
    size_t count = 0;

    for (size_t p = 0; p < series->count; p++) {
        const double value = value_of(series, &cell->values[p]);
        if (!(value > 0) || !isfinite(value))
            continue;
        f->logs[count] = log(value);
        f->points[count++] = p;
    }
    return count;
}

static int note(struct finder *f, const struct fl_history_series *series,
                struct fl_history_cell *cell, const struct fl_change *found)
{
    const struct fl_history_differ differ = {f->store, &f->history->arena};
    struct fl_history_change *change = &cell->changes[cell->change_count++];

    *change = (struct fl_history_change){
        .before = f->points[found->at - 1], .after = f->points[found->at], .found = *found};
    const struct fl_history_place before = {&series->points[change->before],
                                            cell->values[change->before].cell};
    const struct fl_history_place after = {&series->points[change->after],
                                           cell->values[change->after].cell};
    return fl_history_differ(&differ, &before, &after, &change->fields, f->err);
}

static int find_in_cell(struct finder *f, const struct fl_history_series *series,
                        struct fl_history_cell *cell)
{
    size_t found;
    int rc = fl_change_points(f->logs, fill(f, series, cell), &f->rule, f->changes, &found);

    if (rc)
        return fl_fail(f->err, rc, "cannot find changes: %s", strerror(-rc));
    cell->change_count = 0;
    cell->changes =
        fl_arena_alloc(&f->history->arena, (found + 1) * sizeof(*cell->changes), sizeof(void *));
    if (!cell->changes)
        return out_of_memory(f);
    for (size_t i = 0; i < found && !rc; i++)
        rc = note(f, series, cell, &f->changes[i]);
    return rc;
}

static void count_tests(struct finder *f, size_t *longest)
{
    for (size_t i = 0; i < f->history->count; i++) {
        const struct fl_history_series *series = &f->history->series[i];
        if (series->count > *longest)
            *longest = series->count;
        if (series->count >= FL_CHANGE_POINTS)
            f->history->tests += series->cell_count;
    }
    f->rule.tests = f->history->tests ? f->history->tests : 1;
}

static int find_all(struct finder *f)
{
    int rc = 0;

    for (size_t i = 0; i < f->history->count && !rc; i++) {
        const struct fl_history_series *series = &f->history->series[i];
        for (size_t c = 0; c < series->cell_count && !rc; c++)
            rc = find_in_cell(f, series, &series->cells[c]);
    }
    return rc;
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static int compare_machines(struct finder *f)
{
    const struct fl_history_differ differ = {f->store, &f->history->arena};
    int rc = 0;

    for (size_t i = 1; i < f->history->count && !rc; i++) {
        struct fl_history_series *series = &f->history->series[i];
        if (strcmp(series[-1].scenario, series->scenario) == 0 &&
            same_text(series[-1].reference, series->reference))
            rc = fl_history_differ_machines(&differ, &series[-1], series, &series->fields, f->err);
    }
    return rc;
}

int fl_history_find_changes(struct fl_store *store, const struct fl_history_options *options,
                            struct fl_history *history, struct fl_err *err)
{
    struct finder f = {
        .store = store,
        .history = history,
        .rule = {.level = FL_CHANGE_LEVEL, .least = log1p(options->tolerance / 100)},
        .err = err,
    };
    size_t longest = 0;

    history->tests = 0;
    count_tests(&f, &longest);
    f.logs = malloc((longest + 1) * sizeof(*f.logs));
    f.points = malloc((longest + 1) * sizeof(*f.points));
    f.changes = malloc((longest + 1) * sizeof(*f.changes));
    int rc = f.logs && f.points && f.changes ? compare_machines(&f) : out_of_memory(&f);
    if (!rc)
        rc = find_all(&f);
    free(f.logs);
    free(f.points);
    free(f.changes);
    return rc;
}

int fl_history_compare(struct fl_store *store, struct fl_history *history, struct fl_err *err)
{
    const struct fl_history_differ differ = {store, &history->arena};
    int rc = 0;

    for (size_t i = 0; i < history->count; i++) {
        struct fl_history_series *series = &history->series[i];
        for (size_t p = 1; p < series->count && !rc; p++) {
            const int64_t cells[2] = {
                series->cell_count ? series->cells[0].values[p - 1].cell : 0,
                series->cell_count ? series->cells[0].values[p].cell : 0,
            };
            const struct fl_history_place before = {&series->points[p - 1], cells[0]};
            const struct fl_history_place after = {&series->points[p], cells[1]};
            series->points[p].fields = (struct fl_history_fields){NULL, 0};
            rc = fl_history_differ(&differ, &before, &after, &series->points[p].fields, err);
        }
    }
    return rc;
}
