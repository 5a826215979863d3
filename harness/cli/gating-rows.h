/* SPDX-License-Identifier: Apache-2.0 */
/* What the gate asks of the command about one row: is it judged, by what limits, where is it
 * written, and how is it measured again. For gating.c. */
#ifndef FL_GATING_ROWS_H
#define FL_GATING_ROWS_H

#include <limits.h>

#include "results/baseline.h"
#include "results/gate.h"
#include "runner/scenario-gate.h"
#include "runner/scenario-places.h"

/* A zeroed one is closed. */
struct fl_gating_rows {
    struct fl_scenario_gate policy;
    bool of_file;                 /* the policy was given by name */
    char policy_path[PATH_MAX];   /* for reports; "": not known */
    struct fl_baseline baseline;  /* without counts: none */
    char baseline_path[PATH_MAX]; /* for reports */
    struct fl_scenario_places places;
    char scenario_path[PATH_MAX];  /* for reports; "": not known */
    char *command_line, *scenario; /* of the run that is judged */
    bool finished;                 /* that run is */
    bool paired;                   /* times can be judged */
    const struct fl_compare *compare;
};

/* `policy` and `baseline` are files, or NULL. 0, or -errno with the reason. */
int fl_gating_rows_open(struct fl_gating_rows *rows, struct fl_store *store, int64_t run,
                        const char *policy, const char *baseline, struct fl_err *err) FL_MUST_CHECK;
void fl_gating_rows_close(struct fl_gating_rows *rows);

/* For fl_compare_options. */
void fl_gating_limits(void *arg, const char *cell, const struct fl_metric *metric,
                      struct fl_verdict_rule *rule);

/* For fl_gate_policy. */
bool fl_gating_judges(void *arg, const struct fl_compare_row *row);
struct fl_gate_place fl_gating_place(void *arg, const struct fl_compare_row *row);
const char *fl_gating_command(void *arg, const struct fl_compare_row *row, struct fl_arena *arena);

/* On stderr: rules and metrics of a policy file that meet nothing, and a run that has no end. */
void fl_gating_warn(const struct fl_gating_rows *rows);

#endif
