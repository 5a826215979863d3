/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unpaired replay: what a comparison of two runs, one after the other, makes of the same recording
 * in the same machine time.
 *
 * The base's run is a stretch of neighbouring rounds, the head's the stretch behind it; both
 * samples of a pair belong to the run of their stretch, since both sides are the same program. Each
 * cell is judged by Mann and Whitney's test at 0.05, as Google Benchmark's compare tool does.
 */
#ifndef DETECTION_UNPAIRED_REPLAY_H
#define DETECTION_UNPAIRED_REPLAY_H

#include "gate-replay.h"

struct fl_unpaired_tally {
    struct fl_gate_condition condition; /* labels, limits and budget mean nothing here */
    size_t rounds;                      /* of the recording, both stretches together */
    size_t runs;
    size_t flagged_runs, slower_runs;   /* some cell with p < 0.05; and 2 % slower as well */
    size_t cells, flagged, slower;      /* cells that lost nothing, of all runs */
    size_t slowed, found, found_slower; /* slowed cells of all runs */
};

#define FL_UNPAIRED_LEVEL 0.05
#define FL_UNPAIRED_FLOOR 2 /* percent */

/* `rounds` is made even, at least 2 and at most those of the table. 0 or -ENOMEM. */
int fl_unpaired_tally(const struct fl_pair_table *table, const struct fl_gate_condition *condition,
                      size_t rounds, uint64_t seed, size_t runs,
                      struct fl_unpaired_tally *out) FL_MUST_CHECK;

#endif
