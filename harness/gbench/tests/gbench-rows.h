/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of the binding share: a reporter that keeps the rows of a run.
 */
#ifndef FAULTLINE_GBENCH_ROWS_H
#define FAULTLINE_GBENCH_ROWS_H

#include "faultline/gbench.h"

#define ROWS_MAX     64
#define ROW_COUNTERS 8
#define ROW_TEXT     128

struct row {
    struct fl_run run; /* strings and counters point into this row */
    char name[ROW_TEXT], run_name[ROW_TEXT], function_name[ROW_TEXT], aggregate_name[ROW_TEXT];
    char label[ROW_TEXT], message[ROW_TEXT];
    struct fl_run_counter counters[ROW_COUNTERS];
    char counter_names[ROW_COUNTERS][ROW_TEXT];
};

struct rows {
    struct row row[ROWS_MAX];
    size_t count;
    int begins, ends;
};

/* Runs what matches `filter` and keeps its rows; asserts that it ran and that every row fits. */
void rows_run(struct rows *rows, const char *filter);

/* The row called `name`; fails the test when there is none. */
const struct fl_run *rows_get(const struct rows *rows, const char *name);

/* The value of a row's counter; fails the test when it has none of that name. */
double row_counter(const struct fl_run *run, const char *name);

#endif
