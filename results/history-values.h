/* SPDX-License-Identifier: Apache-2.0 */
/* History values: what one run, or one pair of runs, measured in one cell. Private to results/. */
#ifndef RESULTS_HISTORY_VALUES_H
#define RESULTS_HISTORY_VALUES_H

#include "results/histories.h"

struct fl_history_round {
    int64_t run, cell, round;
    double value; /* per call; 0: not to be used; negative: the result was wrong */
};

/* Of one cell of one run, ascending rounds. */
struct fl_history_rounds {
    const struct fl_history_round *items;
    size_t count;
};

struct fl_history_list {
    struct fl_history_round *items;
    size_t count, room;
};

/* Scratch of one reading. A zeroed struct is ready. */
struct fl_history_reader {
    struct fl_store *store;
    int64_t metric;
    bool per_call;
    struct fl_history_list all;     /* of all cells and runs, where it was asked for */
    struct fl_history_list read[2]; /* of one cell of the base and the head */
    double *numbers;
    size_t room;
};

/*
 * Reads all timed samples of the store in one pass, which is faster than cell by cell from some
 * share of the cells on; 32 bytes a sample, twice while they are sorted. As the store.
 */
int fl_history_read_all(struct fl_history_reader *reader, struct fl_err *err) FL_MUST_CHECK;

void fl_history_reader_release(struct fl_history_reader *reader);

/* As the store. base_cell 0: medians alone. */
int fl_history_value_read(struct fl_history_reader *reader, const struct fl_history_point *point,
                          int64_t base_cell, struct fl_history_value *value,
                          struct fl_err *err) FL_MUST_CHECK;

#endif
