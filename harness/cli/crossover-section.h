/* SPDX-License-Identifier: Apache-2.0 */
/* The [crossover] of a run in the store, read again from the scenario's text. */
#ifndef FL_CROSSOVER_SECTION_H
#define FL_CROSSOVER_SECTION_H

#include "results/store.h"
#include "runner/scenario-crossover.h"

/* `search` is "" where the run did not search. -ENOENT: no such run; -EINVAL: its scenario cannot
 * be read here. */
int fl_crossover_section_read(struct fl_store *store, int64_t run,
                              struct fl_scenario_crossover *out, struct fl_err *err) FL_MUST_CHECK;

#endif
