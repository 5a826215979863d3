/* SPDX-License-Identifier: Apache-2.0 */
#include "results/show.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "faultline/factor.h"
#include "layout.h"
#include "notes.h"
#include "results/export.h"
#include "results/text.h"
#include "text-table.h"

/* How the values of one metric are written. */
struct fl_display {
    const char *unit;
    double divisor;
    int decimals;
};

struct fl_view {
    const struct fl_summary *summary;
    const struct fl_show_options *options;
    struct fl_layout layout;
    struct fl_display displays[FL_LAYOUT_MAX]; /* per metric of the layout */
    struct fl_arena arena;
    struct fl_notes notes;
    FILE *out;
    struct fl_err *err;
};

/* Distinct combinations of levels, each by one cell that has it. */
struct fl_axis {
    const struct fl_summary_cell **items;
    size_t count;
};

static int out_of_memory(struct fl_view *view)
{
    return fl_fail(view->err, -ENOMEM, "cannot show the run: out of memory");
}

static const char *safe(struct fl_view *view, const char *text)
{
    const char *made = fl_text_for_terminal(&view->arena, text);

    return made ? made : "?";
}

__attribute__((format(printf, 2, 3))) static const char *make_text(struct fl_view *view,
                                                                   const char *format, ...)
{
    va_list values;

    va_start(values, format);
    const char *made = fl_text_format(&view->arena, format, values);
    va_end(values);
    return made ? made : "?";
}

/* ---- units ---- */

/* Prefixes by the greatest value, decimals by the least. */
static struct fl_display choose_display(const struct fl_summary *summary, size_t metric)
{
    const char *unit = summary->metrics[metric].metric.unit;
    struct fl_display out = {unit, 1, 0};
    double most = 0, least = HUGE_VAL;

    for (size_t i = 0; i < summary->cell_count; i++) {
        const struct fl_summary_value *value = &summary->cells[i].values[metric];
        double median = value->count ? fabs(fl_number_real(value->median)) : 0;
        most = median > most ? median : most;
        least = median > 0 && median < least ? median : least;
    }
    if (strcmp(unit, "ns") == 0 && most >= 1e4)
        out = most >= 1e7 ? (struct fl_display){"ms", 1e6, 0} : (struct fl_display){"us", 1e3, 0};
    if (strcmp(unit, "bytes") == 0 && most >= 10240)
        out = most >= 1e7 ? (struct fl_display){"MiB", 1048576, 0}
                          : (struct fl_display){"KiB", 1024, 0};
    least /= out.divisor;
    out.decimals = least >= 10 ? 1 : least >= 1 ? 2 : least >= 0.1 ? 3 : 4;
    return out;
}

static const char *number_text(struct fl_view *view, size_t metric, struct fl_number number)
{
    const struct fl_display *display = &view->displays[metric];
    char text[FL_NUMBER_TEXT];

    if (display->divisor != 1)
        number =
            (struct fl_number){.is_real = true, .real = fl_number_real(number) / display->divisor};
    fl_number_fixed(number, display->decimals, text);
    return make_text(view, "%s", text);
}

/* ---- notes ---- */

static const char *note(struct fl_view *view, const char *text)
{
    return fl_notes_mark(&view->notes, &view->arena, text);
}

static const char *cell_note(struct fl_view *view, const struct fl_summary_cell *cell)
{
    if (strcmp(cell->status, "ok") == 0)
        return "";
    const char *reason = cell->reason ? safe(view, cell->reason) : "no reason given";
    return note(view, make_text(view, "%s: %s", cell->status, reason));
}

static const char *value_note(struct fl_view *view, const struct fl_summary_value *value,
                              size_t metric)
{
    const char *name = view->summary->metrics[metric].metric.name;

    if (!value->reason)
        return "";
    return note(view, make_text(view, "%s %s", safe(view, name), safe(view, value->reason)));
}

/* ---- a table ---- */

/* The place of a cell's level among those of a factor: as planned, or of a searched one its number.
 */
static double rank(const struct fl_view *view, const struct fl_summary_cell *cell, size_t factor)
{
    const char *searched = view->options->searched;
    double number;

    if (searched && strcmp(view->summary->factors[factor], searched) == 0 &&
        !fl_factor_number(FL_FACTOR_INT, fl_layout_level(cell, factor), &number))
        return number;
    return (double)fl_layout_rank(view->summary, cell, factor);
}

static bool comes_before(const struct fl_view *view, const struct fl_summary_cell *a,
                         const struct fl_summary_cell *b, const size_t *factors, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double x = rank(view, a, factors[i]), y = rank(view, b, factors[i]);
        if (x != y)
            return x < y;
    }
    return false;
}

static bool is_listed(const struct fl_axis *axis, const struct fl_summary_cell *cell,
                      const size_t *factors, size_t count)
{
    for (size_t i = 0; i < axis->count; i++)
        if (fl_layout_same(axis->items[i], cell, factors, count))
            return true;
    return false;
}

/* The combinations of `factors` among the cells of a section (NULL: all), in the run's order. */
static int collect(struct fl_view *view, const size_t *factors, size_t count,
                   const struct fl_summary_cell *section, struct fl_axis *out)
{
    const struct fl_summary *summary = view->summary;
    const struct fl_layout *layout = &view->layout;

    out->count = 0;
    out->items = fl_arena_alloc(&view->arena,
                                summary->cell_count * sizeof(struct fl_summary_cell *) + 1, 16);
    if (!out->items)
        return out_of_memory(view);
    for (size_t i = 0; i < summary->cell_count; i++) {
        const struct fl_summary_cell *cell = &summary->cells[i];
        if (section && !fl_layout_same(cell, section, layout->sections, layout->section_count))
            continue;
        if (is_listed(out, cell, factors, count))
            continue;
        size_t at = out->count++;
        for (; at && comes_before(view, cell, out->items[at - 1], factors, count); at--)
            out->items[at] = out->items[at - 1];
        out->items[at] = cell;
    }
    return 0;
}

/* The cell of a section at a row and, unless columns are metrics, a column. NULL: not planned. */
static const struct fl_summary_cell *cell_at(const struct fl_view *view,
                                             const struct fl_summary_cell *section,
                                             const struct fl_summary_cell *row,
                                             const struct fl_summary_cell *column)
{
    const struct fl_layout *layout = &view->layout;

    for (size_t i = 0; i < view->summary->cell_count; i++) {
        const struct fl_summary_cell *cell = &view->summary->cells[i];
        if (fl_layout_same(cell, section, layout->sections, layout->section_count) &&
            fl_layout_same(cell, row, layout->rows, layout->row_count) &&
            (!column || fl_layout_same(cell, column, layout->pivots, layout->pivot_count)))
            return cell;
    }
    return NULL;
}

static const char *value_text(struct fl_view *view, const struct fl_summary_cell *cell,
                              size_t index)
{
    size_t metric = view->layout.metrics[index];
    const struct fl_summary_value *value = cell ? &cell->values[metric] : NULL;

    if (!value)
        return "";
    const char *cell_mark = index == 0 || !value->count ? cell_note(view, cell) : "";
    const char *value_mark = value_note(view, value, metric);
    if (!value->count)
        return *cell_mark || *value_mark ? make_text(view, "%s%s", cell_mark, value_mark) : "-";
    return make_text(view, "%s%s%s%s%s", cell_mark, value_mark,
                     *cell_mark || *value_mark ? " " : "", value->scaled ? "~" : "",
                     number_text(view, index, value->median));
}

static bool is_better(enum fl_metric_better better, double a, double b)
{
    return better == FL_MORE_IS_BETTER ? a > b : a < b;
}

/* The place of the best of the row's cells (NULL: none) for a metric; `count` where fewer than two
 * have a value to compare. */
static size_t find_best(const struct fl_summary_cell *const *cells, size_t count, size_t metric,
                        enum fl_metric_better better)
{
    size_t best = count, measured = 0;

    for (size_t i = 0; i < count; i++) {
        const struct fl_summary_value *value = cells[i] ? &cells[i]->values[metric] : NULL;
        if (!value || !value->count || strcmp(cells[i]->status, "wrong-result") == 0)
            continue;
        measured++;
        if (best == count || is_better(better, fl_number_real(value->median),
                                       fl_number_real(cells[best]->values[metric].median)))
            best = i;
    }
    return measured < 2 ? count : best;
}

/* Marks the best of a row for a timed metric, and what reads the same; nothing where all do. */
static void mark_best(struct fl_view *view, struct fl_table *table, size_t row, size_t index,
                      const struct fl_summary_cell *const *cells)
{
    size_t metric = view->layout.metrics[index], ties = 0;
    size_t columns = table->labels + table->groups * table->each;
    const struct fl_metric *about = &view->summary->metrics[metric].metric;
    size_t best = find_best(cells, table->groups, metric, about->better);

    if (about->kind != FL_METRIC_TIMED || about->better == FL_NOT_RANKED || best == table->groups)
        return;
    const char *text = *fl_table_text(table, row, table->labels + best * table->each + index);
    for (size_t i = 0; i < table->groups; i++)
        ties +=
            strcmp(text, *fl_table_text(table, row, table->labels + i * table->each + index)) == 0;
    for (size_t i = 0; i < table->groups && ties < table->groups; i++) {
        size_t column = table->labels + i * table->each + index;
        const char **other = fl_table_text(table, row, column);
        if (strcmp(*other, text) != 0)
            continue;
        *other = make_text(view, "*%s", text);
        table->best[row * columns + column] = true;
    }
}

static int fill_row(struct fl_view *view, struct fl_table *table, size_t row,
                    const struct fl_summary_cell *section, const struct fl_summary_cell *at,
                    const struct fl_axis *columns)
{
    bool pivot = columns->items != NULL;
    const struct fl_summary_cell **cells =
        fl_arena_alloc(&view->arena, (columns->count + 1) * sizeof(struct fl_summary_cell *), 16);

    if (!cells)
        return out_of_memory(view);
    for (size_t i = 0; i < table->labels; i++)
        *fl_table_text(table, row, i) = safe(view, fl_layout_level(at, view->layout.rows[i]));
    if (!pivot) {
        cells[0] = cell_at(view, section, at, NULL);
        for (size_t i = 0; i < table->groups; i++)
            *fl_table_text(table, row, table->labels + i) = value_text(view, cells[0], i);
        return 0;
    }
    for (size_t i = 0; i < table->groups; i++) {
        cells[i] = cell_at(view, section, at, columns->items[i]);
        for (size_t k = 0; k < table->each; k++)
            *fl_table_text(table, row, table->labels + i * table->each + k) =
                value_text(view, cells[i], k);
    }
    for (size_t k = 0; k < table->each; k++)
        mark_best(view, table, row, k, cells);
    return 0;
}

static bool units_differ(const struct fl_view *view)
{
    for (size_t i = 0; i < view->layout.metric_count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(view->displays[i].unit, view->displays[k].unit) == 0)
                return false;
    return true;
}

/* Under a level: units where they tell the metrics apart, names otherwise. Else names over units.
 */
static void set_heads(struct fl_view *view, struct fl_table *table, const struct fl_axis *columns)
{
    const struct fl_layout *layout = &view->layout;
    bool pivot = columns->items != NULL, units = units_differ(view);

    for (size_t i = 0; i < table->labels; i++)
        table->heads[i] = safe(view, view->summary->factors[layout->rows[i]]);
    for (size_t i = 0; i < table->title_lines * table->groups; i++) {
        size_t line = i / table->groups, group = i % table->groups;
        table->titles[i] =
            safe(view, pivot ? fl_layout_level(columns->items[group], layout->pivots[line])
                             : view->summary->metrics[layout->metrics[group]].metric.name);
    }
    for (size_t i = 0; i < table->groups * table->each; i++) {
        size_t index = i % layout->metric_count;
        const char *name = view->summary->metrics[layout->metrics[index]].metric.name;
        bool unit = !pivot || units;
        table->heads[table->labels + i] = safe(view, unit ? view->displays[index].unit : name);
    }
}

/* Without a pivot every metric is a group of its own. */
static int print_section(struct fl_view *view, const struct fl_summary_cell *section)
{
    const struct fl_layout *layout = &view->layout;
    bool pivot = layout->pivot_count > 0;
    struct fl_axis rows, columns = {NULL, 0};
    int status = collect(view, layout->rows, layout->row_count, section, &rows);

    if (!status && pivot)
        status = collect(view, layout->pivots, layout->pivot_count, NULL, &columns);
    if (status)
        return status;
    struct fl_table table = {
        .labels = layout->row_count,
        .groups = pivot ? columns.count : layout->metric_count,
        .each = pivot ? layout->metric_count : 1,
        .rows = rows.count,
        .title_lines = pivot ? layout->pivot_count : 1,
    };
    if (fl_table_init(&table, &view->arena))
        return out_of_memory(view);
    set_heads(view, &table, &columns);
    for (size_t i = 0; i < rows.count && !status; i++)
        status = fill_row(view, &table, i, section, rows.items[i], &columns);
    if (status)
        return status;
    if (fl_table_print(&table, &view->arena, view->options->width, view->options->colour,
                       view->out))
        return out_of_memory(view);
    return 0;
}

/* ---- around the tables ---- */

static void put_date(FILE *out, int64_t ns)
{
    char text[32];
    time_t seconds = (time_t)(ns / 1000000000);
    struct tm parts;

    if (gmtime_r(&seconds, &parts) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &parts))
        fputs(text, out);
}

static void print_head(struct fl_view *view)
{
    const struct fl_run_record *run = &view->summary->run;
    const char *title = run->info.title;

    fprintf(view->out, "%s%s%s\n", safe(view, run->info.scenario), title && *title ? ": " : "",
            title ? safe(view, title) : "");
    fprintf(view->out, "run %lld", (long long)run->id);
    if (run->info.label && *run->info.label)
        fprintf(view->out, " (%s)", safe(view, run->info.label));
    fprintf(view->out, ", %s, ", fl_run_status_name(run->status));
    put_date(view->out, run->started_ns);
    fprintf(view->out, " on %s: %lld cells, %lld samples\n", safe(view, run->info.host),
            (long long)run->cells, (long long)run->samples);
}

/* Factors with one level wherever they apply, unless it is only implied. */
static void print_constants(struct fl_view *view)
{
    const struct fl_summary *summary = view->summary;
    const char *between = "everywhere: ";

    for (size_t i = 0; i < summary->factor_count; i++) {
        const char *level = fl_layout_only(summary, i);
        if (summary->implied[i] || !level)
            continue;
        fprintf(view->out, "%s%s=%s", between, safe(view, summary->factors[i]), safe(view, level));
        between = " ";
    }
    if (*between == ' ')
        putc('\n', view->out);
}

/* What the columns of a pivot mean, since only units or names stand there. */
static void print_legend(struct fl_view *view)
{
    const struct fl_layout *layout = &view->layout;
    const char *between = "";

    if (!layout->pivot_count)
        return;
    fputs("columns: ", view->out);
    for (size_t i = 0; i < layout->pivot_count; i++)
        fprintf(view->out, "%s%s", i ? ", " : "",
                safe(view, view->summary->factors[layout->pivots[i]]));
    fputs("; ", view->out);
    for (size_t i = 0; i < layout->metric_count; i++) {
        const struct fl_stored_metric *metric = &view->summary->metrics[layout->metrics[i]];
        fprintf(view->out, "%s%s (%s%s)", between, safe(view, metric->metric.name),
                safe(view, view->displays[i].unit), metric->per_call ? " per call" : "");
        between = ", ";
    }
    fputs("; medians, * best of the row\n", view->out);
}

static void print_section_name(struct fl_view *view, const struct fl_summary_cell *section)
{
    const struct fl_layout *layout = &view->layout;

    putc('\n', view->out);
    for (size_t i = 0; i < layout->section_count; i++)
        fprintf(view->out, "%s%s=%s", i ? " " : "",
                safe(view, view->summary->factors[layout->sections[i]]),
                safe(view, fl_layout_level(section, layout->sections[i])));
    if (layout->section_count)
        putc('\n', view->out);
}

static int print_sections(struct fl_view *view)
{
    const struct fl_layout *layout = &view->layout;
    struct fl_axis sections;
    int status = collect(view, layout->sections, layout->section_count, NULL, &sections);

    for (size_t i = 0; i < sections.count && !status; i++) {
        print_section_name(view, sections.items[i]);
        status = print_section(view, sections.items[i]);
    }
    return status;
}

static bool is_shown(const struct fl_view *view, size_t metric)
{
    for (size_t i = 0; i < view->layout.metric_count; i++)
        if (view->layout.metrics[i] == metric)
            return true;
    return false;
}

static const char *first_reason(const struct fl_summary *summary, size_t metric)
{
    for (size_t i = 0; i < summary->cell_count; i++)
        if (summary->cells[i].values[metric].reason)
            return summary->cells[i].values[metric].reason;
    return "not measured";
}

static const struct fl_summary_value *first_value(const struct fl_summary *summary, size_t metric)
{
    size_t i = 0;

    while (!summary->cells[i].values[metric].count)
        i++;
    return &summary->cells[i].values[metric];
}

enum fl_other { FL_OTHER_CONSTANT, FL_OTHER_HIDDEN, FL_OTHER_UNMEASURED };

static bool is_other(const struct fl_view *view, size_t metric, enum fl_other kind)
{
    size_t measured;
    bool same = fl_layout_constant(view->summary, metric, &measured);

    if (is_shown(view, metric))
        return false;
    return kind == (!measured ? FL_OTHER_UNMEASURED : same ? FL_OTHER_CONSTANT : FL_OTHER_HIDDEN);
}

/* One line for the metrics of a kind, or one each where they have reasons; none without any. */
static void print_other(struct fl_view *view, enum fl_other kind, const char *before,
                        const char *between, const char *after)
{
    const struct fl_summary *summary = view->summary;
    char number[FL_NUMBER_TEXT];
    size_t found = 0;

    for (size_t i = 0; i < summary->metric_count; i++) {
        if (!is_other(view, i, kind))
            continue;
        fprintf(view->out, "%s%s", found++ ? between : before,
                safe(view, summary->metrics[i].metric.name));
        if (kind == FL_OTHER_UNMEASURED)
            fprintf(view->out, ": %s", safe(view, first_reason(summary, i)));
        if (kind != FL_OTHER_CONSTANT)
            continue;
        fl_number_text(first_value(summary, i)->median, number);
        fprintf(view->out, " %s", number);
    }
    fputs(found ? after : "", view->out);
}

/* Metrics that have no column: the same everywhere, left to the options, or never measured. */
static void print_others(struct fl_view *view)
{
    print_other(view, FL_OTHER_CONSTANT, "in every cell: ", ", ", "\n");
    print_other(view, FL_OTHER_HIDDEN, "also measured: ", ", ", " (--metrics shows them)\n");
    print_other(view, FL_OTHER_UNMEASURED, "", "\n", "\n");
}

static int print_all(struct fl_view *view)
{
    errno = 0;
    print_head(view);
    if (!view->summary->cell_count) {
        fputs("nothing was planned\n", view->out);
        return fl_export_flush(view->out, view->err);
    }
    for (size_t i = 0; i < view->layout.metric_count; i++)
        view->displays[i] = choose_display(view->summary, view->layout.metrics[i]);
    print_constants(view);
    print_legend(view);
    int status = print_sections(view);
    if (status)
        return status;
    putc('\n', view->out);
    print_others(view);
    fl_notes_print(&view->notes, view->out);
    return fl_export_flush(view->out, view->err);
}

int fl_show_run(const struct fl_summary *summary, const struct fl_show_options *options, FILE *out,
                struct fl_err *err)
{
    struct fl_view view = {.summary = summary, .options = options, .out = out, .err = err};
    int status = fl_layout_choose(summary, options, &view.layout, err);

    if (!status)
        status = print_all(&view);
    fl_arena_release(&view.arena);
    return status;
}
