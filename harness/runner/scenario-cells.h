/* SPDX-License-Identifier: Apache-2.0 */
/*
 * [cells]: cells named one by one, in place of a product of factors.
 *
 *   [cells]
 *   kernel=dgemm n=192 workspace=malloc malloc=glibc
 *   kernel=dgemm n=192 workspace=malloc
 *       malloc=jemalloc
 *
 * One key a line; an indented line goes on with the key above it.
 */
#ifndef FL_SCENARIO_CELLS_H
#define FL_SCENARIO_CELLS_H

#include "results/ini-text.h"
#include "runner/scenario.h"

/* One line of the section. 0, or -EINVAL, -ENOMEM with the reason. */
int fl_scenario_cells_take(struct fl_scenario *scenario, const struct fl_ini_line *line,
                           struct fl_err *err) FL_MUST_CHECK;

/* Are the keys all keys of cells? 0, or -EINVAL with line and reason. */
int fl_scenario_cells_finish(const struct fl_scenario *scenario, struct fl_err *err) FL_MUST_CHECK;

void fl_scenario_cells_release(struct fl_scenario *scenario);

#endif
