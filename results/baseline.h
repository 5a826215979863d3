/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Baseline: counts of a run as a text file that stands in its user's repository, is reviewed like
 * code and compared with later runs.
 *
 *   [baseline]
 *   scenario = packing-faults
 *   samples = 10              counting samples behind each line, the least of them
 *   calls = 20                in the window of each counting sample; 0: they differ
 *   [machine]                 fields of the fingerprint that all cells share
 *   isa = avx512
 *   [counts]
 *   kernel=dgemm n=192 workspace=malloc malloc=glibc fact.blocking=96x192x192 :
 *       minor-faults = 61|62
 *
 * Lines go on indented. The order is by cell and metric, so that the same counts give the same
 * file. What is under test, the library and its build, is no part of it. A level with a ';' is
 * written with '\;' in its quotes, as INI ends a line there.
 *
 * Everything is owned by the struct fl_baseline. Not thread-safe for one of them.
 */
#ifndef RESULTS_BASELINE_H
#define RESULTS_BASELINE_H

#include <stdint.h>
#include <stdio.h>

#include "faultline/arena.h"
#include "faultline/error.h"
#include "faultline/facts.h"
#include "results/compare.h"

#define FL_BASELINE_VALUES 64 /* of one count */

struct fl_baseline_count {
    const char *cell, *metric;
    struct fl_fact *facts; /* its own */
    size_t fact_count;
    const double *values; /* per call, ascending, all different; at least one */
    size_t value_count;
    int line; /* in the file; 0: of a run */
};

struct fl_baseline {
    const char *name; /* in words: the file's path; of a run, its number */
    const char *scenario;
    size_t samples;
    int64_t calls;
    struct fl_fact *machine;
    size_t machine_count;
    struct fl_baseline_count *counts; /* by cell, then metric; no two of the same */
    size_t count;
    size_t left_out; /* of a run: cells that failed, and counts with more values than a line has */
    struct fl_arena arena;
};

/* 0; -EINVAL: file, line and what would be accepted; -ENOMEM. On failure *out is empty. */
int fl_baseline_read(const char *path, const char *text, size_t length, struct fl_baseline *out,
                     struct fl_err *err) FL_MUST_CHECK;

/* Also -errno from opening it. */
int fl_baseline_load(const char *path, struct fl_baseline *out, struct fl_err *err) FL_MUST_CHECK;

/* The file's text. -EINVAL: a name that no line can hold; -errno of a failed write. */
int fl_baseline_write(const struct fl_baseline *baseline, FILE *out,
                      struct fl_err *err) FL_MUST_CHECK;

void fl_baseline_release(struct fl_baseline *baseline);

/* Puts counts into their order. */
void fl_baseline_sort(struct fl_baseline *baseline);

/*
 * The exact and set-valued counts of a run's counting samples. -ENOENT: no such run, or it has
 * none; else as the store. On failure *out is empty.
 */
int fl_baseline_of_run(struct fl_store *store, int64_t run, struct fl_baseline *out,
                       struct fl_err *err) FL_MUST_CHECK;

/* The count of a cell and metric; NULL: there is none. `metric` NULL: the cell's first. */
const struct fl_baseline_count *fl_baseline_find(const struct fl_baseline *baseline,
                                                 const char *cell, const char *metric);

/*
 * The counts of a run against a baseline. Of the options, `limits` is
 * asked for slack. Values of the baseline are legal ones: a head that has none worse passes; one
 * that is wholly beyond them is worse or better, for a set with ten samples a side; else it is
 * inconclusive. On failure *out is empty.
 */
int fl_baseline_compare(const struct fl_baseline *baseline, struct fl_store *store, int64_t run,
                        const struct fl_compare_options *options, struct fl_compare *out,
                        struct fl_err *err) FL_MUST_CHECK;

#endif
