/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of a scenario's sections, one line at a time. For scenario.c. */
#ifndef FL_SCENARIO_KEYS_H
#define FL_SCENARIO_KEYS_H

#include "results/ini-text.h"
#include "runner/scenario.h"

/* Settings of a published table: 150 ms, 100 ms, 7 rounds; 2 counting samples of 20 calls. */
void fl_scenario_defaults(struct fl_scenario *scenario);

/* `key = value` of a keyed section. 0, or -EINVAL with the reason. */
int fl_scenario_take(struct fl_scenario *scenario, const struct fl_ini_line *line,
                     struct fl_err *err) FL_MUST_CHECK;

/* Checks what only the whole file shows: a name, a kernel, metrics. */
int fl_scenario_finish(struct fl_scenario *scenario, struct fl_err *err) FL_MUST_CHECK;

/* 0 for the name of a section that scenarios have; else -EINVAL, with the nearest. */
int fl_scenario_check_section(const char *section, struct fl_err *err) FL_MUST_CHECK;

#endif
