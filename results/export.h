/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Export: a run as CSV or JSON.
 *
 * Both are contracts, described in docs/schema.md. Numbers read back as the same numbers and do not
 * depend on the locale. A failing write (closed pipe, full disk) is returned as -errno; what was
 * written so far is then incomplete.
 */
#ifndef RESULTS_EXPORT_H
#define RESULTS_EXPORT_H

#include <stdio.h>

#include "results/summary.h"

/*
 * One row a cell: a column per factor, then NAME (median), NAME.min, NAME.max, NAME.count per
 * metric, then status and reason. Quoting as in RFC 4180, lines end in LF, empty where not
 * measured.
 */
int fl_export_csv(const struct fl_summary *summary, FILE *out, struct fl_err *err) FL_MUST_CHECK;

/* Everything that is stored of a run, sample by sample: enough to import it again. */
int fl_export_json(struct fl_store *store, int64_t run, FILE *out,
                   struct fl_err *err) FL_MUST_CHECK;

/*
 * The timed samples as Google Benchmark's JSON: name and run_name are the imported benchmark's, or
 * the cell's key; other metrics are counters.
 */
int fl_export_gbench(struct fl_store *store, int64_t run, FILE *out,
                     struct fl_err *err) FL_MUST_CHECK;

/* 0, or -errno of a write to `out` that failed so far. */
int fl_export_check(FILE *out, struct fl_err *err) FL_MUST_CHECK;
/* As fl_export_check(), with everything handed to the system. */
int fl_export_flush(FILE *out, struct fl_err *err) FL_MUST_CHECK;

#endif
