/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calibration: what pairs of the same thing with itself say about a machine: how noisy the pairs of
 * each cell are, and how far one side leans where nothing differs.
 *
 * Computed from a pairing whose purpose is `calibrate`, which may be read while it is measured. It
 * holds for the scenario on that machine, with those settings, and expires with the fingerprint.
 *
 * Everything is owned by the struct fl_calibration. Not thread-safe for one of them.
 */
#ifndef RESULTS_PAIR_CALIBRATION_H
#define RESULTS_PAIR_CALIBRATION_H

#include <stdio.h>

#include "faultline/arena.h"
#include "results/pairing.h"

struct fl_calibration_cell {
    const char *key;
    size_t pairs;  /* of timed samples */
    double spread; /* robust standard deviation of log ratios; NAN below 3 pairs */
    double lean;   /* Hodges-Lehmann, percent: the head slower than the base; NAN: no pairs */
    /* Percent: the far end of the 95 % interval of the lean, where that interval is all on one
     * side; else 0: no bias was found. */
    double bias;
};

/* A count that several processes need not read alike, and the values that were read. */
struct fl_calibration_count {
    const char *key, *metric, *unit;
    const char *values; /* per call, ascending: `61 | 62` */
    size_t samples;     /* of both sides */
};

/* A zeroed struct is empty. */
struct fl_calibration {
    int64_t pairing;       /* 0: there is none */
    double settle, window; /* seconds, of each sample */
    struct fl_calibration_cell *cells;
    size_t count;
    struct fl_calibration_count *counts;
    size_t count_count;
    struct fl_arena arena;
};

/* For whom it is to hold. */
struct fl_calibration_wanted {
    const char *scenario, *fingerprint, *host;
    int64_t settle_ns, window_ns;
};

/* -ENOENT: no such pairing; else as the store. On failure *out is empty. */
int fl_calibration_read(struct fl_store *store, int64_t pairing, struct fl_calibration *out,
                        struct fl_err *err) FL_MUST_CHECK;

/* The newest that is finished and holds; *out is empty where none does. As the store. */
int fl_calibration_find(struct fl_store *store, const struct fl_calibration_wanted *wanted,
                        struct fl_calibration *out, struct fl_err *err) FL_MUST_CHECK;

void fl_calibration_release(struct fl_calibration *calibration);

/* The cell of that key, or NULL. */
const struct fl_calibration_cell *fl_calibration_cell(const struct fl_calibration *calibration,
                                                      const char *key);

/*
 * Rounds after which a head that has lost nothing passes, nearly always: the first look at which
 * the chance of a miss is small enough 95 times in 100, with normal noise of that spread. The last
 * look where none is enough.
 */
size_t fl_calibration_rounds(double spread, double detect);

/* Seconds that both samples of a pair take, the start of their processes included. */
double fl_calibration_pair_seconds(double settle, double window);

struct fl_calibration_limits {
    double tolerance, detect; /* percent */
};

/* A table, and what it means at these limits. Width 0: no limit. -ENOMEM; -errno of a failed write.
 */
int fl_calibration_print(const struct fl_calibration *calibration,
                         const struct fl_calibration_limits *limits, size_t width, FILE *out,
                         struct fl_err *err) FL_MUST_CHECK;

#endif
