/* SPDX-License-Identifier: Apache-2.0 */
/* Forecast: how long a run takes at least, before it starts. */
#ifndef FL_FORECAST_H
#define FL_FORECAST_H

#include <stddef.h>

#include "runner/scenario.h"

/*
 * Seconds for that many cells: settling and windows of the timed samples, and what a process costs
 * beside them. Calls that take longer than the window, gaps, checks and counting samples of long
 * calls come on top.
 */
double fl_forecast_seconds(const struct fl_scenario *scenario, size_t cells);

#endif
