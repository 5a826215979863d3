/* SPDX-License-Identifier: Apache-2.0 */
/* Forecast: how long a run takes at least, before it starts. */
#ifndef FL_FORECAST_H
#define FL_FORECAST_H

#include <stddef.h>

#include "runner/scenario.h"

/*
 * Seconds for that many cells: settling and windows of the timed samples, and what a process costs
 * beside them. Calls that take longer than the window, gaps and counting samples of long calls come
 * on top.
 */
double fl_forecast_seconds(const struct fl_scenario *scenario, size_t cells);

/* `about 40 s`, `about 3 min`, `about 2.5 h`. */
void fl_forecast_text(const struct fl_scenario *scenario, size_t cells, char *out, size_t size);

#endif
