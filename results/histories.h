/* SPDX-License-Identifier: Apache-2.0 */
/*
 * History: what runs of one scenario on one machine measured, in the order of revisions, and where
 * it changed.
 *
 * A run that is the head of an A/B run (results/pairing.h) gives for each cell the ratio to the
 * base measured beside it: the Hodges-Lehmann centre of the paired log ratios. Where the base is
 * one fixed reference, that is free of what the machine did meanwhile. Any other run gives medians,
 * in which drift of the machine and a change of the code look the same. Bases and calibrations are
 * left out.
 *
 * Runs are one series where scenario, fingerprint of the machine and reference, as it was named,
 * are the same. A series is ordered by the times of its revisions, or of the runs where some
 * revision is not known. Everything is owned by the struct fl_history. Not thread-safe for one of
 * them.
 */
#ifndef RESULTS_HISTORIES_H
#define RESULTS_HISTORIES_H

#include <stdbool.h>
#include <stdio.h>

#include "faultline/arena.h"
#include "results/change-points.h"
#include "results/store.h"

/* Something recorded about two runs that is not the same; NULL: it is not recorded. */
struct fl_history_field {
    const char *name, *before, *after;
};

struct fl_history_fields {
    struct fl_history_field *items;
    size_t count;
};

struct fl_history_point {
    int64_t run, base; /* base 0: a plain run */
    int64_t pairing;
    int64_t started_ns, commit_ns;   /* commit_ns 0: not known */
    const char *commit, *label;      /* NULL: not known, none */
    struct fl_history_fields fields; /* unlike the point before; filled by fl_history_compare() */
};

struct fl_history_value {
    int64_t cell;     /* 0: the run has no such cell */
    double median;    /* of the run's samples, per call; NAN: none went well */
    double ratio;     /* to the base, beside it; NAN: there is none */
    double low, high; /* 95 % interval of the ratio, or of the median; NAN below 6 rounds */
};

struct fl_history_change {
    size_t before, after; /* points: the last one before and the first one after it */
    struct fl_change found;
    struct fl_history_fields fields; /* that changed between the two */
};

struct fl_history_cell {
    const char *key;
    struct fl_history_value *values; /* per point */
    struct fl_history_change *changes;
    size_t change_count;
};

struct fl_history_series {
    const char *scenario, *fingerprint;
    const char *reference; /* as it was named; NULL: plain runs */
    bool by_commit;        /* in the order of revisions, not of runs */
    struct fl_history_point *points;
    size_t count;
    struct fl_history_cell *cells;
    size_t cell_count;
    struct fl_history_fields fields; /* unlike the series of the scenario and reference before */
};

struct fl_history {
    struct fl_history_series *series; /* by scenario, then by when they began */
    size_t count;
    const char *metric, *unit;
    enum fl_metric_better better;
    size_t tests; /* cells of series that are long enough for a change */
    struct fl_arena arena;
};

typedef bool (*fl_history_select_fn)(void *arg, const char *key);

struct fl_history_options {
    const char *metric;           /* one that timed samples have */
    const char *scenario;         /* NULL: all */
    fl_history_select_fn selects; /* cells by their keys; NULL: all */
    void *arg;
    double tolerance; /* percent: smaller changes are none */
};

/* -EINVAL: no such metric, though there are some; else as the store. On failure *out is empty. */
int fl_history_read(struct fl_store *store, const struct fl_history_options *options,
                    struct fl_history *out, struct fl_err *err) FL_MUST_CHECK;
void fl_history_release(struct fl_history *history);

/* Fills the changes of all cells; `tests` is what shares the level. As the store. */
int fl_history_find_changes(struct fl_store *store, const struct fl_history_options *options,
                            struct fl_history *history, struct fl_err *err) FL_MUST_CHECK;

/* Fills the fields of all points. As the store. */
int fl_history_compare(struct fl_store *store, struct fl_history *history,
                       struct fl_err *err) FL_MUST_CHECK;

/* ---- out ---- */

enum fl_history_format { FL_HISTORY_TABLE, FL_HISTORY_CSV, FL_HISTORY_JSON };

struct fl_history_page {
    enum fl_history_format format;
    size_t width; /* of the table; 0: no limit */
    FILE *out;
};

/* All points of all cells, or all changes. CSV and JSON are described in docs/history.md. -ENOMEM;
 * -errno of a failed write. */
int fl_history_print(const struct fl_history *history, const struct fl_history_page *page,
                     struct fl_err *err) FL_MUST_CHECK;
int fl_changes_print(const struct fl_history *history, const struct fl_history_page *page,
                     struct fl_err *err) FL_MUST_CHECK;

#endif
