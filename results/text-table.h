/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text table: label columns at the left, then groups of right-aligned columns, as wide as their
 * text. Where the width does not suffice, the groups continue in another block below.
 * All text is as from fl_text_for_terminal(). Private to results/.
 */
#ifndef RESULTS_TEXT_TABLE_H
#define RESULTS_TEXT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "faultline/arena.h"

struct fl_table {
    size_t labels;       /* columns at the left, left-aligned */
    size_t groups, each; /* groups of `each` columns */
    size_t rows;
    size_t title_lines;
    const char **titles; /* title_lines x groups: above the groups */
    const char **heads;  /* per column, labels included: the second line of the head */
    const char **texts;  /* rows x (labels + groups * each); NULL: empty */
    bool *best;          /* rows x (groups * each) */
};

/* Its lists, empty, from the arena. 0 or -ENOMEM. */
int fl_table_init(struct fl_table *table, struct fl_arena *arena);

const char **fl_table_text(const struct fl_table *table, size_t row, size_t column);

/* width: 0 for no limit. 0 or -ENOMEM. */
int fl_table_print(const struct fl_table *table, struct fl_arena *arena, size_t width, bool bold,
                   FILE *out);

#endif
