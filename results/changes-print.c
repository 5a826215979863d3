/* SPDX-License-Identifier: Apache-2.0 */
/* All changes: one line each that scripts/bisect-regression takes, or rows for programs. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "history-rows.h"
#include "page.h"
#include "results/export.h"

struct item {
    size_t place; /* of the series */
    const struct fl_history_series *series;
    const struct fl_history_cell *cell;
    const struct fl_history_change *change;
};

/* Changes of one series that came together stand together, the largest first. */
static int compare_items(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    if (x->change->after != y->change->after)
        return x->change->after < y->change->after ? -1 : 1;
    const double p = fabs(x->change->found.size), q = fabs(y->change->found.size);
    return p != q ? (p < q) - (p > q) : strcmp(x->cell->key, y->cell->key);
}

static size_t count_changes(const struct fl_history *history)
{
    size_t count = 0;

    for (size_t i = 0; i < history->count; i++)
        for (size_t c = 0; c < history->series[i].cell_count; c++)
            count += history->series[i].cells[c].change_count;
    return count;
}

static void collect(const struct fl_history *history, struct item *items)
{
    size_t count = 0;

    for (size_t i = 0; i < history->count; i++) {
        const struct fl_history_series *series = &history->series[i];
        for (size_t c = 0; c < series->cell_count; c++)
            for (size_t k = 0; k < series->cells[c].change_count; k++)
                items[count++] =
                    (struct item){i, series, &series->cells[c], &series->cells[c].changes[k]};
    }
    qsort(items, count, sizeof(*items), compare_items);
}

static double percent(double log_ratio)
{
    return 100 * expm1(log_ratio);
}

static const char *direction(const struct fl_history *history, double size)
{
    if (history->better == FL_NOT_RANKED)
        return "changed";
    return (size > 0) == (history->better == FL_LESS_IS_BETTER) ? "worse" : "better";
}

/* ---- rows ---- */

static int put_row(struct fl_rows *rows, const struct fl_history *history, const struct item *item)
{
    const struct fl_history_series *series = item->series;
    const struct fl_history_point *before = &series->points[item->change->before];
    const struct fl_history_point *after = &series->points[item->change->after];
    const struct fl_change *found = &item->change->found;

    fl_rows_begin(rows);
    fl_rows_text(rows, "scenario", series->scenario);
    fl_rows_text(rows, "cell", item->cell->key);
    fl_rows_text(rows, "good", before->commit);
    fl_rows_text(rows, "bad", after->commit);
    fl_rows_integer(rows, "good_run", before->run);
    fl_rows_integer(rows, "bad_run", after->run);
    fl_rows_time(rows, "started", after->started_ns);
    fl_rows_text(rows, "metric", history->metric);
    fl_rows_text(rows, "direction", direction(history, found->size));
    fl_rows_real(rows, "percent", percent(found->size));
    fl_rows_real(rows, "low", percent(found->low));
    fl_rows_real(rows, "high", percent(found->high));
    fl_rows_real(rows, "p", found->p);
    fl_rows_text(rows, "reference", series->reference);
    fl_rows_text(rows, "machine", series->fingerprint);
    fl_rows_fields(rows, "changed", &item->change->fields);
    return fl_rows_end(rows);
}

static int put_titles(struct fl_rows *rows, const struct fl_history *history)
{
    struct fl_history_point point = {.run = 0};
    const struct fl_history_series series = {.scenario = "", .fingerprint = "", .points = &point};
    const struct fl_history_change change = {.before = 0};
    const struct fl_history_cell cell = {.key = ""};

    rows->titles = true;
    int rc = put_row(rows, history, &(struct item){0, &series, &cell, &change});
    rows->titles = false;
    return rc;
}

static int put_rows(const struct fl_history *history, const struct item *items, size_t count,
                    const struct fl_history_page *page, struct fl_err *err)
{
    struct fl_rows rows = {.format = page->format, .out = page->out, .err = err};
    int rc = page->format == FL_HISTORY_CSV ? put_titles(&rows, history) : 0;

    for (size_t i = 0; i < count && !rc; i++)
        rc = put_row(&rows, history, &items[i]);
    return rc ? rc : fl_export_flush(page->out, err);
}

/* ---- lines ---- */

/* `#12` is a run whose revision is not known. */
static const char *revision(struct fl_page *page, const struct fl_history_point *point)
{
    if (!point->commit)
        return fl_page_text(page, "#%lld", (long long)point->run);
    return fl_page_safe(page, point->commit);
}

static void print_line(struct fl_page *page, const struct fl_history *history,
                       const struct item *item)
{
    const struct fl_history_series *series = item->series;
    const struct fl_change *found = &item->change->found;
    const struct fl_history_fields *fields = &item->change->fields;

    fprintf(page->out, "%s..%s  %+.2f %% (%+.2f to %+.2f) %s  %s: %s\n",
            revision(page, &series->points[item->change->before]),
            revision(page, &series->points[item->change->after]), percent(found->size),
            percent(found->low), percent(found->high), direction(history, found->size),
            fl_page_safe(page, series->scenario), fl_page_safe(page, item->cell->key));
    for (size_t i = 0; i < fields->count; i++)
        fprintf(page->out, "    %s: %.100s -> %.100s\n", fl_page_safe(page, fields->items[i].name),
                fields->items[i].before ? fl_page_safe(page, fields->items[i].before) : "-",
                fields->items[i].after ? fl_page_safe(page, fields->items[i].after) : "-");
}

static void print_end(struct fl_page *page, const struct fl_history *history, size_t changes)
{
    size_t runs = 0, few = 0, plain = 0;

    for (size_t i = 0; i < history->count; i++) {
        runs += history->series[i].count;
        few += history->series[i].count < FL_CHANGE_POINTS;
        plain += !history->series[i].reference;
    }
    fprintf(page->out, "%zu changes; %zu runs in %zu series, %zu rows of cells searched\n", changes,
            runs, history->count, history->tests);
    if (few)
        fprintf(page->out, "%zu series have fewer than %d runs: too few to tell\n", few,
                FL_CHANGE_POINTS);
    if (plain)
        fprintf(page->out,
                "%zu series are plain runs, in which drift of the machine looks like a change: "
                "`faultline ab --base worker=REFERENCE` times a reference beside each\n",
                plain);
}

int fl_changes_print(const struct fl_history *history, const struct fl_history_page *wanted,
                     struct fl_err *err)
{
    struct fl_page page = {.width = wanted->width, .out = wanted->out, .err = err};
    const size_t count = count_changes(history);
    struct item *items = malloc((count + 1) * sizeof(*items));

    errno = 0;
    if (!items)
        return fl_fail(err, -ENOMEM, "cannot show the changes: out of memory");
    collect(history, items);
    int rc = 0;
    if (wanted->format != FL_HISTORY_TABLE) {
        rc = put_rows(history, items, count, wanted, err);
    } else {
        for (size_t i = 0; i < count; i++)
            print_line(&page, history, &items[i]);
        print_end(&page, history, count);
        rc = fl_page_end(&page, 0);
    }
    free(items);
    return rc;
}
