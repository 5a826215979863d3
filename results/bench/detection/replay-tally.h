/* SPDX-License-Identifier: Apache-2.0 */
/* Replay tally: what became of many gates of one condition. */
#ifndef DETECTION_REPLAY_TALLY_H
#define DETECTION_REPLAY_TALLY_H

#include "gate-replay.h"

struct fl_replay_tally {
    struct fl_gate_condition condition;
    size_t gates;
    size_t alarmed;      /* gates that found a regression, in a cell or the suite */
    size_t false_alarms; /* gates that found one in a cell that lost no more than the tolerance, or
                            in the suite where no cell did */
    size_t passed;       /* every cell, and the suite */
    size_t open;         /* gates with something inconclusive or undecided, and no regression */
    size_t suite_alarms;
    size_t slowed, found;         /* slowed cells of all gates, and those that were found */
    size_t open_cells;            /* cells of all gates without a decision */
    size_t *slowed_of, *found_of; /* the same by cell, the tally's */
    double seconds;               /* of a gate, mean */
    double rounds;                /* of the cells that stayed longest, mean */
};

/* Replays gates 0 .. gates - 1. 0 or -ENOMEM. The teller (may be NULL) is called now and then with
 * how many are done. */
struct fl_replay_teller {
    void (*tell)(void *arg, const struct fl_replay_tally *so_far);
    void *arg;
};
int fl_replay_tally(const struct fl_pair_table *table, const struct fl_gate_condition *condition,
                    uint64_t seed, size_t gates, const struct fl_replay_teller *teller,
                    struct fl_replay_tally *out) FL_MUST_CHECK;
void fl_replay_tally_release(struct fl_replay_tally *tally);

/* Shares of slowed cells that were found: of all, and of the cell where it was least. NAN: none
 * were slowed. */
double fl_replay_power(const struct fl_replay_tally *tally);
double fl_replay_worst_power(const struct fl_replay_tally *tally, size_t cells);

#endif
