/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ratios: every level of a factor (or of several that change together) against a base level, in
 * groups of cells that differ in nothing else, paired by rounds (results/rounds.h).
 *
 * Everything is owned by the struct fl_ratios. Not thread-safe for one of them.
 */
#ifndef RESULTS_RATIOS_H
#define RESULTS_RATIOS_H

#include <stdbool.h>
#include <stdio.h>

#include "results/rounds.h"

#define FL_RATIOS_BY 8 /* factors that change together, at most */

struct fl_ratio_row {
    const char *levels[FL_RATIOS_BY]; /* per factor; "-" where the cell has none */
    bool is_base;
    double median;           /* of the cell's own values; 0: none */
    struct fl_paired paired; /* to the base; rounds 0: there is none */
    const char *reason;      /* why there is none; NULL: there is one, or it is the base */
};

struct fl_ratio_group {
    const char *name;          /* what sets it apart; "" for the only one */
    struct fl_ratio_row *rows; /* the best first, those without a ratio last */
    size_t count;
};

struct fl_ratios {
    const char *title, *shared, *unit; /* of the metric */
    const char *by[FL_RATIOS_BY];
    size_t by_count;
    bool ranked; /* a timed metric with a better side: the best is marked */
    struct fl_ratio_group *groups;
    size_t count;
    struct fl_arena arena;
};

struct fl_ratio_options {
    const char *by;     /* factors, comma separated */
    const char *base;   /* as many levels, comma separated; `-`: has no such factor */
    const char *metric; /* one that timed samples have */
};

/*
 * -ENOENT: no such run; -EINVAL: no such factor or metric, no cell with the base's levels, or a
 * metric that only counting samples have; else as the store. On failure *out is empty.
 */
int fl_ratios_read(struct fl_store *store, int64_t run, const struct fl_ratio_options *options,
                   struct fl_ratios *out, struct fl_err *err) FL_MUST_CHECK;
void fl_ratios_release(struct fl_ratios *ratios);

/* A table a group; width 0: no limit. -ENOMEM; -errno of a failed write. */
int fl_ratios_print(const struct fl_ratios *ratios, size_t width, bool bold, FILE *out,
                    struct fl_err *err) FL_MUST_CHECK;

#endif
