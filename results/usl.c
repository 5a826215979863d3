/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fit. In a = 1/gamma, b = alpha/gamma, c = beta/gamma the law is N / (a + b u + c v) with
 * u = N - 1 and v = N (N - 1): three parameters that are at least 0, no scale of their own, and
 * limits that are ordinary points. A grid over b/a and c/a, where a follows in closed form, finds
 * the valley; Levenberg-Marquardt steps, projected onto the bounds, find its floor. Throughputs are
 * divided by the greatest, u and v by their greatest, so that units and sizes do not matter.
 *
 * Why not a library: the least squares of GSL, the one that Debian has for C, know no bounds, and
 * without them noisy points give negative alpha or beta. The bounds would be ours to add, and
 * another required dependency would buy the 3 x 3 steps below.
 */
#include "results/usl.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { A, B, C, PARAMETERS };
enum { STEPS = 1000 };

/* The grid: 0, then four ratios a decade. Ratios to a are of effects at the most threads, so the
 * upper end is a beta of 1 at 100000 threads. */
enum { GRID_PER_DECADE = 4, GRID_LOW = -4, GRID_HIGH = 10 };
enum { GRID = GRID_PER_DECADE * (GRID_HIGH - GRID_LOW) + 2 };

struct problem {
    const struct fl_usl_point *points;
    size_t count;
    double top, most; /* greatest throughput and number of threads */
};

/* The sum of squares at q, with its Gauss-Newton equations: normal x step = slope. */
struct equations {
    double sum;
    double normal[PARAMETERS][PARAMETERS], slope[PARAMETERS];
};

/* ---- points ---- */

static size_t count_distinct(const struct fl_usl_point *points, size_t count)
{
    size_t distinct = 0;

    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < i && points[k].threads != points[i].threads)
            k++;
        distinct += k == i;
    }
    return distinct;
}

static int check_points(const struct fl_usl_point *points, size_t count, size_t *distinct,
                        struct fl_err *err)
{
    if (count > FL_USL_POINTS)
        return fl_fail(err, -EINVAL, "%zu points are more than the %d of one fit", count,
                       FL_USL_POINTS);
    for (size_t i = 0; i < count; i++) {
        double threads = points[i].threads, throughput = points[i].throughput;
        if (!(threads >= 1 && threads <= FL_USL_THREADS))
            return fl_fail(err, -EINVAL, "%g threads: accepted are 1 to %d", threads,
                           FL_USL_THREADS);
        if (!isfinite(throughput) || throughput <= 0)
            return fl_fail(err, -EINVAL, "a throughput of %g at %g threads: it must be above 0",
                           throughput, threads);
    }
    *distinct = count_distinct(points, count);
    if (*distinct < PARAMETERS)
        return fl_fail(err, -EINVAL,
                       "three parameters take 3 or more different numbers of threads, and there %s "
                       "%zu",
                       *distinct == 1 ? "is" : "are", *distinct);
    return 0;
}

/* Row of the linear denominator: what a, b and c are multiplied with. */
static void effects(const struct problem *p, size_t i, double out[PARAMETERS])
{
    double threads = p->points[i].threads;

    out[A] = 1;
    out[B] = (threads - 1) / (p->most - 1);
    out[C] = out[B] * threads / p->most;
}

static double denominator(const double row[PARAMETERS], const double q[PARAMETERS])
{
    return q[A] * row[A] + q[B] * row[B] + q[C] * row[C];
}

/* ---- the valley ---- */

static double grid_ratio(int step)
{
    return step ? pow(10, GRID_LOW + (step - 1) / (double)GRID_PER_DECADE) : 0;
}

/* For q up to a factor: the factor with the least sum of squares, applied; and that sum. */
static double scale_best(const struct problem *p, double q[PARAMETERS])
{
    double xf = 0, ff = 0, xx = 0, row[PARAMETERS];

    for (size_t i = 0; i < p->count; i++) {
        effects(p, i, row);
        double x = p->points[i].throughput / p->top;
        double f = p->points[i].threads / denominator(row, q);
        xf += x * f;
        ff += f * f;
        xx += x * x;
    }
    for (int k = 0; k < PARAMETERS; k++)
        q[k] *= ff / xf;
    return xx - xf * xf / ff;
}

/* The best place of the grid, its edges, which are the bounds, included. */
static void find_valley(const struct problem *p, double best[PARAMETERS])
{
    double least = HUGE_VAL;

    for (int i = 0; i < GRID; i++)
        for (int k = 0; k < GRID; k++) {
            double q[PARAMETERS] = {1, grid_ratio(i), grid_ratio(k)};
            double sum = scale_best(p, q);
            if (!(sum < least))
                continue;
            least = sum;
            memcpy(best, q, sizeof(q));
        }
}

/* ---- its floor ---- */

static void evaluate(const struct problem *p, const double q[PARAMETERS], struct equations *out)
{
    double row[PARAMETERS];

    *out = (struct equations){.sum = 0};
    for (size_t i = 0; i < p->count; i++) {
        effects(p, i, row);
        double below = denominator(row, q), f = p->points[i].threads / below;
        double residual = p->points[i].throughput / p->top - f;
        out->sum += residual * residual;
        for (int k = 0; k < PARAMETERS; k++) {
            row[k] *= -f / below;
            out->slope[k] += residual * row[k];
            for (int j = 0; j <= k; j++)
                out->normal[k][j] += row[k] * row[j];
        }
    }
}

/* normal x step = slope, damped; parameters held at their bound do not step. By Cholesky, after
 * scaling the diagonal to 1. False: no step to be had. */
static bool solve(const struct equations *e, const bool held[PARAMETERS], double damping,
                  double step[PARAMETERS])
{
    double l[PARAMETERS][PARAMETERS], scale[PARAMETERS];

    for (int k = 0; k < PARAMETERS; k++) {
        scale[k] = held[k] || !(e->normal[k][k] > 0) ? 0 : 1 / sqrt(e->normal[k][k]);
        for (int j = 0; j <= k; j++) {
            double sum = k == j ? 1 + damping : e->normal[k][j] * scale[k] * scale[j];
            for (int i = 0; i < j; i++)
                sum -= l[k][i] * l[j][i];
            l[k][j] = k == j ? sqrt(sum) : sum / l[j][j];
        }
        if (!(l[k][k] > 0))
            return false;
    }
    for (int k = 0; k < PARAMETERS; k++) {
        step[k] = e->slope[k] * scale[k];
        for (int i = 0; i < k; i++)
            step[k] -= l[k][i] * step[i];
        step[k] /= l[k][k];
    }
    for (int k = PARAMETERS - 1; k >= 0; k--) {
        for (int i = k + 1; i < PARAMETERS; i++)
            step[k] -= l[i][k] * step[i];
        step[k] /= l[k][k];
    }
    for (int k = 0; k < PARAMETERS; k++)
        step[k] *= scale[k];
    return true;
}

/* One step to a smaller sum, with the least damping that gives one. False: q is the floor. */
static bool descend(const struct problem *p, double q[PARAMETERS], struct equations *e,
                    double *damping)
{
    bool held[PARAMETERS];

    for (int k = 0; k < PARAMETERS; k++)
        held[k] = q[k] == 0 && e->slope[k] <= 0;
    while (*damping < 1e12) {
        double step[PARAMETERS], next[PARAMETERS];
        struct equations there = {.sum = HUGE_VAL};
        if (solve(e, held, *damping, step)) {
            for (int k = 0; k < PARAMETERS; k++)
                next[k] = fmax(q[k] + step[k], 0);
            evaluate(p, next, &there);
        }
        if (there.sum < e->sum) {
            memcpy(q, next, sizeof(next));
            *e = there;
            *damping = fmax(*damping / 8, 1e-12);
            return true;
        }
        *damping *= 8;
    }
    return false;
}

static void find_floor(const struct problem *p, double q[PARAMETERS])
{
    struct equations e;
    double damping = 1e-3;

    evaluate(p, q, &e);
    for (int i = 0; i < STEPS && descend(p, q, &e, &damping); i++)
        continue;
}

/* Where a is nothing beside the rest even at the fewest threads, gamma has no upper bound. */
static bool shows_gamma(const struct problem *p, const double q[PARAMETERS])
{
    size_t fewest = 0;
    double row[PARAMETERS];

    for (size_t i = 1; i < p->count; i++)
        if (p->points[i].threads < p->points[fewest].threads)
            fewest = i;
    effects(p, fewest, row);
    return q[A] > 1e-6 * denominator(row, q);
}

/* ---- what it says ---- */

double fl_usl_throughput(const struct fl_usl_fit *fit, double threads)
{
    double others = threads - 1;

    return fit->gamma * threads / (1 + fit->alpha * others + fit->beta * threads * others);
}

/* X rises up to sqrt((1 - alpha) / beta), which is a number of threads only from 1 on. */
static void find_peak(struct fl_usl_fit *fit)
{
    if (fit->alpha + fit->beta >= 1)
        fit->peak_threads = 1;
    else
        fit->peak_threads = fit->beta > 0 ? sqrt((1 - fit->alpha) / fit->beta) : HUGE_VAL;
    fit->peak_throughput = isfinite(fit->peak_threads) ? fl_usl_throughput(fit, fit->peak_threads)
                                                       : fit->gamma / fit->alpha;
}

/* In units of the greatest throughput, so that squares stay in range. */
static void judge(const struct problem *p, struct fl_usl_fit *fit)
{
    double mean = 0, spread = 0, sum = 0, level = 0;

    for (size_t i = 0; i < p->count; i++)
        mean += p->points[i].throughput / p->top / (double)p->count;
    for (size_t i = 0; i < p->count; i++) {
        double x = p->points[i].throughput / p->top;
        double residual = x - fl_usl_throughput(fit, p->points[i].threads) / p->top;
        sum += residual * residual;
        spread += (x - mean) * (x - mean);
        level += x * x;
    }
    fit->rms = p->top * sqrt(sum / (double)p->count);
    /* Equal throughputs: nothing to explain, and rounding in both sums. */
    fit->r_squared = spread > level * 1e-24 ? 1 - sum / spread : sum <= level * 1e-18 ? 1 : 0;
}

int fl_usl_fit(const struct fl_usl_point *points, size_t count, struct fl_usl_fit *out,
               struct fl_err *err)
{
    struct problem p = {.points = points, .count = count};
    double q[PARAMETERS] = {0};
    size_t distinct = 0;
    int rc = check_points(points, count, &distinct, err);

    if (rc)
        return rc;
    for (size_t i = 0; i < count; i++) {
        p.top = fmax(p.top, points[i].throughput);
        p.most = fmax(p.most, points[i].threads);
    }
    find_valley(&p, q);
    find_floor(&p, q);
    *out = (struct fl_usl_fit){
        .gamma = p.top / q[A],
        .alpha = q[B] / q[A] / (p.most - 1),
        .beta = q[C] / q[A] / (p.most - 1) / p.most,
        .distinct = distinct,
    };
    if (!isfinite(out->gamma) || !shows_gamma(&p, q))
        return fl_fail(err, -EINVAL,
                       "the points leave open how fast one thread is: measure at fewer threads");
    find_peak(out);
    judge(&p, out);
    return 0;
}
