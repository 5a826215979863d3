/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Series: every value of a run, by cell, metric and mode in the order of rounds, and what became of
 * each cell. What comparisons, gates and baselines read; one pass over the run's samples, whatever
 * else the store holds.
 *
 * Everything is owned by the struct fl_series_set. Not thread-safe for one of them.
 */
#ifndef RESULTS_SERIES_H
#define RESULTS_SERIES_H

#include "faultline/arena.h"
#include "results/rounds.h"
#include "results/summary.h"

/* One metric of one cell; samples that went well. */
struct fl_series {
    struct fl_round_row timed,
        counted;        /* ascending rounds; per call, rates and levels as they are */
    int64_t calls;      /* of each counting sample; 0: they differ, or there are none */
    bool scaled;        /* some values are estimates from multiplexed counters */
    const char *absent; /* why values are missing: `unavailable: ...`; NULL: none are */
};

struct fl_series_cell {
    const char *failure;   /* why the cell has no result to trust: it cannot run, or a sample went
                              wrong; NULL: nothing */
    size_t timed, counted; /* samples that went well, by mode */
    size_t bad;            /* samples that did not */
    int64_t facts; /* set of facts of a sample that went well, counting ones first; 0: none */
    struct fl_series *items; /* per metric of the plan */
};

struct fl_series_set {
    struct fl_summary plan;       /* run, factors, metrics and cells with their levels; of a cell's
                                     values,       status and counts of samples nothing is filled */
    struct fl_series_cell *cells; /* in the order of the plan's */
    struct fl_arena arena;
};

/* -ENOENT: no such run; else as the store. On failure *out is empty. */
int fl_series_read(struct fl_store *store, int64_t run, struct fl_series_set *out,
                   struct fl_err *err) FL_MUST_CHECK;
void fl_series_release(struct fl_series_set *set);

/* Facts of a set, by name. `facts` as in a struct fl_series_cell; 0 has none. */
int fl_series_facts(struct fl_store *store, int64_t facts, fl_fact_fn each, void *arg,
                    struct fl_err *err) FL_MUST_CHECK;

#endif
