/* SPDX-License-Identifier: Apache-2.0 */
/* Scaling as text: points of each group, then the fits. */
#include <math.h>
#include <string.h>

#include "page.h"
#include "results/scaling.h"
#include "results/usl.h"

enum { POINT_COLUMNS = 5, FIT_COLUMNS = 6 };

struct fl_scaling_view {
    const struct fl_scaling *scaling;
    struct fl_page page;
};

struct fl_fitted {
    struct fl_usl_fit fit;
    const char *refusal; /* NULL: there is a fit */
};

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
    const char *mark =
        fl_page_note(&view->page, fl_page_text(&view->page,
                                               "more threads than the %u processor%s that the "
                                               "run could use: they take turns",
                                               processors, processors > 1 ? "s" : ""));
    return fl_page_text(&view->page, " %s", mark);
}

static const char *level_text(struct fl_scaling_view *view, const struct fl_scaling_point *point)
{
    const char *level = fl_page_safe(&view->page, point->level);
    const char *threads = fl_page_text(&view->page, "%u", point->threads);
    const char *mark = beyond(view, point->threads);

    return !point->threads || strcmp(level, threads) == 0
               ? fl_page_text(&view->page, "%s%s", level, mark)
               : fl_page_text(&view->page, "%u (%s)%s", point->threads, level, mark);
}

static void fill_point(struct fl_scaling_view *view, struct fl_table *table, size_t row,
                       const struct fl_scaling_group *group, const struct fl_fitted *fitted)
{
    const struct fl_scaling_point *point = &group->points[row], *first = first_point(group);

    *fl_table_text(table, row, 0) = level_text(view, point);
    if (!(point->throughput > 0)) {
        *fl_table_text(table, row, 1) =
            point->reason ? fl_page_note(&view->page, fl_page_safe(&view->page, point->reason))
                          : "-";
        return;
    }
    double speedup = point->throughput / first->throughput;
    double efficiency = speedup * first->threads / point->threads;
    *fl_table_text(table, row, 1) = fl_page_number(&view->page, point->throughput);
    *fl_table_text(table, row, 2) = fl_page_text(&view->page, "%.2f", speedup);
    *fl_table_text(table, row, 3) = fl_page_text(&view->page, "%.1f", 100 * efficiency);
    if (fitted->refusal)
        return;
    double law = fl_usl_throughput(&fitted->fit, point->threads);
    *fl_table_text(table, row, 4) = fl_page_number(&view->page, law);
    *fl_table_text(table, row, 5) =
        fl_page_text(&view->page, "%+.1f", 100 * (point->throughput - law) / law);
}

static int print_group(struct fl_scaling_view *view, const struct fl_scaling_group *group,
                       const struct fl_fitted *fitted)
{
    const char *titles[] = {"throughput", "speed-up", "efficiency", "fitted", "residual"};
    const char *unit = fl_page_safe(&view->page, view->scaling->unit);
    const char *heads[] = {fl_page_safe(&view->page, view->scaling->by), unit, "", "%", unit, "%"};
    struct fl_table table = {
        .labels = 1, .groups = POINT_COLUMNS, .each = 1, .rows = group->count, .title_lines = 1};

    fprintf(view->page.out, "\n%s%s", fl_page_safe(&view->page, group->name),
            *group->name ? "\n" : "");
    int rc = fl_page_table(&view->page, &table, titles, heads);
    if (rc)
        return rc;
    for (size_t i = 0; i < group->count; i++)
        fill_point(view, &table, i, group, fitted);
    return fl_page_print(&view->page, &table);
}

/* ---- fits ---- */

static int fit_group(struct fl_scaling_view *view, const struct fl_scaling_group *group,
                     struct fl_fitted *out)
{
    struct fl_usl_point *points =
        fl_arena_alloc(&view->page.arena, (group->count + 1) * sizeof(*points), 16);
    struct fl_err why = {.text = ""};
    size_t count = 0;

    if (!points)
        return fl_page_out_of_memory(&view->page);
    for (size_t i = 0; i < group->count; i++)
        if (group->points[i].throughput > 0)
            points[count++] =
                (struct fl_usl_point){group->points[i].threads, group->points[i].throughput};
    if (fl_usl_fit(points, count, &out->fit, &why))
        out->refusal = fl_page_text(&view->page, "no fit: %s", why.text);
    return 0;
}

static void fill_fit(struct fl_scaling_view *view, struct fl_table *table, size_t row,
                     const struct fl_fitted *fitted)
{
    const struct fl_usl_fit *fit = &fitted->fit;
    const char *name = view->scaling->groups[row].name;

    *fl_table_text(table, row, 0) = *name ? fl_page_safe(&view->page, name) : "all";
    if (fitted->refusal) {
        *fl_table_text(table, row, 1) = fl_page_note(&view->page, fitted->refusal);
        return;
    }
    *fl_table_text(table, row, 1) = fl_page_number(&view->page, fit->alpha);
    *fl_table_text(table, row, 2) = fl_page_number(&view->page, fit->beta);
    *fl_table_text(table, row, 3) = fl_page_number(&view->page, fit->gamma);
    *fl_table_text(table, row, 4) = isinf(fit->peak_threads)
                                        ? "infinite"
                                        : fl_page_text(&view->page, "%.1f", fit->peak_threads);
    *fl_table_text(table, row, 5) = fl_page_number(&view->page, fit->peak_throughput);
    *fl_table_text(table, row, 6) =
        fit->distinct > 3
            ? fl_page_text(&view->page, "%.3f", fit->r_squared)
            : fl_page_note(&view->page, "3 different numbers of threads make a curve, and leave "
                                        "nothing to judge it by");
}

static int print_fits(struct fl_scaling_view *view, const struct fl_fitted *fitted)
{
    const char *titles[] = {"alpha", "beta", "gamma", "peak at", "peak", "R^2"};
    const char *unit = fl_page_safe(&view->page, view->scaling->unit);
    const char *heads[] = {"fit", "", "", unit, fl_page_safe(&view->page, view->scaling->by),
                           unit,  ""};
    struct fl_table table = {.labels = 1,
                             .groups = FIT_COLUMNS,
                             .each = 1,
                             .rows = view->scaling->count,
                             .title_lines = 1};

    putc('\n', view->page.out);
    int rc = fl_page_table(&view->page, &table, titles, heads);
    if (rc)
        return rc;
    for (size_t i = 0; i < view->scaling->count; i++)
        fill_fit(view, &table, i, &fitted[i]);
    return fl_page_print(&view->page, &table);
}

/* ---- all ---- */

static int print_all(struct fl_scaling_view *view)
{
    const struct fl_scaling *scaling = view->scaling;
    struct fl_fitted *fitted =
        fl_arena_alloc(&view->page.arena, (scaling->count + 1) * sizeof(*fitted), 16);
    int rc = 0;

    if (!fitted)
        return fl_page_out_of_memory(&view->page);
    fl_page_begin(&view->page, scaling->title, scaling->shared);
    for (size_t i = 0; i < scaling->count && !rc; i++) {
        rc = fit_group(view, &scaling->groups[i], &fitted[i]);
        if (!rc)
            rc = print_group(view, &scaling->groups[i], &fitted[i]);
    }
    return !rc && scaling->count ? print_fits(view, fitted) : rc;
}

int fl_scaling_print(const struct fl_scaling *scaling, size_t width, FILE *out, struct fl_err *err)
{
    struct fl_scaling_view view = {.scaling = scaling,
                                   .page = {.width = width, .out = out, .err = err}};

    return fl_page_end(&view.page, print_all(&view));
}
