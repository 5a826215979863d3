/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/forecast.h"

#include <stdio.h>

/* Start, set-up, check and end of a worker, and its transaction. A counting sample has the probe
 * and the tracer to load as well. */
#define PROCESS  0.005
#define COUNTING 0.020

double fl_forecast_seconds(const struct fl_scenario *scenario, size_t cells)
{
    double timed = (scenario->settle + scenario->window + PROCESS) * scenario->rounds;
    return (double)cells * (timed + COUNTING * scenario->counting_rounds);
}

void fl_forecast_text(const struct fl_scenario *scenario, size_t cells, char *out, size_t size)
{
    double seconds = fl_forecast_seconds(scenario, cells);
    if (seconds < 100)
        snprintf(out, size, "about %.0f s", seconds < 1 ? 1 : seconds);
    else if (seconds < 6000)
        snprintf(out, size, "about %.0f min", seconds / 60);
    else
        snprintf(out, size, "about %.1f h", seconds / 3600);
}
