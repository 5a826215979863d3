/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suspects: what may make a cell slow, and by which other levels each is removed. A table; a row
 * adds one. Rows stand from the narrowest change to the broadest.
 */
#ifndef FL_SUSPECTS_H
#define FL_SUSPECTS_H

#include <stdbool.h>

#include "faultline/cell.h"
#include "results/explanation.h"

#define FL_SUSPECT_REMOVALS 5 /* of one suspect, with the NULL behind them */

struct fl_suspect {
    struct fl_testimony testimony;
    /*
     * The cells that it may slow down: `malloc=glibc|glibc-arena1 threads!=1`, all of which must
     * hold. Options behind a ':' of a level do not count. A cell without the factor meets neither.
     */
    const char *where;
    const char *removals[FL_SUSPECT_REMOVALS]; /* levels that a cell gets instead; each by itself */
    bool memory;                               /* gone, too, where memory costs nothing */
};

/* All of them, ended by a row without `where`. */
extern const struct fl_suspect fl_suspects[];

/* Levels by which all memory suspects are removed together. */
#define FL_SUSPECTS_JOINT "workspace=null"

/* Does it apply to the cell? */
bool fl_suspect_fits(const struct fl_suspect *suspect, const struct fl_cell *cell);

#endif
