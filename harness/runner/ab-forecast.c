/* SPDX-License-Identifier: Apache-2.0 */
/* What an earlier calibration knows about the pairs of a run. */
#include "runner/ab-forecast.h"

#include <math.h>
#include <stdio.h>

static const struct fl_calibration_cell *calibrated(const struct fl_ab *ab,
                                                    const struct fl_ab_cell *cell)
{
    const char *whole = ab->campaigns[FL_AB_BASE].plan.keys[cell->place[FL_AB_BASE]];
    const struct fl_calibration_cell *found = fl_calibration_cell(&ab->calibration, whole);
    return found ? found : fl_calibration_cell(&ab->calibration, cell->key);
}

static int find(struct fl_ab *ab, struct fl_err *err)
{
    const struct fl_scenario *scenario = ab->request->scenarios[FL_AB_BASE];
    const struct fl_run_description *description = &ab->descriptions[FL_AB_BASE];
    const struct fl_calibration_wanted wanted = {
        .scenario = scenario->name,
        .fingerprint = description->fingerprint_text,
        .host = description->host,
        .settle_ns = fl_run_nanoseconds(scenario->settle),
        .window_ns = fl_run_nanoseconds(scenario->window),
    };
    return fl_calibration_find(ab->store, &wanted, &ab->calibration, err);
}

static void tell(const struct fl_ab *ab, size_t raised, double most)
{
    char text[160];
    const struct fl_progress *progress = &ab->request->progress->common;
    snprintf(text, sizeof text,
             "calibration %lld found a bias of up to %.2f %%: the tolerance of %zu cells is raised "
             "to it",
             (long long)ab->calibration.pairing, most, raised);
    progress->note(progress->arg, text);
}

/* `detect` stays what was asked for while it can: above the tolerance. Else it goes up by as much.
 */
static bool raise_to(struct fl_ab_cell *cell, double bias)
{
    if (bias <= cell->tolerance)
        return false;
    if (bias >= cell->detect)
        cell->detect += bias - cell->tolerance;
    cell->tolerance = bias;
    return true;
}

int fl_ab_limit(struct fl_ab *ab, struct fl_err *err)
{
    const struct fl_scenario_gate *gate = &ab->request->scenarios[FL_AB_BASE]->gate;
    size_t raised = 0;
    double most = 0;
    int rc = ab->request->purpose == FL_PAIRING_AB ? find(ab, err) : 0;
    if (rc)
        return rc;
    for (size_t i = 0; i < ab->count; i++) {
        struct fl_ab_cell *cell = &ab->cells[i];
        struct fl_gate_limits limits;
        fl_scenario_gate_limits(gate, cell->key, NULL, &limits);
        cell->tolerance = limits.tolerance;
        cell->detect = limits.detect;
        const struct fl_calibration_cell *known = calibrated(ab, cell);
        if (!known || !raise_to(cell, known->bias))
            continue;
        raised++;
        most = fmax(most, known->bias);
    }
    if (raised)
        tell(ab, raised, most);
    return 0;
}

void fl_ab_predict(const struct fl_ab *ab, struct fl_ab_forecast *out)
{
    const struct fl_scenario *scenario = ab->request->scenarios[FL_AB_BASE];
    double pair = fl_calibration_pair_seconds(scenario->settle, scenario->window), rounds = 0;
    *out = (struct fl_ab_forecast){.cells = 0};
    for (size_t i = 0; ab->timed && i < ab->count; i++) {
        const struct fl_ab_cell *cell = &ab->cells[i];
        const struct fl_calibration_cell *known = calibrated(ab, cell);
        if (fl_ab_is_closed(ab, cell))
            continue;
        out->cells++;
        out->calibrated += known != NULL;
        rounds += 1; /* the pilots */
        rounds += ab->request->rounds ? (double)ab->request->rounds
                  : known             ? (double)fl_calibration_rounds(known->spread, cell->detect)
                                      : (double)FL_SEQUENTIAL_FIRST;
    }
    out->seconds = rounds * pair;
}
