/* SPDX-License-Identifier: Apache-2.0 */
/*
 * [gate]: when a loss is a regression, in a scenario or in a policy file of its own.
 *
 *   tolerance       = 0.5%             never alarmed up to this loss, percent of the base
 *   detect          = 2%               never passed from this loss on, above the tolerance
 *   budget          = 10min            of timed rounds
 *   metrics         = time, brk-calls  what is judged; default: exact and set counts, and `time`
 *   on-inconclusive = pass             or fail: what the gate makes of a cell it cannot decide
 *   slack           = 1                of counts: a loss, in their unit, that is no regression
 *   slack.METRIC    = 2                the same for one of them
 *   SELECTOR : tolerance = 2%, detect = 8%, slack = 1
 *                                      the same for some cells (rule.h); the last rule with a
 *                                      tolerance or detect decides both, the other as above
 *
 * A selector may also name the factor `benchmark`, which only imported cells have.
 */
#ifndef FL_SCENARIO_GATE_H
#define FL_SCENARIO_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include "faultline/counter.h"
#include "faultline/error.h"
#include "results/ini-text.h"
#include "runner/rule.h"

#define FL_GATE_SLACKS 16 /* in the section, and in each rule */
#define FL_GATE_METRIC 96 /* bytes of a metric's name, with its NUL */

struct fl_gate_slack {
    char metric[FL_GATE_METRIC]; /* "": of every count that has none of its own */
    double value;                /* per call, in the unit of the count */
};

struct fl_gate_rule {
    struct fl_rule cells;     /* the selector, and its line */
    double tolerance, detect; /* percent; below 0: not set */
    struct fl_gate_slack slacks[FL_GATE_SLACKS];
    size_t slack_count;
};

struct fl_scenario_gate {
    double tolerance, detect; /* percent; 0 <= tolerance < detect, for each cell too */
    double budget;            /* seconds */
    bool inconclusive_fails;
    char (*metrics)[FL_GATE_METRIC];
    size_t metric_count; /* 0: the default */
    struct fl_gate_slack slacks[FL_GATE_SLACKS];
    size_t slack_count;
    struct fl_gate_rule *rules;
    size_t rule_count;
    bool stored; /* read from a store: names that this process does not know are taken */
};

/* What holds for one metric of one cell. */
struct fl_gate_limits {
    double tolerance, detect;        /* percent */
    double slack;                    /* per call, in the metric's unit */
    const struct fl_gate_rule *rule; /* that decided tolerance and detect; NULL: the section */
};

/* 0.5 %, 2 %, 10 minutes, pass. */
void fl_scenario_gate_defaults(struct fl_scenario_gate *gate);

/* One line of the section. 0; -EINVAL with the reason; -ENOMEM. */
int fl_scenario_gate_take(struct fl_scenario_gate *gate, const struct fl_ini_line *line,
                          struct fl_err *err) FL_MUST_CHECK;

/* Whether what was taken goes together. -EINVAL: the reason names `path` and line. */
int fl_scenario_gate_finish(const struct fl_scenario_gate *gate, const char *path,
                            struct fl_err *err) FL_MUST_CHECK;

/*
 * The section [gate] of a text; those of scenarios are passed over. `stored`: the text comes from a
 * store, where it has been checked once, maybe with plug-ins that this process has not. On success
 * the caller releases it.
 */
int fl_scenario_gate_read(const char *path, const char *text, size_t length, bool stored,
                          struct fl_scenario_gate *gate, struct fl_err *err) FL_MUST_CHECK;

/* As fl_scenario_gate_read() for a file that a user wrote. Also -errno from opening it. */
int fl_scenario_gate_load(const char *path, struct fl_scenario_gate *gate,
                          struct fl_err *err) FL_MUST_CHECK;

void fl_scenario_gate_release(struct fl_scenario_gate *gate);

/* Is a loss in this metric a regression at all? */
bool fl_scenario_gate_judges(const struct fl_scenario_gate *gate, const char *metric,
                             enum fl_metric_kind kind);

/*
 * The limits for a metric (NULL: no slack of one metric) of a cell, by its key; of a pair, the key
 * without what is compared. Cost: where there are rules, the key is parsed.
 */
void fl_scenario_gate_limits(const struct fl_scenario_gate *gate, const char *key,
                             const char *metric, struct fl_gate_limits *out);

/* Does the rule select the cell of that key? */
bool fl_gate_rule_selects(const struct fl_gate_rule *rule, const char *key);

#endif
