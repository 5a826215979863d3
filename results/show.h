/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Show: a run as a table for people.
 *
 * Rows are the levels of some factors, columns the metrics, or, where cures vary (malloc,
 * workspace,
 * ...), their levels with a few metrics under each. Other factors that vary make sections;
 * those that do not are named once. The best time or rate of a row has a `*`. What was not measured
 * has a number in brackets, and the reason stands below. Text from the store is escaped.
 */
#ifndef RESULTS_SHOW_H
#define RESULTS_SHOW_H

#include <stdio.h>

#include "results/summary.h"

struct fl_show_options {
    const char *rows;     /* factors, comma separated; NULL: chosen */
    const char *columns;  /* factors, comma separated, or `metrics`; NULL: chosen */
    const char *metrics;  /* comma separated; NULL: those that vary */
    const char *searched; /* factor whose levels stand in ascending order, not as they were planned,
                             since a search added some; NULL: none */
    size_t width;         /* of the terminal; wider tables are split; 0: no limit */
    bool colour;          /* the best is bold */
};

/* -EINVAL: an option names a factor or metric that the run has not; -errno of a failed write. */
int fl_show_run(const struct fl_summary *summary, const struct fl_show_options *options, FILE *out,
                struct fl_err *err) FL_MUST_CHECK;

/* The runs of a store, one line each, oldest first. */
int fl_show_runs(struct fl_store *store, FILE *out, struct fl_err *err) FL_MUST_CHECK;

/*
 * How the run's expectations came out: one line for all, and one for each that did not hold, or for
 * every one where `all` is set. Nothing where there are none.
 */
int fl_show_expectations(struct fl_store *store, int64_t run, bool all, FILE *out,
                         struct fl_err *err) FL_MUST_CHECK;

#endif
