/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places: in which line of a scenario file a cell is written, for annotations.
 *
 * Works on the text alone: kernels and levels need not be known here.
 */
#ifndef FL_SCENARIO_PLACES_H
#define FL_SCENARIO_PLACES_H

#include <stddef.h>

#include "faultline/arena.h"
#include "faultline/error.h"

struct fl_scenario_place {
    const char *factor, *level; /* factor "": `level` is the key of a cell */
    int line;
    size_t levels; /* of the factor's list */
};

struct fl_scenario_places {
    struct fl_scenario_place *items;
    size_t count;
    struct fl_arena arena;
};

/* Of the sections [factors] and [cells]. 0; -EINVAL with the reason; -ENOMEM. */
int fl_scenario_places_read(const char *path, const char *text, size_t length,
                            struct fl_scenario_places *out, struct fl_err *err) FL_MUST_CHECK;
void fl_scenario_places_release(struct fl_scenario_places *places);

/*
 * The line of the key itself, or of its level in the longest list: that level tells the cell from
 * most others. 1 where the text has nothing of it.
 */
int fl_scenario_places_line(const struct fl_scenario_places *places, const char *key);

/*
 * The scenario file that a stored command line was given, if it still has that very text: else its
 * lines would be others. 0, with its path; -ENOENT.
 */
int fl_scenario_file_of(const char *command_line, const char *text, char *path, size_t size);

/* A path relative to the repository that the file is in; as it is where it is in none. */
void fl_repository_path(const char *path, char *out, size_t size);

#endif
