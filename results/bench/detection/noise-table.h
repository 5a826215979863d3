/* SPDX-License-Identifier: Apache-2.0 */
/* Noise table: pairs of known noise, to try replays on. */
#ifndef DETECTION_NOISE_TABLE_H
#define DETECTION_NOISE_TABLE_H

#include "pair-table.h"

struct fl_noise {
    size_t cells, rounds;
    double deviation; /* percent: standard deviation of a pair's log ratio, of the middle cell */
    double worst;  /* of the noisiest; the others lie evenly between, as logarithms; 0: all alike */
    double lag;    /* correlation of a side's noise with that of the round before */
    double spikes; /* share of samples that are ten times as far off */
    double drift;  /* percent: of what both sides of a round share, with the lag 0.35 */
    double slower; /* percent: of the head, in all cells */
    double seconds; /* of a pair */
    uint64_t seed;
};

/* 0 or -ENOMEM. Keys are `kernel=noise n=1` and so on. */
int fl_noise_table(const struct fl_noise *noise, struct fl_pair_table *out) FL_MUST_CHECK;

#endif
