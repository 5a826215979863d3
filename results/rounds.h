/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rounds: what every timed sample of a run measured, by cell and round, and what pairs of cells
 * make of it.
 *
 * Every cell is measured once in each round, so the two samples of a round stand near each other in
 * time: what slows the machine down for a while slows both, and drops out of their ratio.
 *
 * Everything is owned by the struct fl_rounds. Not thread-safe for one of them.
 */
#ifndef RESULTS_ROUNDS_H
#define RESULTS_ROUNDS_H

#include "faultline/arena.h"
#include "results/summary.h"

struct fl_round_value {
    int64_t round;
    double value; /* per call; rates and levels as they are */
};

struct fl_round_row {
    const struct fl_round_value *values; /* samples that went well, ascending rounds; none where
                                            some sample of the cell computed wrongly */
    size_t count;
};

struct fl_rounds {
    struct fl_round_row *cells; /* in the order of the summary's */
    size_t cell_count;
    struct fl_arena arena;
};

/* The values of the metric at that place in the summary. As the store. On failure *out is empty. */
int fl_rounds_read(struct fl_store *store, const struct fl_summary *summary, size_t metric,
                   struct fl_rounds *out, struct fl_err *err) FL_MUST_CHECK;
void fl_rounds_release(struct fl_rounds *rounds);

#define FL_PAIRED_RESAMPLES 2000

/* For reading: it decides nothing. */
struct fl_paired {
    size_t rounds;    /* with both values above 0; 0: the numbers mean nothing */
    double median;    /* of the rounds' ratios */
    double low, high; /* 95 % interval, percentiles over resampled rounds; NAN below two rounds */
};

/*
 * The ratio of a to b. Deterministic: the resampling has a fixed seed. Cost: 2000 times the rounds.
 * 0 or -ENOMEM.
 */
int fl_rounds_ratio(const struct fl_round_row *a, const struct fl_round_row *b,
                    struct fl_paired *out) FL_MUST_CHECK;

/*
 * The ratio of the median of a to that of b, over the rounds that have both values above 0: the way
 * of published tables. Its interval is wider than that of the rounds' ratios where what disturbs a
 * round disturbs both sides. In `median`; otherwise as fl_rounds_ratio().
 */
int fl_rounds_medians_ratio(const struct fl_round_row *a, const struct fl_round_row *b,
                            struct fl_paired *out) FL_MUST_CHECK;

#endif
