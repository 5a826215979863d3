/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plug-ins of a run: loaded into this process, which plans with their tables, after a child has
 * tried them; and handed to the workers of the cells that need them.
 */
#ifndef FL_PLUGINS_H
#define FL_PLUGINS_H

#include <stddef.h>

#include "faultline/cell.h"
#include "faultline/plugin-file.h"
#include "runner/rehearsal.h"
#include "runner/scenario.h"

#define FL_PLUGINS_MAX 8

/*
 * Adds the plug-ins that are not there yet, in order, each tried in a child first: loaded, looked
 * at, every probe() and fallback called, and unloaded. 0; -EIO: it crashed, hung or ended the
 * child; errors of fl_registry_add_plugin(). At the start of a program, before a scenario is read.
 */
int fl_plugins_use(const char *const *paths, size_t count, struct fl_err *err) FL_MUST_CHECK;

/* What reads and plans scenarios calls code of plug-ins: where there are any, body(arg) is called
 * in a child first. 0 where there are none; else as fl_rehearse(). */
int fl_plugins_rehearse(fl_rehearsal_fn body, void *arg, struct fl_err *err) FL_MUST_CHECK;

#define FL_PLANNING_STAGE "while the cells are planned, in cost() or in check() of a factor"

/*
 * The plug-in of this process that has the first kernel of another file, which is looked at in a
 * child; NULL: none. Errors as fl_plugins_use().
 */
int fl_plugins_find_loaded(const char *path, const struct fl_plugin_file **loaded,
                           struct fl_err *err) FL_MUST_CHECK;

/* As fl_plugins_use(), where no plug-in with its first kernel is there: of two builds, one plans.
 */
int fl_plugins_use_variant(const char *path, struct fl_err *err) FL_MUST_CHECK;

/* The file that a cell's kernel comes from, where it was before it was copied; NULL: built in. */
const char *fl_plugins_origin(const struct fl_scenario *scenario, const struct fl_cell *cell);

/*
 * The files that the worker of a cell is to load: of its kernel and of those of its history, as the
 * scenario has them. Their number, at most FL_PLUGINS_MAX.
 */
size_t fl_plugins_of_cell(const struct fl_scenario *scenario, const struct fl_cell *cell,
                          const char *paths[FL_PLUGINS_MAX]);

#endif
