/* SPDX-License-Identifier: Apache-2.0 */
/* Text of a cell: what is taken spells a key, and that key is the cell again. */
#include "faultline/cell.h"
#include "faultline/registry.h"
#include "fuzz.h"

static void check_cell(const struct fl_cell *cell)
{
    struct fl_cell again;
    struct fl_err err = {""};
    char key[FL_CELL_KEY_MAX], second[FL_CELL_KEY_MAX];
    if (fl_cell_key(cell, key, sizeof key))
        return; /* quoting may make it too long */
    FL_FUZZ_HOLDS(fl_cell_parse(&again, key, &err) == 0);
    FL_FUZZ_HOLDS(fl_cell_key(&again, second, sizeof second) == 0);
    FL_FUZZ_HOLDS(strcmp(key, second) == 0);
    FL_FUZZ_HOLDS(again.count == cell->count);
    for (size_t i = 0; i < cell->count; i++)
        FL_FUZZ_HOLDS(!strcmp(cell->levels[i].text, again.levels[i].text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_cell cell;
    struct fl_err err = {""};
    char *text = fl_fuzz_text(data, size);
    if (fl_cell_parse(&cell, text, &err))
        FL_FUZZ_HOLDS(err.text[0]);
    else
        check_cell(&cell);
    free(text);
    return 0;
}
