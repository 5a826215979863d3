/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cell groups: the cells of a run that differ in some factors only, and what tells one group from
 * another. Private to results/.
 */
#ifndef RESULTS_CELL_GROUPS_H
#define RESULTS_CELL_GROUPS_H

#include "results/summary.h"

struct fl_cell_group {
    const char *name; /* `factor=level ...` of what varies among the groups; "" for the only one */
    const size_t *cells; /* places in the summary, ascending */
    size_t count;
};

struct fl_cell_groups {
    const char *shared;    /* `factor=level ...` of what the cells of all groups have */
    const size_t *varying; /* factors whose levels make the names */
    size_t varying_count;
    struct fl_cell_group *items;
    size_t count;
};

/* Factors in which the cells of a group may differ. */
struct fl_cell_groups_by {
    const size_t *factors;
    size_t count;
    bool whole; /* cells that lack one of them are in no group; else those that lack all */
};

/*
 * Groups by all other factors, in order of first appearance. A cell that has not got a factor goes
 * with those at its fallback: a team of ours with OpenMP's at `omp-wait=default`. Everything lives
 * in the arena. 0 or -ENOMEM.
 */
int fl_cell_groups_make(const struct fl_summary *summary, const struct fl_cell_groups_by *by,
                        struct fl_arena *arena, struct fl_cell_groups *out) FL_MUST_CHECK;

#endif
