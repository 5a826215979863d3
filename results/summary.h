/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Summary: what a run measured, one row a cell and one column a metric.
 *
 * Per-call values (rates and levels: values as they are) of the samples that went well: median,
 * least, greatest and how many. The median of an even number of values is the mean of the middle
 * two; integers stay integers where nothing is lost. Of a time that every sample has,
 * those of counting samples do not count. A cell that was not measured, or not wholly, says why.
 *
 * Everything is owned by the summary. Not thread-safe for one summary.
 */
#ifndef RESULTS_SUMMARY_H
#define RESULTS_SUMMARY_H

#include "faultline/arena.h"
#include "results/number.h"
#include "results/store.h"

struct fl_summary_value {
    size_t count; /* 0: not measured, and the three numbers mean nothing */
    struct fl_number median, min, max;
    bool scaled;        /* some values are estimates from multiplexed counters */
    const char *reason; /* why (some) values are missing: `unavailable: ...`; NULL: none are */
};

struct fl_summary_cell {
    int64_t id;
    const char *key;
    /*
     * `ok`; `unavailable`, `crashed`, `timed-out`, `wrong-result`, `failed`: what happened to the
     * plan or to a sample; `partial`: samples are still to be taken; `missing`: all are.
     */
    const char *status;
    const char *reason;              /* NULL where there is nothing to say */
    const char **levels;             /* per factor of the summary; NULL: has no such factor */
    bool *implied;                   /* per factor: at its fallback, so not in the key */
    struct fl_summary_value *values; /* per metric of the summary */
    size_t timed, counted, bad;      /* samples that went well, by mode; samples that did not */
};

struct fl_summary {
    struct fl_run_record run; /* all text included */
    const char **factors;     /* kernel, n, workspace, malloc, library, isa, then by name */
    bool *implied;            /* per factor: at its fallback in every cell, so in no key */
    size_t factor_count;
    struct fl_stored_metric *metrics; /* as planned, then others */
    size_t metric_count;
    struct fl_summary_cell *cells; /* as planned */
    size_t cell_count;
    struct fl_arena arena;
};

/* -ENOENT: no such run; else as the store. On failure *out is empty. */
int fl_summary_read(struct fl_store *store, int64_t run, struct fl_summary *out,
                    struct fl_err *err) FL_MUST_CHECK;

/* As fl_summary_read(), without samples: the values, statuses and counts of samples are not filled,
 * and a reason is that of the plan. */
int fl_summary_read_plan(struct fl_store *store, int64_t run, struct fl_summary *out,
                         struct fl_err *err) FL_MUST_CHECK;
void fl_summary_release(struct fl_summary *summary);

#endif
