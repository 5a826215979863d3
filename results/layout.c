/* SPDX-License-Identifier: Apache-2.0 */
#include "layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/factor.h"
#include "results/text.h"

enum { NUMBER_COLUMNS = 11, PIVOT_METRICS = 2, COMBINED_MAX = 8 };

#define NO_FACTOR ((size_t)-1)

const char *fl_layout_level(const struct fl_summary_cell *cell, size_t factor)
{
    return cell->levels[factor] ? cell->levels[factor] : "-";
}

size_t fl_layout_rank(const struct fl_summary *summary, const struct fl_summary_cell *cell,
                      size_t factor)
{
    const char *level = fl_layout_level(cell, factor);
    size_t i = 0;

    while (strcmp(fl_layout_level(&summary->cells[i], factor), level) != 0)
        i++;
    return i;
}

/* Number of different levels. */
static size_t count_levels(const struct fl_summary *summary, size_t factor)
{
    size_t levels = 0;

    for (size_t i = 0; i < summary->cell_count; i++)
        levels += fl_layout_rank(summary, &summary->cells[i], factor) == i;
    return levels;
}

const char *fl_layout_only(const struct fl_summary *summary, size_t factor)
{
    const char *only = NULL;

    for (size_t i = 0; i < summary->cell_count; i++) {
        const char *level = summary->cells[i].levels[factor];
        if (level && only && strcmp(level, only) != 0)
            return NULL;
        only = level ? level : only;
    }
    return only;
}

bool fl_layout_constant(const struct fl_summary *summary, size_t metric, size_t *measured)
{
    double first = 0;
    bool same = true;

    *measured = 0;
    for (size_t i = 0; i < summary->cell_count; i++) {
        const struct fl_summary_value *value = &summary->cells[i].values[metric];
        if (!value->count)
            continue;
        double median = fl_number_real(value->median);
        if (!(*measured)++)
            first = median;
        same = same && median == first;
    }
    return same;
}

/* ---- names in options ---- */

static size_t factor_named(const struct fl_summary *summary, const char *name)
{
    for (size_t i = 0; i < summary->factor_count; i++)
        if (strcmp(summary->factors[i], name) == 0)
            return i;
    return NO_FACTOR;
}

static size_t metric_named(const struct fl_summary *summary, const char *name)
{
    for (size_t i = 0; i < summary->metric_count; i++)
        if (strcmp(summary->metrics[i].metric.name, name) == 0)
            return i;
    return NO_FACTOR;
}

int fl_layout_find(const struct fl_summary *summary, enum fl_layout_what what, const char *name,
                   size_t *out, struct fl_err *err)
{
    const char *names[FL_LAYOUT_MAX + 1] = {NULL};
    bool factor = what == FL_LAYOUT_FACTOR;
    size_t count = factor ? summary->factor_count : summary->metric_count;

    *out = factor ? factor_named(summary, name) : metric_named(summary, name);
    if (*out != NO_FACTOR)
        return 0;
    for (size_t i = 0; i < count && i < FL_LAYOUT_MAX; i++)
        names[i] = factor ? summary->factors[i] : summary->metrics[i].metric.name;
    const char *nearest = fl_nearest(name, names);
    return fl_fail(err, -EINVAL, "cannot show '%s': the run has no such %s%s%s%s", name,
                   factor ? "factor" : "metric", nearest ? "; did you mean '" : "",
                   nearest ? nearest : "", nearest ? "'?" : "");
}

/* Reads `a,b,c` into indices. */
static int read_names(const struct fl_summary *summary, const char *text, enum fl_layout_what what,
                      size_t *out, size_t *count, struct fl_err *err)
{
    char *names = strdup(text), *rest = names, *name;
    int status = names ? 0 : fl_fail(err, -ENOMEM, "cannot show the run: out of memory");

    for (*count = 0; !status && (name = strsep(&rest, ",")) != NULL;) {
        size_t index;
        status = fl_layout_find(summary, what, name, &index, err);
        if (!status && *count < FL_LAYOUT_MAX)
            out[(*count)++] = index;
    }
    free(names);
    return status;
}

/* ---- factors ---- */

static bool contains(const size_t *list, size_t count, size_t item)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == item)
            return true;
    return false;
}

static bool is_numeric(const struct fl_summary *summary, size_t factor)
{
    char *end;

    for (size_t i = 0; i < summary->cell_count; i++) {
        const char *level = summary->cells[i].levels[factor];
        if (!level || (strtod(level, &end), end == level))
            return false;
    }
    return true;
}

/* Do the cells that have the factor differ in it? Fallbacks of different kernels are not worth a
 * column. One that only some cells have, always at the same
 * level, tells no cells apart that another factor (kernel, library) does not. */
static bool varies(const struct fl_summary *summary, size_t factor)
{
    return !summary->implied[factor] && count_levels(summary, factor) > 1 &&
           !fl_layout_only(summary, factor);
}

bool fl_layout_same(const struct fl_summary_cell *a, const struct fl_summary_cell *b,
                    const size_t *factors, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(fl_layout_level(a, factors[i]), fl_layout_level(b, factors[i])) != 0)
            return false;
    return true;
}

/* How many combinations of levels there are, and roughly the columns that they need. */
static size_t combinations(const struct fl_summary *summary, const size_t *factors, size_t count,
                           size_t *width)
{
    size_t found = 0;

    *width = 0;
    for (size_t i = 0; i < summary->cell_count; i++) {
        const struct fl_summary_cell *cell = &summary->cells[i];
        size_t before = 0, title = PIVOT_METRICS * NUMBER_COLUMNS;
        while (!fl_layout_same(&summary->cells[before], cell, factors, count))
            before++;
        if (before != i)
            continue;
        found++;
        for (size_t k = 0; k < count; k++) {
            size_t level = fl_text_columns(fl_layout_level(cell, factors[k])) + 3;
            title = level > title ? level : title;
        }
        *width += title;
    }
    return found;
}

static size_t label_width(const struct fl_summary *summary, size_t factor)
{
    size_t most = strlen(summary->factors[factor]);

    for (size_t i = 0; i < summary->cell_count; i++) {
        size_t width = fl_text_columns(fl_layout_level(&summary->cells[i], factor));
        most = width > most ? width : most;
    }
    return most + 2;
}

/* Whether a pivot leaves factors to make rows of and stands in one block, side by side. */
static bool fits(const struct fl_summary *summary, const size_t *pivots, size_t count, size_t width)
{
    size_t used, left = 0;
    size_t columns = combinations(summary, pivots, count, &used);

    for (size_t i = 0; i < summary->factor_count; i++) {
        if (contains(pivots, count, i) || !varies(summary, i))
            continue;
        left++;
        if (strcmp(summary->factors[i], "kernel") != 0)
            used += label_width(summary, i);
    }
    if (!left || (count > 1 && columns > COMBINED_MAX))
        return false;
    return !width || used <= width;
}

/* The factors that are worth comparing side by side and vary, the likeliest first. */
static size_t find_cures(const struct fl_summary *summary, const struct fl_layout *layout,
                         size_t *out)
{
    static const char *const names[] = {"malloc", "workspace", "library", "isa",
                                        "caller", "thp",       "history", "heap-offset"};
    size_t count = 0;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t factor = factor_named(summary, names[i]);
        if (factor != NO_FACTOR && varies(summary, factor) &&
            !contains(layout->rows, layout->row_count, factor))
            out[count++] = factor;
    }
    return count;
}

static int compare_indices(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

/* All cures together if that fits, else the first that does, else the one with fewest levels. None
 * where nothing would be left to make rows of. */
static void choose_pivots(const struct fl_summary *summary, struct fl_layout *out, size_t width)
{
    size_t cures[FL_LAYOUT_MAX], best = NO_FACTOR;
    size_t count = find_cures(summary, out, cures);

    if (count > 1 && fits(summary, cures, count, width)) {
        qsort(cures, count, sizeof(cures[0]), compare_indices);
        memcpy(out->pivots, cures, count * sizeof(cures[0]));
        out->pivot_count = count;
        return;
    }
    for (size_t i = 0; i < count && best == NO_FACTOR; i++)
        if (fits(summary, &cures[i], 1, width))
            best = cures[i];
    for (size_t i = 0, least = NO_FACTOR; i < count && best == NO_FACTOR; i++) {
        size_t levels = count_levels(summary, cures[i]);
        out->pivots[0] = levels < least ? cures[i] : out->pivots[0];
        least = levels < least ? levels : least;
    }
    if (best != NO_FACTOR)
        out->pivots[0] = best;
    out->pivot_count = count && fits(summary, out->pivots, 1, 0);
}

static int choose_columns(const struct fl_summary *summary, const struct fl_show_options *options,
                          struct fl_layout *out, struct fl_err *err)
{
    int status;

    if (!options->columns) {
        choose_pivots(summary, out, options->width);
        return 0;
    }
    if (strcmp(options->columns, "metrics") == 0)
        return 0;
    status = read_names(summary, options->columns, FL_LAYOUT_FACTOR, out->pivots, &out->pivot_count,
                        err);
    for (size_t i = 0; i < out->pivot_count && !status; i++)
        if (contains(out->rows, out->row_count, out->pivots[i]))
            status = fl_fail(err, -EINVAL, "cannot show '%s' as rows and as columns",
                             summary->factors[out->pivots[i]]);
    return status;
}

static void add_rows(const struct fl_summary *summary, struct fl_layout *out, bool numeric)
{
    for (size_t i = 0; i < summary->factor_count && out->row_count < FL_LAYOUT_MAX; i++)
        if (!contains(out->pivots, out->pivot_count, i) && varies(summary, i) &&
            is_numeric(summary, i) == numeric && !contains(out->sections, out->section_count, i))
            out->rows[out->row_count++] = i;
}

static void choose_rows(const struct fl_summary *summary, struct fl_layout *out)
{
    size_t kernel = factor_named(summary, "kernel");

    if (kernel != NO_FACTOR && !contains(out->pivots, out->pivot_count, kernel) &&
        varies(summary, kernel))
        out->sections[out->section_count++] = kernel;
    add_rows(summary, out, true);
    add_rows(summary, out, false);
    if (!out->row_count) { /* a section alone is a row */
        out->row_count = out->section_count;
        memcpy(out->rows, out->sections, sizeof(out->rows));
        out->section_count = 0;
    }
}

static void add_sections(const struct fl_summary *summary, struct fl_layout *out)
{
    for (size_t i = 0; i < summary->factor_count && out->section_count < FL_LAYOUT_MAX; i++)
        if (!contains(out->pivots, out->pivot_count, i) && varies(summary, i) &&
            !contains(out->rows, out->row_count, i) &&
            !contains(out->sections, out->section_count, i))
            out->sections[out->section_count++] = i;
}

/* ---- metrics ---- */

static bool is_rate(const struct fl_metric *metric)
{
    return metric->kind == FL_METRIC_TIMED && metric->better == FL_MORE_IS_BETTER;
}

/* A rate says what the time says: beside a measured rate, times are left out. */
static bool has_rate(const struct fl_summary *summary)
{
    size_t measured;

    for (size_t i = 0; i < summary->metric_count; i++)
        if (is_rate(&summary->metrics[i].metric) &&
            (fl_layout_constant(summary, i, &measured), measured))
            return true;
    return false;
}

static void choose_metrics(const struct fl_summary *summary, struct fl_layout *out)
{
    bool pivot = out->pivot_count > 0, rated = has_rate(summary);
    size_t timed = 0, counts = 0, measured;

    for (size_t i = 0; i < summary->metric_count && out->metric_count < FL_LAYOUT_MAX; i++) {
        const struct fl_metric *metric = &summary->metrics[i].metric;
        bool is_time = metric->kind == FL_METRIC_TIMED;
        bool same = fl_layout_constant(summary, i, &measured);
        if (!measured || (pivot && is_time && rated && !is_rate(metric)))
            continue;
        if (same && !is_time && summary->cell_count > 1)
            continue;
        if (pivot && (is_time ? timed : counts) >= PIVOT_METRICS / 2)
            continue;
        timed += is_time;
        counts += !is_time;
        out->metrics[out->metric_count++] = i;
    }
    if (out->metric_count)
        return;
    for (size_t i = 0; i < summary->metric_count && i < FL_LAYOUT_MAX; i++)
        out->metrics[out->metric_count++] = i;
}

int fl_layout_choose(const struct fl_summary *summary, const struct fl_show_options *options,
                     struct fl_layout *out, struct fl_err *err)
{
    int status = 0;

    *out = (struct fl_layout){.pivot_count = 0};
    if (options->rows)
        status =
            read_names(summary, options->rows, FL_LAYOUT_FACTOR, out->rows, &out->row_count, err);
    if (!status)
        status = choose_columns(summary, options, out, err);
    if (status)
        return status;
    if (!options->rows)
        choose_rows(summary, out);
    add_sections(summary, out);
    if (options->metrics)
        return read_names(summary, options->metrics, FL_LAYOUT_METRIC, out->metrics,
                          &out->metric_count, err);
    choose_metrics(summary, out);
    return 0;
}
