/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a cell's fingerprint that a baseline keeps. Private to results/. */
#ifndef RESULTS_BASELINE_FIELDS_H
#define RESULTS_BASELINE_FIELDS_H

#include "results/baseline.h"
#include "results/cell-fingerprint.h"

struct fl_baseline_fields {
    struct fl_fact items[FL_FACTS_MAX];
    size_t count;
};

/* In the arena. As fl_cell_fingerprint(). */
int fl_baseline_fields(const struct fl_fingerprint_of *of, struct fl_arena *arena,
                       struct fl_baseline_fields *out, struct fl_err *err) FL_MUST_CHECK;

/* The value, or NULL. */
const char *fl_baseline_field(const struct fl_fact *facts, size_t count, const char *name);

/*
 * The first field in which a count's machine and facts differ from a cell's; one that only one side
 * has differs. NULL: none.
 */
const char *fl_baseline_differs(const struct fl_baseline *baseline,
                                const struct fl_baseline_count *count,
                                const struct fl_baseline_fields *cell);

#endif
