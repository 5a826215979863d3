/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the crossover by fixed-point steps. */
#include "calibration.h"

#include <math.h>

#define STEPS      5
#define SLOW       2e-3   /* seconds of a wake from which on one step must do */
#define FIRST_RATE 20e9   /* bytes per second, to begin with */
#define LEAST      0x1p12 /* bytes: less than that is a call's own overhead */
#define CLOSE      1.1    /* this near to the crossover it is found */
#define REASON     4
#define ELSEWHERE  1.5 /* this far from it a call is measured by itself */

double fl_crossover(double wake, double bandwidth, double speedup)
{
    return speedup > 1 ? wake * bandwidth * speedup / (speedup - 1) : (double)INFINITY;
}

/* Bandwidth, speed-up and the crossover that follows, of one working set. */
static int measure(const struct fl_calibration_probe *probe, double *bytes,
                   struct fl_calibration *out)
{
    double one = 0, all = 0;
    int rc = probe->call(probe->arg, bytes, &one, &all);

    if (rc)
        return rc;
    /* A team may be faster than its threads are many, as their caches add up; beyond all reason it
     * is a wake that was cheaper this time. */
    const double work = fmax(all - out->wake, one / (REASON * probe->threads));

    out->bandwidth = *bytes / one;
    out->speedup = one / work;
    out->crossover = fl_crossover(out->wake, out->bandwidth, out->speedup);
    return 0;
}

static double within(double bytes, double largest)
{
    return fmin(fmax(bytes, LEAST), fmax(largest, LEAST));
}

/* Where the team is no faster at one size it may still be at a larger one. */
static double next_size(const struct fl_calibration *c, double bytes)
{
    return isinf(c->crossover) ? 4 * bytes : c->crossover;
}

static int find_crossover(const struct fl_calibration_probe *probe, struct fl_calibration *out,
                          double *measured)
{
    double bytes = within(2 * out->wake * FIRST_RATE, probe->largest);

    for (int step = out->wake > SLOW ? STEPS - 1 : 0; step < STEPS; step++) {
        int rc = measure(probe, &bytes, out);

        if (rc)
            return rc;
        *measured = bytes;
        const double next = within(next_size(out, bytes), probe->largest);

        if (next < bytes * CLOSE && bytes < next * CLOSE)
            break;
        bytes = next;
    }
    return 0;
}

int fl_calibrate(const struct fl_calibration_probe *probe, double bytes, struct fl_calibration *out)
{
    double measured = 0;
    int rc;

    *out = (struct fl_calibration){0};
    if (probe->threads < 2) {
        out->crossover = (double)INFINITY;
        return 0;
    }
    rc = probe->wake(probe->arg, &out->wake);
    if (!rc)
        rc = find_crossover(probe, out, &measured);
    if (rc)
        return rc;
    out->shares = bytes >= out->crossover;

    const bool too_short = bytes <= out->wake * out->bandwidth;
    const bool elsewhere = bytes > measured * ELSEWHERE || measured > bytes * ELSEWHERE;

    if (too_short || !elsewhere)
        return 0;
    struct fl_calibration own = *out;

    rc = measure(probe, &bytes, &own);
    out->shares = bytes >= own.crossover;
    return rc;
}
