/* SPDX-License-Identifier: Apache-2.0 */
/* Crossovers: the bisection that a scenario's [crossover] asks for. */
#ifndef FL_RUN_CROSSOVER_H
#define FL_RUN_CROSSOVER_H

#include "runner/campaign.h"

/*
 * Whether every group of planned cells can have both ends of the row and all levels, and there is
 * one; before anything is measured. 0, or -EINVAL with what cannot be.
 */
int fl_crossovers_check(const struct fl_scenario *scenario, const struct fl_plan *plan,
                        struct fl_err *err) FL_MUST_CHECK;

/*
 * For each group of planned cells that differ in the searched and the compared factor only, halves
 * the row of levels until two neighbours are left between which the other level becomes faster. A
 * look at one level is the scenario's rounds of both cells, one right after the other in random
 * order, and its verdict the median of the paired ratios. The cells join the plan, so that a run
 * that was stopped goes on where it was. `faultline crossover` reads the result from the store.
 * 0, -EINTR when stopped, -errno.
 */
int fl_crossovers_measure(struct fl_campaign *campaign, struct fl_err *err) FL_MUST_CHECK;

#endif
