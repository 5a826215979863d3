/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the crossover by halving. */
#include "calibration.h"

#include <math.h>

#define STEPS      10
#define SLOW       2e-3   /* seconds of a wake from which on two steps must do */
#define FIRST_RATE 20e9   /* bytes per second, to begin with */
#define LEAST      0x1p12 /* bytes: less than that is a call's own overhead */
#define STRIDE     2.0    /* between sizes while only one side of the crossover is known */
#define CLOSE      1.1    /* this near to the crossover it is found */
#define REASON     4

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

/* Sizes at which one thread, and the team, were found to be the faster; 0 and infinite: none yet.
 */
struct bracket {
    double one, team;
};

/* Where next: between the two sides, or on to the side that is not known yet. */
static double next_size(const struct bracket *b)
{
    if (isinf(b->team))
        return b->one * STRIDE;
    return b->one > 0 ? sqrt(b->one * b->team) : b->team / STRIDE;
}

static bool is_narrow(const struct bracket *b)
{
    return b->team <= b->one * CLOSE;
}

/*
 * At the crossover the formula gives the very size that was measured: at a smaller one it gives
 * more, at a larger one less, since to give less is to say that the team is faster here. So the
 * sign leads there by halving, whatever the slope, which is steep where one thread's operands leave
 * its cache and the halves of a team still fit; following the formula's own value from step to step
 * runs off there.
 */
static int find_crossover(const struct fl_calibration_probe *probe, struct fl_calibration *out,
                          double *measured)
{
    struct bracket bracket = {0, (double)INFINITY};
    double bytes = within(2 * out->wake * FIRST_RATE, probe->largest);

    for (int step = out->wake > SLOW ? STEPS - 2 : 0; step < STEPS; step++) {
        int rc = measure(probe, &bytes, out);

        if (rc)
            return rc;
        *measured = bytes;
        *(out->crossover <= bytes ? &bracket.team : &bracket.one) = bytes;
        const double next = within(next_size(&bracket), probe->largest);

        /* Narrow, or at an end of what can be measured. */
        if (is_narrow(&bracket) || fabs(next - bytes) < bytes * (CLOSE - 1) / 2)
            break;
        bytes = next;
    }
    /* The last size is one of the bracket's; where the formula says more than the other knows, the
     * middle is as good a guess as any. */
    if (bracket.one > 0 && !isinf(bracket.team) &&
        !(out->crossover >= bracket.one && out->crossover <= bracket.team))
        out->crossover = sqrt(bracket.one * bracket.team);
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

    /* The last size measured may be the call's own; so short a call no speed-up can pay for. */
    if (bytes == measured || bytes <= out->wake * out->bandwidth)
        return 0;
    struct fl_calibration own = *out;

    rc = measure(probe, &bytes, &own);
    out->shares = bytes >= own.crossover;
    return rc;
}
