/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairing: two runs of a store that were measured side by side.
 *
 * The samples of both with the same mode, round and place in the list of cells are a pair:
 * neighbours in time, in random order. Verdicts are computed from the pairs (results/compare.h) and
 * never stored. Errors and threads as for the store.
 */
#ifndef RESULTS_PAIRING_H
#define RESULTS_PAIRING_H

#include "results/store.h"

enum fl_pairing_purpose {
    FL_PAIRING_AB,
    FL_PAIRING_CALIBRATE, /* both sides are the same: what is seen is noise and bias */
};

struct fl_pairing {
    int64_t id, base, head; /* base and head: runs */
    enum fl_pairing_purpose purpose;
    const char *base_side, *head_side; /* as asked for: `library=PATH`, `malloc=jemalloc` */
    double tolerance, detect;          /* percent; 0 <= tolerance < detect */
    size_t planned;    /* tests that share the chance of a false alarm, at least 1 */
    int64_t budget_ns; /* for timed rounds; 0: none */
};

struct fl_paired_cell {
    const char *key; /* without what is compared */
    int64_t base, head;
    int64_t calls;            /* of a timed window, the same on both sides; 0: not known yet */
    double tolerance, detect; /* percent */
};

/* Stores the pairing of two runs; its id comes back. -EEXIST: one of them is paired already. */
int fl_pairing_add(struct fl_store *store, const struct fl_pairing *pairing, int64_t *id,
                   struct fl_err *err) FL_MUST_CHECK;

/* Adds cells behind those there are, in one transaction. Both runs must have planned theirs. */
int fl_pairing_add_cells(struct fl_store *store, int64_t pairing,
                         const struct fl_paired_cell *cells, size_t count,
                         struct fl_err *err) FL_MUST_CHECK;

/* What the pilot told. -ENOENT: no such pairing or place. */
int fl_pairing_set_calls(struct fl_store *store, int64_t pairing, size_t position, int64_t calls,
                         struct fl_err *err) FL_MUST_CHECK;

/* The number of tests, once all cells are known. -ENOENT: no such pairing. */
int fl_pairing_set_planned(struct fl_store *store, int64_t pairing, size_t planned,
                           struct fl_err *err) FL_MUST_CHECK;

typedef int (*fl_pairing_fn)(void *arg, const struct fl_pairing *pairing);
/* All pairings, oldest first. As the callbacks of the store. */
int fl_pairings(struct fl_store *store, fl_pairing_fn each, void *arg,
                struct fl_err *err) FL_MUST_CHECK;

/* Calls `each` with the pairing that a run, either side, belongs to. -ENOENT: to none. */
int fl_pairing_of_run(struct fl_store *store, int64_t run, fl_pairing_fn each, void *arg,
                      struct fl_err *err) FL_MUST_CHECK;

/* Calls `each` with the newest pairing of a purpose. -ENOENT: there is none. */
int fl_pairing_latest(struct fl_store *store, enum fl_pairing_purpose purpose, fl_pairing_fn each,
                      void *arg, struct fl_err *err) FL_MUST_CHECK;

typedef int (*fl_paired_cell_fn)(void *arg, const struct fl_paired_cell *cell);
/* The cells of a pairing, in their order. */
int fl_pairing_cells(struct fl_store *store, int64_t pairing, fl_paired_cell_fn each, void *arg,
                     struct fl_err *err) FL_MUST_CHECK;

/* As in the store; "" for a value out of range. And back, or -1. */
const char *fl_pairing_purpose_name(enum fl_pairing_purpose purpose);
int fl_pairing_purpose_from(const char *name);

#endif
