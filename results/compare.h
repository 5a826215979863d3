/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compare: two runs, or two levels of a factor in one run, cell by cell and metric by metric.
 *
 * Everything is owned by the struct fl_compare. Not thread-safe for one of them.
 */
#ifndef RESULTS_COMPARE_H
#define RESULTS_COMPARE_H

#include <stdio.h>

#include "results/verdict.h"

struct fl_compare_row {
    const char *cell, *metric, *unit;
    enum fl_metric_kind kind;
    enum fl_metric_better better;
    struct fl_comparison result;
};

struct fl_compare {
    const char *title;
    const char *warning; /* what the reader must know about all of it; NULL: nothing */
    struct fl_compare_row *rows;
    size_t count;
    size_t verdicts[FL_VERDICT_COUNT]; /* rows of each */
    struct fl_arena arena;
};

enum fl_compare_sort { FL_COMPARE_BY_REGRESSION, FL_COMPARE_BY_CELL };

/* Changes what holds for one metric of one cell; `rule` has what holds for all. */
typedef void (*fl_compare_limits_fn)(void *arg, const char *cell, const struct fl_metric *metric,
                                     struct fl_verdict_rule *rule);

struct fl_compare_options {
    const char *metric;       /* NULL: all that the base has */
    double tolerance, detect; /* as struct fl_verdict_rule */
    enum fl_compare_sort sort;
    fl_compare_limits_fn limits; /* NULL: the same for all */
    void *limits_arg;
};

struct fl_compare_levels {
    int64_t run;
    const char *by, *base, *head; /* a factor and two levels; `-`: has no such factor */
};

/* -ENOENT: no such run; -EINVAL: no such metric; else as the store. On failure *out is empty. */
int fl_compare_runs(struct fl_store *store, int64_t base, int64_t head,
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
