/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explain: what a run says about a slow cell that was measured again with one suspect removed at a
 * time. Each round has every variant once, so that all comparisons are paired.
 *
 * - A removal is faster where the signed-rank bound of log(variant / cell) lies below the tolerance
 *   at 0.025 over the number of variants: several are tried, and one of them is always the best.
 * - The loss is the distance to the reference. That is the variant in which all memory suspects are
 *   removed together (`covered` ones do not count then), or the fastest of the others.
 * - A removal recovers the share r at which the centre of log(variant / ((1-r) cell + r reference))
 *   is 0; its interval is where the signed-rank test at 5 % does not reject that.
 * - A removal is a cause where it is faster and a counter that testifies for its suspect fell. One
 *   that is faster while none did is told, and not claimed.
 * - Causes that recover everything stand first, in the order of the suspects: from the narrowest
 *   change to the broadest. If none does, those that cannot be told from the best stand first.
 *
 * Everything is owned by the struct fl_explanation, but the variants. Not thread-safe for one.
 */
#ifndef RESULTS_EXPLANATION_H
#define RESULTS_EXPLANATION_H

#include <stdbool.h>
#include <stdio.h>

#include "faultline/arena.h"
#include "results/store.h"

#define FL_EXPLAIN_COUNTERS 6   /* of one suspect, with the NULL behind them */
#define FL_EXPLAIN_ROUNDS   200 /* the intervals' cost grows with their square */

struct fl_testimony {
    const char *name;                          /* of the suspect */
    const char *convicts[FL_EXPLAIN_COUNTERS]; /* one of these must fall; none: it can't be shown */
    const char *also[FL_EXPLAIN_COUNTERS];     /* shown beside them */
    const char *cause, *cure;                  /* sentences without a full stop */
};

/* A cell with one suspect removed. */
struct fl_variant {
    const struct fl_testimony *suspect; /* NULL: the one with all memory suspects removed */
    const char *change;                 /* `malloc=glibc-pinned` */
    const char *key;
    bool covered; /* the one with all memory suspects removed has this one removed too */
};

struct fl_explain_query {
    const char *key; /* of the slow cell */
    const struct fl_variant *variants;
    size_t count;
    double tolerance; /* a share: 0.02 */
};

enum fl_explain_verdict {
    FL_EXPLAIN_CAUSE,
    FL_EXPLAIN_UNSEEN, /* faster, and no counter that could testify fell */
    FL_EXPLAIN_NOTHING,
    FL_EXPLAIN_MISSING,
};

struct fl_range {
    double estimate, low, high; /* NAN: unknown */
};

struct fl_explain_row {
    const struct fl_variant *variant;
    enum fl_explain_verdict verdict;
    double time; /* median, ns a call */
    struct fl_range ratio, recovered;
    bool full;          /* recovers everything, as far as the interval says */
    bool tied;          /* cannot be told from the first row */
    const char *fell;   /* counter that testifies, faster or not; NULL: none */
    const char *reason; /* why it is missing */
    size_t cell;        /* place in `counts` */
};

struct fl_explanation {
    int64_t run;
    const char *key;
    const char *trouble;  /* why there is nothing to explain: the cell was not measured */
    double time;          /* of the cell, median, ns a call */
    struct fl_range loss; /* reference / cell; NAN where nothing is faster */
    const struct fl_variant *reference; /* NULL: nothing is faster */
    double possible;       /* share of the time that some removal may gain, as the intervals say */
    size_t rounds, needed; /* with fewer than `needed`, nothing could be told */
    double tolerance;
    struct fl_explain_row *rows; /* causes first */
    size_t count, causes;
    const char **counters; /* metrics that some suspect names and some cell has above 0 */
    size_t counter_count;
    double *counts; /* [row's cell][counter], the slow cell's first; NAN: not measured */
    struct fl_arena arena;
};

/* -ENOENT: no such run, or it has no such cell; else as the store. On failure *out is empty. */
int fl_explanation_read(struct fl_store *store, int64_t run, const struct fl_explain_query *query,
                        struct fl_explanation *out, struct fl_err *err) FL_MUST_CHECK;
void fl_explanation_release(struct fl_explanation *explanation);

/* A table, and what it means; width 0: no limit. -ENOMEM; -errno of a failed write. */
int fl_explanation_print(const struct fl_explanation *explanation, size_t width, bool bold,
                         FILE *out, struct fl_err *err) FL_MUST_CHECK;

#endif
