/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scaling: throughput against threads, in groups that differ in nothing else, and what the
 * Universal Scalability Law makes of each group.
 *
 * The numbers come from a stored run or from a table of somebody else's. Everything is owned by the
 * struct fl_scaling. Not thread-safe for one of them.
 */
#ifndef RESULTS_SCALING_H
#define RESULTS_SCALING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "faultline/arena.h"
#include "results/store.h"

#define FL_SCALING_CSV_MAX (1u << 20) /* bytes of a table from outside */
#define FL_SCALING_GROUPS  64         /* its columns of values */
#define FL_SCALING_ROWS    1024

struct fl_scaling_point {
    const char *level;  /* as the run has it: `4`, `2*nproc` */
    unsigned threads;   /* 0: the level is a word that no sample resolved */
    double throughput;  /* 0: not measured, or not usable */
    const char *reason; /* why there is no number; NULL: there is one, or nothing to say */
};

struct fl_scaling_group {
    const char *name;                /* what sets it apart; "" for the only one */
    struct fl_scaling_point *points; /* fewest threads first, unresolved last */
    size_t count;
};

struct fl_scaling {
    const char *title;   /* where the numbers are from, one line */
    const char *shared;  /* levels that all groups have; "" */
    const char *by;      /* the factor that counts threads */
    const char *unit;    /* of the throughput */
    unsigned processors; /* that the run could use; 0: unknown */
    struct fl_scaling_group *groups;
    size_t count;
    struct fl_arena arena;
};

struct fl_scaling_options {
    const char *by;     /* factor: `threads` */
    const char *metric; /* a time per call, whose inverse is the throughput, or a rate */
};

/*
 * Of the medians of a run. Cells with a wrong result have no value, as those without samples. A
 * level that is a word (`nproc`) has the number of the fact of the factor's name that its samples
 * carry. -ENOENT: no such run; -EINVAL: no such factor or metric, or one that is no time and no
 * rate; else as the store. On failure *out is empty.
 */
int fl_scaling_read(struct fl_store *store, int64_t run, const struct fl_scaling_options *options,
                    struct fl_scaling *out, struct fl_err *err) FL_MUST_CHECK;

/*
 * Of a table as text:
 *
 *     # comments and empty lines stand anywhere
 *     threads,one mutex,a lock per slot
 *     1,2.015,2.065
 *     8,1.88,
 *
 * Comma separated, without quoting. Each column behind the first is a group. Values are above 0:
 * milliseconds, or rates where `rates` is set; an empty one was not measured. Lines may end in
 * CR LF, and the text may begin with a byte order mark. -EINVAL names the line and what is wrong
 * with it. On failure *out is empty.
 */
int fl_scaling_parse(const char *text, size_t size, bool rates, struct fl_scaling *out,
                     struct fl_err *err) FL_MUST_CHECK;

void fl_scaling_release(struct fl_scaling *scaling);

/*
 * A table for each group, then one of the fits. A group that cannot be fitted says why. Speed-up
 * and efficiency are over the fewest threads that have a value, and those beyond the processors of
 * a run are marked; residuals are in percent of the fitted throughput. Text is escaped for
 * terminals; tables wider than `width` (0: no limit) are split. -ENOMEM; -errno of a failed write.
 */
int fl_scaling_print(const struct fl_scaling *scaling, size_t width, FILE *out,
                     struct fl_err *err) FL_MUST_CHECK;

#endif
