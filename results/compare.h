/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compare: two runs that were measured side by side (results/pairing.h), two levels of a factor in
 * one run, or two runs of different times; cell by cell and metric by metric. What the command
 * prints, and what a gate prints and exits on.
 *
 * Everything is owned by the struct fl_compare. Not thread-safe for one of them.
 */
#ifndef RESULTS_COMPARE_H
#define RESULTS_COMPARE_H

#include <stdio.h>

#include "results/verdict.h"

/*
 * One metric of one cell. A cell that is new, missing, or failed on a side has one row, with no
 * metric. The suite (results/suite.h), where rounds pair and there are cells enough, has one row of
 * its own.
 */
struct fl_compare_row {
    const char *cell;   /* its key without what is compared; "all cells" of the suite; "" where the
                           cells differ in nothing else */
    const char *metric; /* "" where the row is about the cell: error, missing, new, or a base that
                           failed (not comparable) */
    const char *unit;
    enum fl_metric_kind kind;
    enum fl_metric_better better;
    bool suite;
    bool gated; /* exact and set-valued counts, the metric `time`, the suite, rows about cells: what
                   a gate judges unless it is told of more. Others are the same data or too noisy */
    const char *base_key, *head_key; /* whole keys of the cells; NULL: that side has none */
    double tolerance, detect;        /* percent; what it was judged by */
    struct fl_comparison result;
    size_t place; /* of the cell in the order of the plan: the same for all rows of a cell */
};

struct fl_compare {
    const char *title;
    const char *base, *head; /* the sides, in words: runs, levels, or as typed to `ab` */
    const char *warning;     /* what the reader must know about all of it; NULL: nothing */
    int64_t base_run, head_run;
    bool paired;                 /* rounds are pairs: times can be judged */
    size_t planned;              /* tests that shared the chance of a false alarm */
    struct fl_compare_row *rows; /* in the order asked for */
    size_t count;
    size_t verdicts[FL_VERDICT_COUNT]; /* rows of each that is judged */
    size_t shown_only;                 /* rows that are not */
    struct fl_arena arena;
};

enum fl_compare_sort { FL_COMPARE_BY_REGRESSION, FL_COMPARE_BY_CELL };

/* Changes what holds for one metric of one cell, named as in its row; `rule` has what holds for
 * all. */
typedef void (*fl_compare_limits_fn)(void *arg, const char *cell, const struct fl_metric *metric,
                                     struct fl_verdict_rule *rule);

/* A zeroed struct asks for the usual. */
struct fl_compare_options {
    const char *metric; /* NULL: all that either side has */
    /* Percent. NAN: what was asked of `ab`, else 0.5 and 2; a `detect` of 0: both. */
    double tolerance, detect;
    double slack;         /* as struct fl_verdict_rule */
    bool bootstrap;       /* intervals by resampling */
    bool changed_library; /* two runs: the library is what is compared, so its build may differ */
    enum fl_compare_sort sort;
    fl_compare_limits_fn limits; /* NULL: the same for all */
    void *limits_arg;
};

struct fl_compare_levels {
    int64_t run;
    const char *by, *base, *head; /* a factor and two levels; `-`: has no such factor */
};

/*
 * Two runs. Where they are the two sides of a pairing, in either order, their rounds are pairs and
 * the cells are those of the pairing; else cells of the same key are compared, and times are not
 * judged. -ENOENT: no such run; -EINVAL: no such metric; else as the store. On failure *out is
 * empty.
 */
int fl_compare_runs(struct fl_store *store, int64_t base, int64_t head,
                    const struct fl_compare_options *options, struct fl_compare *out,
                    struct fl_err *err) FL_MUST_CHECK;
/* The pairing that a run, either side, belongs to. Also -ENOENT: to none. */
int fl_compare_pairing(struct fl_store *store, int64_t run,
                       const struct fl_compare_options *options, struct fl_compare *out,
                       struct fl_err *err) FL_MUST_CHECK;
/* Also -EINVAL: no such factor, or no cell of the run has a level. */
int fl_compare_levels(struct fl_store *store, const struct fl_compare_levels *levels,
                      const struct fl_compare_options *options, struct fl_compare *out,
                      struct fl_err *err) FL_MUST_CHECK;
void fl_compare_release(struct fl_compare *compare);

/* Width 0: no limit. -ENOMEM; -errno of a failed write. */
int fl_compare_print(const struct fl_compare *compare, size_t width, bool bold, FILE *out,
                     struct fl_err *err) FL_MUST_CHECK;

#endif
