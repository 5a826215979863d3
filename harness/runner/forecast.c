/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/forecast.h"

/* Start, set-up, check and end of a worker, and its transaction. A counting sample has the probe
 * and the tracer to load as well. */
#define PROCESS  0.005
#define COUNTING 0.020

double fl_forecast_seconds(const struct fl_scenario *scenario, size_t cells)
{
    double timed = (scenario->settle + scenario->window + PROCESS) * scenario->rounds;
    return (double)cells * (timed + COUNTING * scenario->counting_rounds);
}
