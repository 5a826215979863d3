/* SPDX-License-Identifier: Apache-2.0 */
/* Cells named one by one. */
#include "runner/scenario-cells.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/cell.h"

static int out_of_memory(struct fl_err *err)
{
    return fl_fail(err, -ENOMEM, "out of memory");
}

static int add(struct fl_scenario *scenario, const char *text, int line, struct fl_err *err)
{
    size_t bytes = (scenario->cell_count + 1) * sizeof *scenario->cells;
    struct fl_scenario_level *grown = realloc(scenario->cells, bytes);
    if (!grown)
        return out_of_memory(err);
    scenario->cells = grown;
    grown[scenario->cell_count] = (struct fl_scenario_level){strdup(text), line};
    return grown[scenario->cell_count].text ? (scenario->cell_count++, 0) : out_of_memory(err);
}

static int go_on(struct fl_scenario_level *cell, const char *text, struct fl_err *err)
{
    size_t length = strlen(cell->text), bytes = length + strlen(text) + 2;
    if (bytes > FL_CELL_KEY_MAX)
        return fl_fail(err, -EINVAL, "a cell's key is longer than %d bytes", FL_CELL_KEY_MAX - 1);
    char *grown = realloc(cell->text, bytes);
    if (!grown)
        return out_of_memory(err);
    snprintf(grown + length, bytes - length, " %s", text);
    cell->text = grown;
    return 0;
}

int fl_scenario_cells_take(struct fl_scenario *scenario, const struct fl_ini_line *line,
                           struct fl_err *err)
{
    char text[FL_INI_LINE_MAX + 3];
    int rc = fl_ini_whole(line, text, sizeof text, err);
    if (rc)
        return rc;
    return line->more && scenario->cell_count
               ? go_on(&scenario->cells[scenario->cell_count - 1], text, err)
               : add(scenario, text, line->number, err);
}

int fl_scenario_cells_finish(const struct fl_scenario *scenario, struct fl_err *err)
{
    struct fl_cell cell;
    for (size_t i = 0; i < scenario->cell_count; i++)
        if (fl_cell_parse(&cell, scenario->cells[i].text, err))
            return fl_fail_within(err, -EINVAL, "%s:%d: [cells]", scenario->path,
                                  scenario->cells[i].line);
    return 0;
}

void fl_scenario_cells_release(struct fl_scenario *scenario)
{
    for (size_t i = 0; i < scenario->cell_count; i++)
        free(scenario->cells[i].text);
    free(scenario->cells);
    scenario->cells = NULL;
    scenario->cell_count = 0;
}
