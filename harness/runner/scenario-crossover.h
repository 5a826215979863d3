/* SPDX-License-Identifier: Apache-2.0 */
/*
 * [crossover]: where along one factor another of two levels becomes the faster one.
 *
 *   search    = n                   factor along which it is sought, a number
 *   from, to  = 1000, 8000000       between which levels
 *   compare   = rule                factor of the two levels
 *   levels    = one, all            the faster one at `from`, and at `to`
 *   predictor = calibrated          optional: level of `compare` whose samples predict it ...
 *   predicted = crossover-bytes     ... in this fact, in bytes of the kernel's traffic
 */
#ifndef FL_SCENARIO_CROSSOVER_H
#define FL_SCENARIO_CROSSOVER_H

#include "faultline/error.h"
#include "faultline/factor.h"

#define FL_CROSSOVER_STEP 1.05 /* neighbouring levels of the search differ by this at most */

/* search "": the scenario has none. */
struct fl_scenario_crossover {
    char search[64], compare[64];
    char levels[2][FL_LEVEL_MAX];
    char predictor[FL_LEVEL_MAX], predicted[64];
    double from, to;
};

/* One key of the section. 0, or -EINVAL with the reason. */
int fl_crossover_take(struct fl_scenario_crossover *crossover, const char *key, const char *value,
                      struct fl_err *err) FL_MUST_CHECK;

/* Whether what was taken is whole; nothing at all is, too. 0, or -EINVAL. */
int fl_crossover_finish(const struct fl_scenario_crossover *crossover,
                        struct fl_err *err) FL_MUST_CHECK;

/* Levels of the search, from 0 (`from`) to this number (`to`). */
int fl_crossover_steps(const struct fl_scenario_crossover *crossover);

/* The whole number at a step, as text. */
void fl_crossover_level(const struct fl_scenario_crossover *crossover, int step, char *out,
                        size_t size);

#endif
