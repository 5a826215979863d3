/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calibration: from how many bytes on a team pays, of what a machine measures of itself.
 *
 * One thread needs bytes / bandwidth for a call; a team needs a wake, which an empty region costs
 * too, and then 1 / speedup of that. They meet at
 *
 *   crossover = wake * bandwidth * speedup / (speedup - 1)
 *
 * Bandwidth and speed-up depend on which cache the operands lie in, so both are measured at the
 * crossover itself, which halving finds: the formula says at each size on which side of it it lies.
 * What cannot be told from there is a call of another size: where it lies in another cache the
 * formula holds with that one's bandwidth and speed-up, so a call that is long enough for any
 * speed-up to pay is measured at its own size.
 */
#ifndef FAULTLINE_KERNELS_CALIBRATION_H
#define FAULTLINE_KERNELS_CALIBRATION_H

#include <stdbool.h>

#include "faultline/error.h"

/* The machine as calibration sees it. Times in seconds; 0 or -errno. */
struct fl_calibration_probe {
    /* One empty region of the team. */
    int (*wake)(void *arg, double *seconds);
    /* One call of about `bytes` by one thread and by the team; what it was in *bytes. */
    int (*call)(void *arg, double *bytes, double *one, double *all);
    void *arg;
    double largest;   /* most bytes that call() can be asked for */
    unsigned threads; /* of the team */
};

struct fl_calibration {
    double wake;      /* seconds */
    double bandwidth; /* of one thread at the crossover, bytes per second */
    double speedup;   /* of the team there, its wake left out */
    double crossover; /* bytes; infinite: the team never pays */
    bool shares;      /* the call in question is worth a team */
};

/* The formula; infinite where the team is no faster. */
double fl_crossover(double wake, double bandwidth, double speedup);

/* Calibrates for a call of `bytes`. 0, or what the probe returned. */
int fl_calibrate(const struct fl_calibration_probe *probe, double bytes,
                 struct fl_calibration *out) FL_MUST_CHECK;

#endif
