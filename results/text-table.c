/* SPDX-License-Identifier: Apache-2.0 */
#include "text-table.h"

#include <errno.h>

#include "results/text.h"

enum { LABEL_GAP = 2, COLUMN_GAP = 2, GROUP_GAP = 3 };

/* The groups that stand side by side. */
struct fl_block {
    const size_t *widths; /* per column */
    size_t first, end;    /* groups */
    FILE *out;
    bool bold;
};

static size_t columns_of(const struct fl_table *table)
{
    return table->labels + table->groups * table->each;
}

int fl_table_init(struct fl_table *table, struct fl_arena *arena)
{
    size_t columns = columns_of(table);

    table->titles =
        fl_arena_alloc(arena, table->title_lines * table->groups * sizeof(*table->titles) + 1, 16);
    table->heads = fl_arena_alloc(arena, columns * sizeof(*table->heads) + 1, 16);
    table->texts = fl_arena_alloc(arena, table->rows * columns * sizeof(*table->texts) + 1, 16);
    table->best = fl_arena_alloc(arena, table->rows * columns + 1, 1);
    return table->titles && table->heads && table->texts && table->best ? 0 : -ENOMEM;
}

const char **fl_table_text(const struct fl_table *table, size_t row, size_t column)
{
    return &table->texts[row * columns_of(table) + column];
}

static const char *head_of(const struct fl_table *table, size_t column)
{
    return table->heads[column] ? table->heads[column] : "";
}

/* Text of one field; blanks wait in *blanks until something follows them. */
static void put_field(FILE *out, const char *text, size_t blanks_after, size_t *blanks, bool bold)
{
    if (*text) {
        fprintf(out, "%*s%s%s%s", (int)*blanks, "", bold ? "\x1b[1m" : "", text,
                bold ? "\x1b[0m" : "");
        *blanks = 0;
    }
    *blanks += blanks_after;
}

static size_t padding(const char *text, size_t width)
{
    size_t used = fl_text_columns(text);

    return used < width ? width - used : 0;
}

static size_t group_width(const struct fl_table *table, const size_t *widths, size_t group)
{
    size_t width = (table->each - 1) * COLUMN_GAP;

    for (size_t i = 0; i < table->each; i++)
        width += widths[table->labels + group * table->each + i];
    return width;
}

static void measure(const struct fl_table *table, size_t *widths)
{
    for (size_t column = 0; column < columns_of(table); column++) {
        widths[column] = fl_text_columns(head_of(table, column));
        for (size_t row = 0; row < table->rows; row++) {
            const char *text = *fl_table_text(table, row, column);
            size_t width = text ? fl_text_columns(text) : 0;
            widths[column] = width > widths[column] ? width : widths[column];
        }
    }
    /* A title wider than its group widens the group's first column. */
    for (size_t i = 0; i < table->title_lines * table->groups; i++) {
        size_t group = i % table->groups, have = group_width(table, widths, group);
        size_t want = fl_text_columns(table->titles[i]);
        widths[table->labels + group * table->each] += want > have ? want - have : 0;
    }
}

static void put_titles(const struct fl_table *table, const struct fl_block *block, size_t line)
{
    size_t blanks = 0;

    for (size_t i = 0; i < table->labels; i++)
        blanks += block->widths[i] + (i ? LABEL_GAP : 0);
    for (size_t group = block->first; group < block->end; group++) {
        const char *title = table->titles[line * table->groups + group];
        blanks += GROUP_GAP + padding(title, group_width(table, block->widths, group));
        put_field(block->out, title, 0, &blanks, false);
    }
    putc('\n', block->out);
}

/* One line of a block: the heads (row == rows) or a row. */
static void put_line(const struct fl_table *table, const struct fl_block *block, size_t row)
{
    bool head = row == table->rows;
    size_t blanks = 0;

    for (size_t i = 0; i < table->labels; i++) {
        const char *text = head ? head_of(table, i) : *fl_table_text(table, row, i);
        text = text ? text : "";
        blanks += i ? LABEL_GAP : 0;
        put_field(block->out, text, padding(text, block->widths[i]), &blanks, false);
    }
    for (size_t i = block->first * table->each; i < block->end * table->each; i++) {
        size_t column = table->labels + i;
        const char *text = head ? head_of(table, column) : *fl_table_text(table, row, column);
        bool best = !head && table->best[row * columns_of(table) + column];
        text = text ? text : "";
        blanks += (i % table->each ? COLUMN_GAP : GROUP_GAP) + padding(text, block->widths[column]);
        put_field(block->out, text, 0, &blanks, best && block->bold);
    }
    putc('\n', block->out);
}

/* The group behind the last that fits beside the labels; at least one always does. */
static size_t fitting(const struct fl_table *table, const size_t *widths, size_t first,
                      size_t width)
{
    size_t used = 0, group = first;

    for (size_t i = 0; i < table->labels; i++)
        used += widths[i] + (i ? LABEL_GAP : 0);
    for (; group < table->groups; group++) {
        used += GROUP_GAP + group_width(table, widths, group);
        if (width && used > width && group > first)
            break;
    }
    return group;
}

int fl_table_print(const struct fl_table *table, struct fl_arena *arena, size_t width, bool bold,
                   FILE *out)
{
    size_t *widths = fl_arena_alloc(arena, columns_of(table) * sizeof(*widths) + 1, 16);

    if (!widths)
        return -ENOMEM;
    measure(table, widths);
    struct fl_block block = {.widths = widths, .out = out, .bold = bold};
    for (; block.first < table->groups; block.first = block.end) {
        block.end = fitting(table, widths, block.first, width);
        if (block.first)
            putc('\n', out);
        for (size_t i = 0; i < table->title_lines; i++)
            put_titles(table, &block, i);
        for (size_t i = 0; i <= table->rows; i++)
            put_line(table, &block, i ? i - 1 : table->rows);
    }
    return 0;
}
