/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes: what is said below a table, and the number in brackets that refers to it. A zeroed struct
 * is an empty list. Private to results/.
 */
#ifndef RESULTS_NOTES_H
#define RESULTS_NOTES_H

#include <stddef.h>
#include <stdio.h>

#include "faultline/arena.h"

#define FL_NOTES_MAX 99

struct fl_notes {
    const char *items[FL_NOTES_MAX];
    size_t count;
};

/* `[k]` for the note with that text, which is kept and not copied; `[..]` beyond the room. */
const char *fl_notes_mark(struct fl_notes *notes, struct fl_arena *arena, const char *text);

/* One line each. */
void fl_notes_print(const struct fl_notes *notes, FILE *out);

#endif
