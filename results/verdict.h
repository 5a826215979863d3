/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verdict: what a metric of a cell says about a head against a base.
 *
 * Timed metrics and noisy counts are decided by their pairs, look by look (results/sequential.h);
 * exact and set-valued counts by their counting samples (results/counts.h). Between `tolerance` and
 * `detect` nothing is promised. Rounds that are no pairs decide nothing. Nothing about verdicts is
 * stored: this gives the same answer for the same samples, while a run goes on and later.
 * docs/compare.md has the rules.
 */
#ifndef RESULTS_VERDICT_H
#define RESULTS_VERDICT_H

#include <stdbool.h>

#include "results/sequential.h"
#include "results/series.h"

#define FL_VERDICT_TOLERANCE 0.5 /* percent */
#define FL_VERDICT_DETECT    2   /* percent */
#define FL_VERDICT_SLACK     0.5 /* of noisy counts, events a call */

/* In the order that matters to a reader. */
enum fl_verdict {
    FL_VERDICT_REGRESSION,
    FL_VERDICT_ERROR,   /* the head failed */
    FL_VERDICT_MISSING, /* the head has no such cell */
    FL_VERDICT_INCONCLUSIVE,
    FL_VERDICT_NOT_COMPARABLE,
    FL_VERDICT_NEW, /* the base has no such cell, or no such metric */
    FL_VERDICT_IMPROVEMENT,
    FL_VERDICT_PASS,
};
#define FL_VERDICT_COUNT 8

const char *fl_verdict_name(enum fl_verdict verdict);

struct fl_verdict_rule {
    double tolerance, detect; /* percent of the base; tolerance < detect */
    double slack;             /* of counts, in their unit; 0: 0.5 for noisy ones, none for others */
    size_t planned;           /* tests that share the chance of a false alarm, at least 1 */
    bool bootstrap;           /* intervals of medians by resampling, instead of by ranks */
};

struct fl_verdict_case {
    const struct fl_metric *metric;
    const struct fl_series *base, *head; /* NULL: not measured on that side */
    const char *unpaired;                /* why rounds of both are no pairs; NULL: they are */
    const char *differs; /* the field of the fingerprints that differs, in words; NULL: none */
    const char *changed; /* why both sides measured different things; NULL: they did not */
};

/* What the printed interval is made of. */
enum fl_interval {
    FL_INTERVAL_NONE,      /* too few values, or a count that is compared by value */
    FL_INTERVAL_PAIRS,     /* signed ranks of the pairs */
    FL_INTERVAL_RATIOS,    /* ranks of all ratios of two lists that are no pairs */
    FL_INTERVAL_BOOTSTRAP, /* percentiles over resampled rounds */
};

struct fl_comparison {
    enum fl_verdict verdict;
    bool shown_only; /* a level, or neither side is the worse: nothing to judge; `inconclusive` */
    const char *reason;        /* static or of the case; NULL: nothing to say */
    double base, head;         /* medians per call; NAN: none */
    double base_min, base_max; /* of the values behind the medians; NAN: none */
    double head_min, head_max;
    size_t base_count, head_count; /* of those values: timed rounds, or counting samples */
    double effect;    /* of the head, percent of the base, + is more of the metric; NAN: none */
    double low, high; /* 95 % interval of the effect, for reading; NAN: none */
    enum fl_interval interval;
    size_t pairs; /* behind effect and interval; 0: rounds are no pairs, or are not used */
    /*
     * Timed metrics and noisy counts whose rounds pair: how the verdict came about, and what the
     * last look knows of the loss, + is worse: in percent where metrics are timed, else in events a
     * call. judged.used is 0 where no look was made. judged.next > 0: that many pairs, in all,
     * could decide more.
     */
    struct fl_sequential judged;
    struct fl_sequential_bounds bounds;
    size_t needs; /* counting samples a side that could decide more, in all; 0: none could */
};

/* Nothing is known: no number is one. */
void fl_comparison_clear(struct fl_comparison *out);

/* Cells that both sides have and that failed on neither. 0 or -ENOMEM. */
int fl_verdict_decide(const struct fl_verdict_case *of, const struct fl_verdict_rule *rule,
                      struct fl_comparison *out) FL_MUST_CHECK;

/* The same for losses that are no metric's: those of the suite. Turns them around. */
int fl_verdict_of_losses(double *losses, size_t count, const struct fl_verdict_rule *rule,
                         struct fl_comparison *out) FL_MUST_CHECK;

/*
 * The losses of the pairs of a timed metric or a noisy count, of two rows in ascending rounds:
 * logarithms of ratios, or differences; above 0, the head is worse. Pairs of which a ratio cannot
 * be made are left out. `losses` and `rounds` (may be NULL) have room for the shorter row; returns
 * how many there are.
 */
size_t fl_verdict_losses(const struct fl_metric *metric, const struct fl_round_row *base,
                         const struct fl_round_row *head, double *losses, int64_t *rounds);

/* The rounds that a metric is judged by: counting samples for counts and what only they have. */
const struct fl_round_row *fl_verdict_rounds(const struct fl_metric *metric,
                                             const struct fl_series *series);

#endif
