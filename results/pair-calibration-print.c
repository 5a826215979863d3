/* SPDX-License-Identifier: Apache-2.0 */
/* A calibration as text. */
#include <math.h>

#include "page.h"
#include "results/pair-calibration.h"

enum { COLUMNS = 5 };

static const char *share(struct fl_page *page, double value)
{
    return isfinite(value) ? fl_page_text(page, "%.2f %%", value) : "-";
}

static void fill_row(struct fl_page *page, struct fl_table *table, size_t index,
                     const struct fl_calibration_cell *cell, double detect)
{
    const char **texts = fl_table_text(table, index, 0);
    texts[0] = fl_page_safe(page, cell->key);
    texts[1] = fl_page_text(page, "%zu", cell->pairs);
    texts[2] = share(page, 100 * cell->spread);
    texts[3] = isfinite(cell->lean) ? fl_page_text(page, "%+.2f %%", cell->lean) : "-";
    texts[4] = cell->bias > 0 ? share(page, cell->bias) : "none found";
    texts[5] = isfinite(cell->spread)
                   ? fl_page_text(page, "%zu", fl_calibration_rounds(cell->spread, detect))
                   : "-";
}

static int print_cells(struct fl_page *page, const struct fl_calibration *calibration,
                       double detect)
{
    static const char *const titles[COLUMNS] = {"", "noise of", "head", "bias", "rounds"};
    static const char *const heads[1 + COLUMNS] = {"cell",  "pairs",   "a pair",
                                                   "leans", "at most", "needed"};
    struct fl_table table = {
        .labels = 1, .groups = COLUMNS, .each = 1, .rows = calibration->count, .title_lines = 1};
    int rc = fl_page_table(page, &table, titles, heads);
    for (size_t i = 0; i < calibration->count && !rc; i++)
        fill_row(page, &table, i, &calibration->cells[i], detect);
    return rc ? rc : fl_page_print(page, &table);
}

static int print_counts(struct fl_page *page, const struct fl_calibration *calibration)
{
    static const char *const titles[2] = {"", ""};
    static const char *const heads[4] = {"cell", "count", "legal values a call", "samples"};
    struct fl_table table = {
        .labels = 2, .groups = 2, .each = 1, .rows = calibration->count_count, .title_lines = 1};
    int rc = fl_page_table(page, &table, titles, heads);
    for (size_t i = 0; i < calibration->count_count && !rc; i++) {
        const struct fl_calibration_count *row = &calibration->counts[i];
        const char **texts = fl_table_text(&table, i, 0);
        texts[0] = fl_page_safe(page, row->key);
        texts[1] = fl_page_safe(page, row->metric);
        texts[2] = fl_page_safe(page, row->values);
        texts[3] = fl_page_text(page, "%zu", row->samples);
    }
    return rc ? rc : fl_page_print(page, &table);
}

static void print_minutes(struct fl_page *page, const struct fl_calibration *calibration,
                          const struct fl_calibration_limits *limits)
{
    double rounds = 0;
    double pair = fl_calibration_pair_seconds(calibration->settle, calibration->window);
    for (size_t i = 0; i < calibration->count; i++)
        if (isfinite(calibration->cells[i].spread))
            rounds += (double)fl_calibration_rounds(calibration->cells[i].spread, limits->detect);
    fprintf(page->out,
            "\npredicted: %.1f minutes of timed rounds to pass a head that lost nothing, at a "
            "tolerance of %g %% and a loss of %g %% to be detected\n",
            rounds * pair / 60, limits->tolerance, limits->detect);
}

int fl_calibration_print(const struct fl_calibration *calibration,
                         const struct fl_calibration_limits *limits, size_t width, FILE *out,
                         struct fl_err *err)
{
    struct fl_page page = {.width = width, .out = out, .err = err};
    fl_page_begin(&page, "Calibration: pairs of the same with itself", "");
    int rc = print_cells(&page, calibration, limits->detect);
    if (!rc && calibration->count_count)
        rc = print_counts(&page, calibration);
    if (!rc)
        print_minutes(&page, calibration, limits);
    return fl_page_end(&page, rc);
}
