/* SPDX-License-Identifier: Apache-2.0 */
/* Rig: comparisons made up row by row, for tests of the gate. */
#ifndef RESULTS_TESTS_GATE_RIG_H
#define RESULTS_TESTS_GATE_RIG_H

#include "results/gate.h"

#define RIG_ROWS 64

struct rig {
    struct fl_compare_row rows[RIG_ROWS];
    struct fl_compare compare;
    struct fl_gate_policy policy;
    struct fl_gate gate;
};

/* An empty comparison, a policy that judges counts and `time`. */
void rig_begin(struct rig *rig);

/* A row with numbers that fit its verdict; change it through what comes back. */
struct fl_compare_row *rig_row(struct rig *rig, const char *cell, const char *metric,
                               enum fl_verdict verdict);

/* Judges what there is, and returns the exit code. */
int rig_judge(struct rig *rig);
void rig_end(struct rig *rig);

#endif
