/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Universal Scalability Law, fitted to measured points:
 *
 *     X(N) = gamma N / (1 + alpha (N - 1) + beta N (N - 1))
 *
 * X is the throughput of N threads, gamma that of one, alpha the share of work that threads queue
 * for, and beta what each pair of threads costs one another. alpha above 1 is a real finding and is
 * not forbidden: two threads that hand a mutex over can be slower together than one alone, with
 * nothing that grows in pairs.
 *
 * Pure functions: nothing is allocated, the same points always give the same fit. Thread-safe.
 */
#ifndef RESULTS_USL_H
#define RESULTS_USL_H

#include <stddef.h>

#include "faultline/error.h"

#define FL_USL_POINTS  1024    /* most points of one fit */
#define FL_USL_THREADS 1048576 /* most threads of a point */

struct fl_usl_point {
    double threads;    /* 1 to FL_USL_THREADS */
    double throughput; /* finite and above 0; any unit */
};

struct fl_usl_fit {
    double gamma;        /* above 0, in the unit of the throughputs */
    double alpha, beta;  /* at least 0 */
    double peak_threads; /* where X is greatest, 1 or more, not rounded; INFINITY: it only grows */
    double peak_throughput; /* X there, or what X grows towards; INFINITY: no bound */
    /*
     * 1 - (sum of squared residuals) / (sum of squared distances from the mean throughput): 1 for
     * points on the curve, 0 where the mean would do as well, negative where it would do better.
     */
    double r_squared;
    double rms;      /* root of the mean squared residual, in the unit of the throughputs */
    size_t distinct; /* different numbers of threads; 3 leave nothing to judge the fit by */
};

/*
 * The least squares of the throughputs over gamma > 0, alpha >= 0 and beta >= 0. -EINVAL, with the
 * reason: fewer than 3 different numbers of threads, a point out of range, too many points, or
 * points that leave gamma open (none at few threads, and those there are do not scale).
 */
int fl_usl_fit(const struct fl_usl_point *points, size_t count, struct fl_usl_fit *out,
               struct fl_err *err) FL_MUST_CHECK;

/* What the fitted law says for a number of threads. */
double fl_usl_throughput(const struct fl_usl_fit *fit, double threads);

#endif
