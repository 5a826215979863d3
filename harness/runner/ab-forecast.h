/* SPDX-License-Identifier: Apache-2.0 */
/* Forecast: how long an A/B run will take, and the limits that a calibration leaves it. */
#ifndef FL_AB_FORECAST_H
#define FL_AB_FORECAST_H

#include "runner/ab-state.h"

/*
 * Finds the calibration that holds here, and gives every pair its limits: those of the gate, the
 * tolerance never below the bias that was found for its cell; says so where that changes one. As
 * the store.
 */
int fl_ab_limit(struct fl_ab *ab, struct fl_err *err) FL_MUST_CHECK;

void fl_ab_predict(const struct fl_ab *ab, struct fl_ab_forecast *out);

#endif
