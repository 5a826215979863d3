/* SPDX-License-Identifier: Apache-2.0 */
#include "notes.h"

#include <string.h>

#include "results/text.h"

const char *fl_notes_mark(struct fl_notes *notes, struct fl_arena *arena, const char *text)
{
    char mark[32];
    size_t i = 0;

    while (i < notes->count && strcmp(notes->items[i], text) != 0)
        i++;
    if (i == FL_NOTES_MAX)
        return "[..]";
    if (i == notes->count)
        notes->items[notes->count++] = text;
    snprintf(mark, sizeof(mark), "[%zu]", i + 1);
    const char *made = fl_text_copy(arena, mark);
    return made ? made : "[?]";
}

void fl_notes_print(const struct fl_notes *notes, FILE *out)
{
    for (size_t i = 0; i < notes->count; i++)
        fprintf(out, "[%zu] %s\n", i + 1, notes->items[i]);
}
