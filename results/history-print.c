/* SPDX-License-Identifier: Apache-2.0 */
/* All points of all cells: tables for people, rows for programs. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "history-rows.h"
#include "page.h"
#include "results/export.h"

/* ---- rows ---- */

static int put_row(struct fl_rows *rows, const struct fl_history *history,
                   const struct fl_history_series *series, const struct fl_history_cell *cell,
                   size_t p)
{
    const struct fl_history_point *point = &series->points[p];
    const struct fl_history_value *value = &cell->values[p];

    fl_rows_begin(rows);
    fl_rows_text(rows, "scenario", series->scenario);
    fl_rows_text(rows, "cell", cell->key);
    fl_rows_integer(rows, "run", point->run);
    fl_rows_text(rows, "commit", point->commit);
    fl_rows_time(rows, "committed", point->commit_ns);
    fl_rows_time(rows, "started", point->started_ns);
    fl_rows_text(rows, "label", point->label);
    fl_rows_text(rows, "metric", history->metric);
    fl_rows_text(rows, "unit", history->unit);
    fl_rows_real(rows, "value", value->median);
    fl_rows_real(rows, "ratio", value->ratio);
    fl_rows_real(rows, "low", value->low);
    fl_rows_real(rows, "high", value->high);
    fl_rows_text(rows, "reference", series->reference);
    fl_rows_text(rows, "machine", series->fingerprint);
    fl_rows_fields(rows, "changed", &point->fields);
    return fl_rows_end(rows);
}

static int put_titles(struct fl_rows *rows, const struct fl_history *history)
{
    struct fl_history_point point = {.run = 0};
    struct fl_history_value value = {.cell = 0};
    struct fl_history_cell cell = {.key = "", .values = &value};
    const struct fl_history_series series = {.scenario = "", .fingerprint = "", .points = &point};

    rows->titles = true;
    int rc = put_row(rows, history, &series, &cell, 0);
    rows->titles = false;
    return rc;
}

static int put_rows(const struct fl_history *history, const struct fl_history_page *page,
                    struct fl_err *err)
{
    struct fl_rows rows = {.format = page->format, .out = page->out, .err = err};
    int rc = page->format == FL_HISTORY_CSV ? put_titles(&rows, history) : 0;

    for (size_t i = 0; i < history->count && !rc; i++) {
        const struct fl_history_series *series = &history->series[i];
        for (size_t c = 0; c < series->cell_count && !rc; c++)
            for (size_t p = 0; p < series->count && !rc; p++)
                if (series->cells[c].values[p].cell)
                    rc = put_row(&rows, history, series, &series->cells[c], p);
    }
    return rc ? rc : fl_export_flush(page->out, err);
}

/* ---- tables ---- */

static const char *revision(struct fl_page *page, const struct fl_history_point *point)
{
    if (!point->commit)
        return "-";
    const size_t length = strlen(point->commit);
    const char *dirty = length > 6 && strcmp(point->commit + length - 6, "-dirty") == 0 ? "+" : "";

    return fl_page_safe(page, fl_page_text(page, "%.12s%s", point->commit, dirty));
}

static const char *names(struct fl_page *page, const struct fl_history_fields *fields)
{
    const char *text = "";

    for (size_t i = 0; i < fields->count && i < 4; i++)
        text = fl_page_text(page, "%s%s%s", text, i ? ", " : "",
                            fl_page_safe(page, fields->items[i].name));
    if (fields->count > 4)
        text = fl_page_text(page, "%s and %zu more", text, fields->count - 4);
    return text;
}

static const char *number(struct fl_page *page, double value)
{
    return isnan(value) ? "-" : fl_page_number(page, value);
}

static void fill_line(struct fl_page *page, const struct fl_table *table, size_t line,
                      const struct fl_history_series *series, const struct fl_history_cell *cell,
                      size_t p)
{
    const struct fl_history_point *point = &series->points[p];
    const struct fl_history_value *value = &cell->values[p];
    char time[FL_ROWS_TIME];

    fl_rows_time_text(series->by_commit ? point->commit_ns : point->started_ns, time);
    *fl_table_text(table, line, 0) = fl_page_text(page, "%lld", (long long)point->run);
    *fl_table_text(table, line, 1) = revision(page, point);
    *fl_table_text(table, line, 2) = fl_page_text(page, "%.10s %.5s", time, time + 11);
    *fl_table_text(table, line, 3) = number(page, value->median);
    *fl_table_text(table, line, 4) = series->reference ? number(page, value->ratio) : "";
    *fl_table_text(table, line, 5) = number(page, value->low);
    *fl_table_text(table, line, 6) = number(page, value->high);
    for (size_t i = 0; i < cell->change_count; i++)
        if (cell->changes[i].after == p)
            *fl_table_text(table, line, 7) =
                fl_page_text(page, "%+.1f %%", 100 * expm1(cell->changes[i].found.size));
    *fl_table_text(table, line, 8) = names(page, &point->fields);
}

static int print_cell(struct fl_page *page, const struct fl_history *history,
                      const struct fl_history_series *series, const struct fl_history_cell *cell)
{
    static const char *const titles[] = {"", "", "", "", "", ""};
    const char *heads[] = {
        "run",
        "commit",
        series->by_commit ? "committed (UTC)" : "started (UTC)",
        fl_page_safe(page, fl_page_text(page, "%s, %s", history->metric, history->unit)),
        series->reference ? "ratio" : "",
        "from",
        "to",
        "change",
        "recorded differently"};
    struct fl_table table = {.labels = 3, .groups = 6, .each = 1, .title_lines = 0};
    size_t line = 0;

    for (size_t p = 0; p < series->count; p++)
        table.rows += cell->values[p].cell != 0;
    int rc = fl_page_table(page, &table, titles, heads);
    if (rc)
        return rc;
    for (size_t p = 0; p < series->count; p++)
        if (cell->values[p].cell)
            fill_line(page, &table, line++, series, cell, p);
    fprintf(page->out, "\n%s\n", fl_page_safe(page, cell->key));
    return fl_page_print(page, &table);
}

static int print_series(struct fl_page *page, const struct fl_history *history,
                        const struct fl_history_series *series)
{
    int rc = 0;

    if (series->cell_count == 0)
        return 0;
    fprintf(page->out, "%s on %s\n", fl_page_safe(page, series->scenario),
            fl_page_safe(page, series->fingerprint));
    if (series->fields.count)
        fprintf(page->out, "unlike the machine before: %s\n", names(page, &series->fields));
    if (series->reference)
        fprintf(page->out, "ratio to the reference measured beside it: %s\n",
                fl_page_safe(page, series->reference));
    else
        fputs("plain runs: what the machine did and what the code did look the same here\n",
              page->out);
    for (size_t c = 0; c < series->cell_count && !rc; c++)
        rc = print_cell(page, history, series, &series->cells[c]);
    putc('\n', page->out);
    return rc;
}

int fl_history_print(const struct fl_history *history, const struct fl_history_page *wanted,
                     struct fl_err *err)
{
    struct fl_page page = {.width = wanted->width, .out = wanted->out, .err = err};
    size_t cells = 0;
    int rc = 0;

    errno = 0;
    if (wanted->format != FL_HISTORY_TABLE)
        return put_rows(history, wanted, err);
    for (size_t i = 0; i < history->count && !rc; i++) {
        cells += history->series[i].cell_count;
        rc = print_series(&page, history, &history->series[i]);
    }
    if (!rc && cells == 0)
        fputs("no finished run has such a cell\n", wanted->out);
    return fl_page_end(&page, rc);
}
