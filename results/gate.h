/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gate: what a comparison means for whoever waits for yes or no.
 *
 * Rows that the policy judges become findings, the worst first, and one exit code. A finding says
 * what got worse, by how much, how sure that is, which count of the same cell moved with it, and
 * the command that measures it again. Rows that cannot be decided for the same reason are one
 * finding. All text is as it came, hostile names included: each format escapes it for its own
 * syntax (results/gate-formats.h).
 *
 * Everything is owned by the struct fl_gate, but for the comparison, which must outlive it. Not
 * thread-safe for one of them.
 */
#ifndef RESULTS_GATE_H
#define RESULTS_GATE_H

#include "results/compare.h"

/* Exit codes. Where several apply, the first of this list that does. */
enum fl_gate_exit {
    FL_GATE_FAILED = 2,       /* usage, or the gate could not do its work */
    FL_GATE_REGRESSION = 1,   /* something got worse */
    FL_GATE_CELL = 5,         /* a cell of the head failed or is missing */
    FL_GATE_INCONCLUSIVE = 3, /* not all is decided, and the policy wants it to be */
    FL_GATE_NOTHING = 4,      /* not one value could be compared */
    FL_GATE_PASS = 0,
};

/* `pass`, `regression`, ...; "" for a code that is none. */
const char *fl_gate_exit_name(enum fl_gate_exit code);

struct fl_gate_place {
    const char *file; /* relative to the repository where there is one; NULL: not known */
    int line;         /* from 1; 0: not known */
};

struct fl_gate_policy {
    bool inconclusive_fails;
    void *arg;
    /* Is a loss in this metric a regression at all? NULL: in every one. */
    bool (*judges)(void *arg, const struct fl_compare_row *row);
    /* Where the row's cell, or what holds for it, is written. NULL: nobody knows. The text must
     * outlive the gate. */
    struct fl_gate_place (*place)(void *arg, const struct fl_compare_row *row);
    /* The command that measures the cell again, in the arena; NULL: there is none. */
    const char *(*command)(void *arg, const struct fl_compare_row *row, struct fl_arena *arena);
};

enum fl_gate_severity { FL_GATE_ERROR, FL_GATE_WARNING, FL_GATE_NOTICE };

struct fl_gate_finding {
    enum fl_gate_severity severity;
    const struct fl_compare_row *row; /* the first of them, where there are several */
    size_t rows;
    const char *title;   /* `regression: time +12.3 %` */
    const char *message; /* the whole, in one line, without the command */
    const char *cause;   /* the part of it about a count that moved; NULL: none */
    const char *command; /* NULL: none */
    struct fl_gate_place place;
};

struct fl_gate {
    const struct fl_compare *compare;
    const char *summary; /* one line */
    enum fl_gate_exit exit;
    struct fl_gate_finding *findings; /* errors, warnings, notices */
    size_t count;
    const struct fl_compare_row **judged; /* rows that the policy judges */
    size_t judged_count;
    size_t verdicts[FL_VERDICT_COUNT]; /* judged rows of each */
    bool inconclusive_fails;
    struct fl_arena arena;
};

/* 0 or -ENOMEM; then *out is empty. The exit code is in *out. */
int fl_gate_judge(const struct fl_compare *compare, const struct fl_gate_policy *policy,
                  struct fl_gate *out, struct fl_err *err) FL_MUST_CHECK;
void fl_gate_release(struct fl_gate *gate);

/* The severity with which one row counts under the gate's policy. */
enum fl_gate_severity fl_gate_severity_of(const struct fl_gate *gate,
                                          const struct fl_compare_row *row);

/* `error`, `warning`, `notice`. */
const char *fl_gate_severity_name(enum fl_gate_severity severity);

#define FL_GATE_SHOWN 10 /* annotations of each severity that GitHub shows */

typedef void (*fl_gate_finding_fn)(void *arg, const struct fl_gate_finding *finding);
/*
 * Calls `each` with the findings of a severity that are shown where space is short: all, or one
 * less than FL_GATE_SHOWN, so that the last place says how many are left out. That number comes
 * back.
 */
size_t fl_gate_each_shown(const struct fl_gate *gate, enum fl_gate_severity severity,
                          fl_gate_finding_fn each, void *arg);

#endif
