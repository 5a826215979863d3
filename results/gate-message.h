/* SPDX-License-Identifier: Apache-2.0 */
/* What a finding says. For gate.c. */
#ifndef RESULTS_GATE_MESSAGE_H
#define RESULTS_GATE_MESSAGE_H

#include "results/gate.h"

/* Fills title, message and cause; `cell` are all rows of the finding's cell. 0 or -ENOMEM. */
int fl_gate_message(struct fl_gate_finding *finding, const struct fl_compare_row *const *cell,
                    size_t count, struct fl_arena *arena) FL_MUST_CHECK;

/* One line about the whole; NULL: out of memory. */
const char *fl_gate_summary(const struct fl_gate *gate, struct fl_arena *arena);

#endif
