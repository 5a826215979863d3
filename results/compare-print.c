/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons as text: a table, and a line that sums it up. */
#include <math.h>

#include "page.h"
#include "results/compare.h"

enum { LABELS = 2, SHOWN = 7, BOUNDS = 2 };

static const char *median_text(struct fl_page *page, double value)
{
    return isfinite(value) ? fl_page_number(page, value) : "-";
}

static const char *percent_text(struct fl_page *page, double value)
{
    return isfinite(value) ? fl_page_text(page, "%+.2f", value) : "-";
}

/* Bounds of losses, in percent; those of counts have another unit and are left out. */
static void fill_bounds(struct fl_page *page, const char **texts, const struct fl_compare_row *row)
{
    bool timed = row->kind == FL_METRIC_TIMED;
    const struct fl_sequential_bounds *bounds = &row->result.bounds;

    texts[0] = timed ? percent_text(page, bounds->at_least) : "-";
    texts[1] = timed ? percent_text(page, bounds->at_most) : "-";
}

static const char *verdict_text(struct fl_page *page, const struct fl_compare_row *row)
{
    const struct fl_comparison *result = &row->result;
    const char *verdict = result->shown_only ? "-" : fl_verdict_name(result->verdict);

    if (!result->reason)
        return verdict;
    return fl_page_text(page, "%s %s", verdict,
                        fl_page_note(page, fl_page_safe(page, result->reason)));
}

static void fill_row(struct fl_page *page, struct fl_table *table, size_t index,
                     const struct fl_compare_row *row)
{
    const char **texts = fl_table_text(table, index, 0);
    const struct fl_comparison *result = &row->result;
    bool bounds = table->groups == SHOWN + BOUNDS;

    texts[0] = fl_page_safe(page, row->cell);
    texts[1] = *row->metric ? fl_page_text(page, "%s, %s", fl_page_safe(page, row->metric),
                                           fl_page_safe(page, row->unit))
                            : "-";
    texts[2] = median_text(page, result->base);
    texts[3] = median_text(page, result->head);
    texts[4] = percent_text(page, result->effect);
    texts[5] = percent_text(page, result->low);
    texts[6] = percent_text(page, result->high);
    texts[7] = result->pairs ? fl_page_text(page, "%zu", result->pairs) : "-";
    if (bounds)
        fill_bounds(page, texts + 8, row);
    texts[bounds ? 10 : 8] = verdict_text(page, row);
}

static void sum_up(const struct fl_page *page, const struct fl_compare *compare)
{
    const char *before = "";

    fprintf(page->out, "\n%zu compared: ", compare->count);
    for (int i = 0; i < FL_VERDICT_COUNT; i++)
        if (compare->verdicts[i]) {
            fprintf(page->out, "%s%zu %s", before, compare->verdicts[i],
                    fl_verdict_name((enum fl_verdict)i));
            before = ", ";
        }
    if (compare->shown_only)
        fprintf(page->out, "%s%zu shown only", before, compare->shown_only);
    fprintf(page->out, "%s\n", compare->count ? "" : "no cell and metric in common");
    if (compare->paired)
        fprintf(page->out, "Tests that share the chance of a false alarm: %zu.\n",
                compare->planned);
    if (compare->warning)
        fprintf(page->out, "%s\n", compare->warning);
}

/* Whether any row has been looked at in pairs. */
static bool has_bounds(const struct fl_compare *compare)
{
    size_t i = 0;

    while (i < compare->count && !compare->rows[i].result.judged.used)
        i++;
    return i < compare->count;
}

static int print_table(struct fl_page *page, const struct fl_compare *compare)
{
    static const char *const plain[] = {"base", "head",  "effect %", "95 % from",
                                        "to",   "pairs", "verdict"};
    static const char *const bounded[] = {"base",  "head",   "effect %", "95 % from", "to",
                                          "pairs", "loss >", "loss <",   "verdict"};
    const char *heads[LABELS + SHOWN + BOUNDS] = {"cell", "metric"};
    bool bounds = has_bounds(compare);
    struct fl_table table = {.labels = LABELS,
                             .groups = bounds ? SHOWN + BOUNDS : SHOWN,
                             .each = 1,
                             .rows = compare->count,
                             .title_lines = 1};
    int rc = fl_page_table(page, &table, bounds ? bounded : plain, heads);

    if (rc)
        return rc;
    for (size_t i = 0; i < compare->count; i++)
        fill_row(page, &table, i, &compare->rows[i]);
    return fl_page_print(page, &table);
}

int fl_compare_print(const struct fl_compare *compare, size_t width, bool bold, FILE *out,
                     struct fl_err *err)
{
    struct fl_page page = {.width = width, .bold = bold, .out = out, .err = err};

    fl_page_begin(&page, compare->title, "");
    fprintf(out, "\n");
    int rc = compare->count ? print_table(&page, compare) : 0;
    sum_up(&page, compare);
    return fl_page_end(&page, rc);
}
