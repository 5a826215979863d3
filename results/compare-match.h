/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which cells stand against each other: of two runs by their keys or their pairing, of one run by
 * the levels of a factor. Private to results/.
 */
#ifndef RESULTS_COMPARE_MATCH_H
#define RESULTS_COMPARE_MATCH_H

#include "results/compare.h"
#include "results/pairing.h"

#define FL_NO_CELL SIZE_MAX

struct fl_match {
    const char *name;         /* as struct fl_compare_row's cell */
    size_t base, head;        /* cells of the plans, or FL_NO_CELL */
    double tolerance, detect; /* as asked for this pair; NAN: not asked */
};

struct fl_matches {
    const struct fl_summary *base, *head; /* may be the same */
    struct fl_match *items;
    size_t count;
    struct fl_arena *arena;
};

/* All: fill items; the plans and the arena are set. 0, or -errno with the reason in err. */
int fl_match_keys(struct fl_matches *out, struct fl_err *err) FL_MUST_CHECK;
int fl_match_levels(struct fl_matches *out, const struct fl_compare_levels *levels,
                    struct fl_err *err) FL_MUST_CHECK;
/* `swapped`: the base of the matches is the head of the pairing. */
int fl_match_pairing(struct fl_matches *out, struct fl_store *store, int64_t pairing, bool swapped,
                     struct fl_err *err) FL_MUST_CHECK;

/* NULL for FL_NO_CELL. */
const struct fl_series_cell *fl_match_cell(const struct fl_series_set *set, size_t cell);

/* Whether both are there, were measured, and failed on neither side: judged metric by metric. */
bool fl_match_comparable(const struct fl_series_cell *base, const struct fl_series_cell *head);

#endif
