/* SPDX-License-Identifier: Apache-2.0 */
/* Ratios as text: a table a group. */
#include <string.h>

#include "page.h"
#include "results/ratios.h"

enum { COLUMNS = 5 };

static const char *ratio_text(struct fl_page *page, double ratio)
{
    return ratio < 10 ? fl_page_text(page, "%.3f", ratio) : fl_page_number(page, ratio);
}

static void fill_row(struct fl_page *page, const struct fl_ratios *ratios, struct fl_table *table,
                     size_t index, const struct fl_ratio_row *row)
{
    const char **texts = fl_table_text(table, index, 0);
    const struct fl_paired *paired = &row->paired;

    for (size_t i = 0; i < ratios->by_count; i++)
        texts[i] = fl_page_safe(page, row->levels[i]);
    texts += ratios->by_count;
    texts[0] = row->median > 0 ? fl_page_number(page, row->median) : "-";
    if (row->reason)
        texts[1] = fl_page_note(page, fl_page_safe(page, row->reason));
    else
        texts[1] = row->is_base ? "base" : ratio_text(page, paired->median);
    if (row->is_base || row->reason)
        return;
    texts[2] = paired->rounds > 1 ? ratio_text(page, paired->low) : "-";
    texts[3] = paired->rounds > 1 ? ratio_text(page, paired->high) : "-";
    texts[4] = fl_page_text(page, "%zu", paired->rounds);
}

/* The first row, where there is another to be better than. */
static void mark_best(struct fl_page *page, const struct fl_ratios *ratios, struct fl_table *table,
                      const struct fl_ratio_group *group)
{
    size_t column = ratios->by_count + 1;

    if (!ratios->ranked || group->count < 2 || !group->rows[1].paired.rounds)
        return;
    const char **text = fl_table_text(table, 0, column);
    *text = fl_page_text(page, "*%s", *text);
    table->best[column] = true;
}

static int print_group(struct fl_page *page, const struct fl_ratios *ratios,
                       const struct fl_ratio_group *group)
{
    const char *titles[COLUMNS] = {"", "ratio", "95 % from", "to", "rounds"};
    const char *heads[FL_RATIOS_BY + COLUMNS] = {NULL};
    struct fl_table table = {.labels = ratios->by_count,
                             .groups = COLUMNS,
                             .each = 1,
                             .rows = group->count,
                             .title_lines = 1};

    for (size_t i = 0; i < ratios->by_count; i++)
        heads[i] = fl_page_safe(page, ratios->by[i]);
    heads[ratios->by_count] = fl_page_safe(page, ratios->unit);
    fprintf(page->out, "\n%s%s", fl_page_safe(page, group->name), *group->name ? "\n" : "");
    int rc = fl_page_table(page, &table, titles, heads);
    for (size_t i = 0; i < group->count && !rc; i++)
        fill_row(page, ratios, &table, i, &group->rows[i]);
    if (rc)
        return rc;
    mark_best(page, ratios, &table, group);
    return fl_page_print(page, &table);
}

int fl_ratios_print(const struct fl_ratios *ratios, size_t width, bool bold, FILE *out,
                    struct fl_err *err)
{
    struct fl_page page = {.width = width, .bold = bold, .out = out, .err = err};
    int rc = 0;

    fl_page_begin(&page, ratios->title, ratios->shared);
    for (size_t i = 0; i < ratios->count && !rc; i++)
        rc = print_group(&page, ratios, &ratios->groups[i]);
    return fl_page_end(&page, rc);
}
