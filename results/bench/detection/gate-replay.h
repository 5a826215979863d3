/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gate replay: one gate on pairs that were recorded, as `faultline ab` would have run it.
 *
 * Rounds come from the table in blocks of 10 that follow each other there, the same ones for all
 * cells, so that what disturbed a round disturbs all of it again. Blocks start at a random place,
 * go around the end of the table, and none comes twice before all have come. Which side of a pair
 * is the head is drawn for each pair, as `ab` draws it. Slowed cells lose log(1 + x) more in every
 * pair. Judged by the product's own functions (results/sequential.h, results/suite.h), with its
 * rules of leaving: nobody leaves before the suite is decided, then each cell when it is.
 */
#ifndef DETECTION_GATE_REPLAY_H
#define DETECTION_GATE_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "pair-table.h"
#include "results/sequential.h"

#define FL_REPLAY_BLOCK 10 /* rounds */

struct fl_gate_condition {
    double tolerance, detect; /* percent */
    double slower;            /* percent, of the slowed cells */
    size_t slowed;            /* how many: all, or drawn (one: each in turn) */
    double budget;            /* seconds */
    bool as_recorded;         /* no labels are drawn: what favours a side stays in */
};

struct fl_gate_outcome {
    struct fl_sequential *cells; /* the caller's, one for each cell of the table */
    bool *slowed;                /* the same */
    struct fl_sequential suite;
    double seconds;
    size_t rounds; /* of the cells that stayed longest */
};

struct fl_gate_replay;

int fl_gate_replay_new(const struct fl_pair_table *table,
                       struct fl_gate_replay **out) FL_MUST_CHECK;
void fl_gate_replay_free(struct fl_gate_replay *replay);

/* Gate `number` of a condition: the same numbers and seed, the same gate. 0 or -ENOMEM. */
int fl_gate_replay_run(struct fl_gate_replay *replay, const struct fl_gate_condition *condition,
                       uint64_t seed, size_t number, struct fl_gate_outcome *out) FL_MUST_CHECK;

#endif
