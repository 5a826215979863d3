/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recovery: how much of the distance between a slow cell and a reference a variant makes good, by
 * the signed ranks of paired rounds. Pure functions; private to results/.
 */
#ifndef RESULTS_RECOVERY_H
#define RESULTS_RECOVERY_H

#include "results/explanation.h"
#include "results/rounds.h"

/*
 * Centre of log(a / b) over the rounds that have both, with its 95 % interval (NAN below 6 rounds),
 * and the upper bound at a level (INFINITY where the rounds do not suffice). 0, -ENOMEM.
 */
int fl_recovery_ratio(const struct fl_round_row *a, const struct fl_round_row *b, double level,
                      struct fl_range *out, double *bound) FL_MUST_CHECK;

/*
 * The share r of the way from `slow` to `reference` at which `variant` stands: where the centre of
 * log(variant / ((1-r) slow + r reference)) is 0, and the interval of r that the signed-rank test
 * at 5 % does not reject. Looked for between -1 and 3. NAN without rounds that have all three. 0,
 * -ENOMEM.
 */
int fl_recovery_share(const struct fl_round_row *variant, const struct fl_round_row *slow,
                      const struct fl_round_row *reference, struct fl_range *out) FL_MUST_CHECK;

#endif
