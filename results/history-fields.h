/* SPDX-License-Identifier: Apache-2.0 */
/* History fields: what was recorded of two runs and is not the same. Private to results/. */
#ifndef RESULTS_HISTORY_FIELDS_H
#define RESULTS_HISTORY_FIELDS_H

#include "results/histories.h"

/* A run, and one of its cells for what is recorded with samples; cell 0: none. */
struct fl_history_place {
    const struct fl_history_point *point;
    int64_t cell;
};

struct fl_history_differ {
    struct fl_store *store;
    struct fl_arena *arena; /* of what is found */
};

/*
 * Environment of the runs, facts of the cells, and whether the reference was another file. What
 * differs between any two runs is left out: load, and the worker or plug-in under test. As the
 * store.
 */
int fl_history_differ(const struct fl_history_differ *differ, const struct fl_history_place *before,
                      const struct fl_history_place *after, struct fl_history_fields *out,
                      struct fl_err *err) FL_MUST_CHECK;

/* Fields of two fingerprints of machines, of any runs that have them. As the store. */
int fl_history_differ_machines(const struct fl_history_differ *differ,
                               const struct fl_history_series *before,
                               const struct fl_history_series *after, struct fl_history_fields *out,
                               struct fl_err *err) FL_MUST_CHECK;

#endif
