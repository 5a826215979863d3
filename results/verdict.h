/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verdict: what a metric of a cell says about a head against a base, at the rounds there are.
 *
 * Between `tolerance` and `detect` nothing is promised. Timed metrics and noisy counts are decided
 * by the signed rank of paired rounds (results/signed-rank.h), at 1 % over all planned tests for an
 * alarm and at 0.2 % for a pass; exact and set-valued counts by their values. docs/compare.md has
 * the rules.
 */
#ifndef RESULTS_VERDICT_H
#define RESULTS_VERDICT_H

#include <stdbool.h>

#include "results/rounds.h"

#define FL_VERDICT_PAIRS   16 /* fewer never decide */
#define FL_VERDICT_SAMPLES 10 /* of a count with several legal values: fewer never alarm */

/* In the order that matters to a reader. */
enum fl_verdict {
    FL_VERDICT_REGRESSION,
    FL_VERDICT_ERROR,   /* the head failed */
    FL_VERDICT_MISSING, /* the head has no such cell */
    FL_VERDICT_INCONCLUSIVE,
    FL_VERDICT_NOT_COMPARABLE,
    FL_VERDICT_NEW, /* the base has no such cell */
    FL_VERDICT_IMPROVEMENT,
    FL_VERDICT_PASS,
};
#define FL_VERDICT_COUNT 8

const char *fl_verdict_name(enum fl_verdict verdict);

struct fl_verdict_rule {
    double tolerance, detect; /* percent of the base; tolerance < detect */
    double slack;             /* of noisy counts, in their unit */
    size_t planned;           /* tests of this comparison, at least 1 */
};

struct fl_verdict_side {
    bool present;                         /* there is such a cell */
    const char *failure;                  /* of the cell; NULL: none */
    const struct fl_summary_value *value; /* where present */
    const struct fl_round_row *rounds;    /* where present; may be empty */
};

struct fl_verdict_case {
    const struct fl_metric *metric;
    struct fl_verdict_side base, head;
    const char *unpaired; /* why rounds of both are no pairs; NULL: they are */
    const char *differs;  /* the first field of the machines that differs; NULL: none */
};

struct fl_comparison {
    enum fl_verdict verdict;
    const char *reason;       /* static or of the case; NULL: nothing to say */
    double base, head;        /* medians; NAN: none */
    double effect, low, high; /* percent of the base; NAN: none */
    size_t pairs;             /* behind the interval; 0: the effect is the ratio of the medians */
};

/* 0; -E2BIG: more pairs than can be ranked; -ENOMEM. */
int fl_verdict_decide(const struct fl_verdict_case *of, const struct fl_verdict_rule *rule,
                      struct fl_comparison *out) FL_MUST_CHECK;

#endif
