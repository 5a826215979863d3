/* SPDX-License-Identifier: Apache-2.0 */
/* Scaling as text: points of each group, then the fits. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "notes.h"
#include "results/export.h"
#include "results/scaling.h"
#include "results/text.h"
#include "results/usl.h"
#include "text-table.h"

enum { POINT_COLUMNS = 5, FIT_COLUMNS = 6 };

struct fl_scaling_view {
    const struct fl_scaling *scaling;
    size_t width;
    FILE *out;
    struct fl_err *err;
    struct fl_arena arena;
    struct fl_notes notes;
};

struct fl_fitted {
    struct fl_usl_fit fit;
    const char *refusal; /* NULL: there is a fit */
};

static int out_of_memory(struct fl_scaling_view *view)
{
    return fl_fail(view->err, -ENOMEM, "cannot show scaling: out of memory");
}

static const char *safe(struct fl_scaling_view *view, const char *text)
{
    const char *made = fl_text_for_terminal(&view->arena, text);

    return made ? made : "?";
}

__attribute__((format(printf, 2, 3))) static const char *make_text(struct fl_scaling_view *view,
                                                                   const char *format, ...)
{
    va_list values;

    va_start(values, format);
    const char *made = fl_text_format(&view->arena, format, values);
    va_end(values);
    return made ? made : "?";
}

static const char *note(struct fl_scaling_view *view, const char *text)
{
    return fl_notes_mark(&view->notes, &view->arena, text);
}

/* Four digits that count, without an exponent where people would not write one. */
static const char *number(struct fl_scaling_view *view, double value)
{
    double size = fabs(value);

    if (isinf(value))
        return "infinite";
    if (size >= 1e9 || (size > 0 && size < 1e-5))
        return make_text(view, "%.3e", value);
    int decimals = size >= 1000 ? 0 : size > 0 ? 3 - (int)floor(log10(size)) : 0;
    return make_text(view, "%.*f", decimals, value);
}

/* ---- points ---- */

/* The point with the fewest threads that has a value; NULL: none has. */
static const struct fl_scaling_point *first_point(const struct fl_scaling_group *group)
{
    for (size_t i = 0; i < group->count; i++)
        if (group->points[i].throughput > 0)
            return &group->points[i];
    return NULL;
}

/* More threads than processors take turns: what they cost one another is then the scheduler's. */
static const char *beyond(struct fl_scaling_view *view, unsigned threads)
{
    unsigned processors = view->scaling->processors;

    if (!processors || threads <= processors)
        return "";
    const char *mark = note(view, make_text(view,
                                            "more threads than the %u processor%s that the "
                                            "run could use: they take turns",
                                            processors, processors > 1 ? "s" : ""));
    return make_text(view, " %s", mark);
}

static const char *level_text(struct fl_scaling_view *view, const struct fl_scaling_point *point)
{
    const char *level = safe(view, point->level);
    const char *threads = make_text(view, "%u", point->threads);
    const char *mark = beyond(view, point->threads);

    return !point->threads || strcmp(level, threads) == 0
               ? make_text(view, "%s%s", level, mark)
               : make_text(view, "%u (%s)%s", point->threads, level, mark);
}

static void fill_point(struct fl_scaling_view *view, struct fl_table *table, size_t row,
                       const struct fl_scaling_group *group, const struct fl_fitted *fitted)
{
    const struct fl_scaling_point *point = &group->points[row], *first = first_point(group);

    *fl_table_text(table, row, 0) = level_text(view, point);
    if (!(point->throughput > 0)) {
        *fl_table_text(table, row, 1) = point->reason ? note(view, safe(view, point->reason)) : "-";
        return;
    }
    double speedup = point->throughput / first->throughput;
    double efficiency = speedup * first->threads / point->threads;
    *fl_table_text(table, row, 1) = number(view, point->throughput);
    *fl_table_text(table, row, 2) = make_text(view, "%.2f", speedup);
    *fl_table_text(table, row, 3) = make_text(view, "%.1f", 100 * efficiency);
    if (fitted->refusal)
        return;
    double law = fl_usl_throughput(&fitted->fit, point->threads);
    *fl_table_text(table, row, 4) = number(view, law);
    *fl_table_text(table, row, 5) = make_text(view, "%+.1f", 100 * (point->throughput - law) / law);
}

static int print_table(struct fl_scaling_view *view, struct fl_table *table)
{
    if (fl_table_print(table, &view->arena, view->width, false, view->out))
        return out_of_memory(view);
    return fl_export_check(view->out, view->err);
}

static int print_group(struct fl_scaling_view *view, const struct fl_scaling_group *group,
                       const struct fl_fitted *fitted)
{
    const char *titles[] = {"throughput", "speed-up", "efficiency", "fitted", "residual"};
    const char *unit = safe(view, view->scaling->unit);
    const char *heads[] = {safe(view, view->scaling->by), unit, "", "%", unit, "%"};
    struct fl_table table = {
        .labels = 1, .groups = POINT_COLUMNS, .each = 1, .rows = group->count, .title_lines = 1};

    fprintf(view->out, "\n%s%s", safe(view, group->name), *group->name ? "\n" : "");
    if (fl_table_init(&table, &view->arena))
        return out_of_memory(view);
    memcpy(table.titles, titles, sizeof(titles));
    memcpy(table.heads, heads, sizeof(heads));
    for (size_t i = 0; i < group->count; i++)
        fill_point(view, &table, i, group, fitted);
    return print_table(view, &table);
}

/* ---- fits ---- */

static int fit_group(struct fl_scaling_view *view, const struct fl_scaling_group *group,
                     struct fl_fitted *out)
{
    struct fl_usl_point *points =
        fl_arena_alloc(&view->arena, (group->count + 1) * sizeof(*points), 16);
    struct fl_err why = {.text = ""};
    size_t count = 0;

    if (!points)
        return out_of_memory(view);
    for (size_t i = 0; i < group->count; i++)
        if (group->points[i].throughput > 0)
            points[count++] =
                (struct fl_usl_point){group->points[i].threads, group->points[i].throughput};
    if (fl_usl_fit(points, count, &out->fit, &why))
        out->refusal = make_text(view, "no fit: %s", why.text);
    return 0;
}

static void fill_fit(struct fl_scaling_view *view, struct fl_table *table, size_t row,
                     const struct fl_fitted *fitted)
{
    const struct fl_usl_fit *fit = &fitted->fit;
    const char *name = view->scaling->groups[row].name;

    *fl_table_text(table, row, 0) = *name ? safe(view, name) : "all";
    if (fitted->refusal) {
        *fl_table_text(table, row, 1) = note(view, fitted->refusal);
        return;
    }
    *fl_table_text(table, row, 1) = number(view, fit->alpha);
    *fl_table_text(table, row, 2) = number(view, fit->beta);
    *fl_table_text(table, row, 3) = number(view, fit->gamma);
    *fl_table_text(table, row, 4) =
        isinf(fit->peak_threads) ? "infinite" : make_text(view, "%.1f", fit->peak_threads);
    *fl_table_text(table, row, 5) = number(view, fit->peak_throughput);
    *fl_table_text(table, row, 6) =
        fit->distinct > 3 ? make_text(view, "%.3f", fit->r_squared)
                          : note(view, "3 different numbers of threads make a curve, and leave "
                                       "nothing to judge it by");
}

static int print_fits(struct fl_scaling_view *view, const struct fl_fitted *fitted)
{
    const char *titles[] = {"alpha", "beta", "gamma", "peak at", "peak", "R^2"};
    const char *unit = safe(view, view->scaling->unit);
    const char *heads[] = {"fit", "", "", unit, safe(view, view->scaling->by), unit, ""};
    struct fl_table table = {.labels = 1,
                             .groups = FIT_COLUMNS,
                             .each = 1,
                             .rows = view->scaling->count,
                             .title_lines = 1};

    putc('\n', view->out);
    if (fl_table_init(&table, &view->arena))
        return out_of_memory(view);
    memcpy(table.titles, titles, sizeof(titles));
    memcpy(table.heads, heads, sizeof(heads));
    for (size_t i = 0; i < view->scaling->count; i++)
        fill_fit(view, &table, i, &fitted[i]);
    return print_table(view, &table);
}

/* ---- all ---- */

static int print_all(struct fl_scaling_view *view)
{
    const struct fl_scaling *scaling = view->scaling;
    struct fl_fitted *fitted =
        fl_arena_alloc(&view->arena, (scaling->count + 1) * sizeof(*fitted), 16);
    int rc = fitted ? 0 : out_of_memory(view);

    errno = 0;
    fprintf(view->out, "%s\n", safe(view, scaling->title));
    if (*scaling->shared)
        fprintf(view->out, "everywhere: %s\n", safe(view, scaling->shared));
    for (size_t i = 0; i < scaling->count && !rc; i++) {
        rc = fit_group(view, &scaling->groups[i], &fitted[i]);
        if (!rc)
            rc = print_group(view, &scaling->groups[i], &fitted[i]);
    }
    if (!rc)
        rc = scaling->count ? print_fits(view, fitted) : 0;
    if (!rc && view->notes.count)
        putc('\n', view->out);
    fl_notes_print(&view->notes, view->out);
    return rc ? rc : fl_export_flush(view->out, view->err);
}

int fl_scaling_print(const struct fl_scaling *scaling, size_t width, FILE *out, struct fl_err *err)
{
    struct fl_scaling_view view = {.scaling = scaling, .width = width, .out = out, .err = err};
    int rc = print_all(&view);

    fl_arena_release(&view.arena);
    return rc;
}
