/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layout: which factors of a run become sections, rows and columns of its table, and which metrics
 * are shown. Private to results/.
 */
#ifndef RESULTS_LAYOUT_H
#define RESULTS_LAYOUT_H

#include "results/show.h"

#define FL_LAYOUT_MAX 64 /* factors, and metrics, of one table */

struct fl_layout {
    size_t sections[FL_LAYOUT_MAX], section_count; /* indices into the summary's factors */
    size_t rows[FL_LAYOUT_MAX], row_count;
    size_t pivots[FL_LAYOUT_MAX], pivot_count; /* 0: columns are metrics */
    size_t metrics[FL_LAYOUT_MAX], metric_count;
};

/* -EINVAL: an option names something that is not there. */
int fl_layout_choose(const struct fl_summary *summary, const struct fl_show_options *options,
                     struct fl_layout *out, struct fl_err *err) FL_MUST_CHECK;

enum fl_layout_what { FL_LAYOUT_FACTOR, FL_LAYOUT_METRIC };

/* The place of a factor or metric in the summary. -EINVAL: none of that name; says the nearest. */
int fl_layout_find(const struct fl_summary *summary, enum fl_layout_what what, const char *name,
                   size_t *out, struct fl_err *err) FL_MUST_CHECK;

/* The cells' level of a factor; "-" where a cell has none. */
const char *fl_layout_level(const struct fl_summary_cell *cell, size_t factor);
/* The place of a cell's level in the order of first appearance among the cells of the summary. */
size_t fl_layout_rank(const struct fl_summary *summary, const struct fl_summary_cell *cell,
                      size_t factor);
/* Whether two cells have the same level of each of `count` factors. */
bool fl_layout_same(const struct fl_summary_cell *a, const struct fl_summary_cell *b,
                    const size_t *factors, size_t count);
/* The one level of all cells that have the factor; NULL: there are several. */
const char *fl_layout_only(const struct fl_summary *summary, size_t factor);

/* Whether a metric has the same median in all cells that have it, and the cells that have it. */
bool fl_layout_constant(const struct fl_summary *summary, size_t metric, size_t *measured);

#endif
