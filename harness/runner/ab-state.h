/* SPDX-License-Identifier: Apache-2.0 */
/* The state of an A/B run while it is measured. For ab.c and its helpers. */
#ifndef FL_AB_STATE_H
#define FL_AB_STATE_H

#include "results/counts.h"
#include "results/pair-calibration.h"
#include "results/sequential.h"
#include "runner/ab.h"
#include "runner/campaign.h"

/* Counting rounds at most beyond those that all pairs have. */
#define FL_AB_COUNTING_MORE (FL_COUNTS_FIRST + FL_COUNTS_FRESH)

/* A cell of each side, told apart by what is compared alone. */
struct fl_ab_cell {
    char *key;       /* without it */
    size_t place[2]; /* in the plans */
    bool piloted;
    int64_t calls;            /* of a timed window; 0: not known */
    double tolerance, detect; /* percent */
    size_t needs;             /* counting samples a side */
    struct fl_sequential standing;
};

struct fl_ab {
    const struct fl_ab_request *request;
    struct fl_ab_result *result;
    struct fl_store *store; /* NULL: not open yet */
    struct fl_side sides[2];
    struct fl_run_request runs[2];
    struct fl_run_result results[2];
    struct fl_run_description descriptions[2];
    struct fl_campaign campaigns[2];
    struct fl_progress quiet; /* of the campaigns: what they tell goes through here */
    struct fl_ab_cell *cells;
    size_t count;
    struct fl_calibration calibration; /* of this scenario, on this machine; may be empty */
    bool timed;                        /* there are timed rounds */
    size_t planned;                    /* tests */
    struct fl_sequential suite;
    int rounds;              /* timed ones begun */
    double started, carried; /* seconds: when the timed rounds began, spent earlier */
};

/* Is one side not measured (any more)? */
bool fl_ab_is_closed(const struct fl_ab *ab, const struct fl_ab_cell *cell);

/* Has a sample of either side failed? */
bool fl_ab_has_failed(const struct fl_ab *ab, const struct fl_ab_cell *cell);

#endif
