/* SPDX-License-Identifier: Apache-2.0 */
/* Replay report: tables of the docs, and rows for plots. */
#ifndef DETECTION_REPLAY_REPORT_H
#define DETECTION_REPLAY_REPORT_H

#include <stdio.h>

#include "coverage.h"
#include "replay-tally.h"
#include "unpaired-replay.h"

struct fl_replay_result {
    struct fl_replay_tally gates;
    struct fl_unpaired_tally unpaired;
};

/* What was recorded, and how noisy it is. 0 or -ENOMEM. */
int fl_replay_print_table(const struct fl_pair_table *table, FILE *out) FL_MUST_CHECK;
void fl_replay_print_false(const struct fl_replay_result *results, size_t count, FILE *out);
void fl_replay_print_power(const struct fl_replay_result *results, size_t count, size_t cells,
                           FILE *out);
void fl_replay_print_unpaired(const struct fl_replay_result *results, size_t count, FILE *out);
void fl_replay_print_coverage(const struct fl_coverage *rows, size_t count, FILE *out);
/* One line a condition, named in a first line. */
void fl_replay_print_csv(const struct fl_replay_result *results, size_t count, size_t cells,
                         FILE *out);

#endif
