/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of what runs beside our own code: OpenMP runtimes, a library's threads, other people. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "faultline/registry.h"
#include "faultline/team.h"
#include "harness-factors.h"

#define SPINS_MAX     30e9 /* what libgomp takes for OMP_WAIT_POLICY=active */
#define BLOCKTIME_MAX 1e5  /* seconds; libomp counts milliseconds in 32 bits */

static const char *const wait_words[] = {"default", "active", "passive", NULL};

static int check_number(const char *level, const char *name, enum fl_factor_type type, double unit,
                        double most, struct fl_err *err)
{
    double value, units;
    const char *text = level + strlen(name);
    if (fl_factor_number(type, text, &value) || value < 0 || value > most)
        return fl_fail(err, -EINVAL, "omp-wait '%.80s': expected %s%s", level, name,
                       type == FL_FACTOR_INT ? "N, N from 0 to 30000000000"
                                             : "TIME, TIME from 0 to 100000s, such as 200ms");
    units = value / unit;
    if (fabs(units - round(units)) > 1e-6)
        return fl_fail(err, -EINVAL, "omp-wait '%.80s': libomp counts whole milliseconds", level);
    return 0;
}

static int check_wait(const char *level, struct fl_err *err)
{
    if (!strncmp(level, FL_OMP_SPINCOUNT, strlen(FL_OMP_SPINCOUNT)))
        return check_number(level, FL_OMP_SPINCOUNT, FL_FACTOR_INT, 1, SPINS_MAX, err);
    if (!strncmp(level, FL_OMP_BLOCKTIME, strlen(FL_OMP_BLOCKTIME)))
        return check_number(level, FL_OMP_BLOCKTIME, FL_FACTOR_TIME, 1e-3, BLOCKTIME_MAX, err);
    const char *const known[] = {
        "default", "active", "passive", FL_OMP_SPINCOUNT "N", FL_OMP_BLOCKTIME "TIME", NULL};
    for (const char *const *word = wait_words; *word; word++)
        if (!strcmp(level, *word))
            return 0;
    return fl_unknown_level("omp-wait", level, known, err);
}

static const char *const runtime_words[] = {"libgomp", "libomp", NULL};
static const struct fl_factor factor_omp_runtime = {
    .name = "omp-runtime",
    .summary = "OpenMP runtime: libgomp (GCC's), or libomp (LLVM's), preloaded",
    .type = FL_FACTOR_WORD,
    .fallback = "libgomp",
    .words = runtime_words,
};

static const struct fl_factor factor_omp_wait = {
    .name = "omp-wait",
    .summary = "how an OpenMP runtime's threads wait: default, active, passive, spincount:N "
               "(libgomp), blocktime:TIME (libomp)",
    .type = FL_FACTOR_TEXT,
    .fallback = "default",
    .check = check_wait,
};

static const char *const threads_words[] = {"nproc", NULL};
const struct fl_factor fl_factor_library_threads = {
    .name = "library-threads",
    .summary = "threads that a library may use in a call; nproc: as many as there are processors",
    .type = FL_FACTOR_INT,
    .fallback = "1",
    .min = 1,
    .max = FL_TEAM_THREADS_MAX,
    .words = threads_words,
};

const struct fl_factor *const fl_openmp_factors[] = {&factor_omp_runtime, &factor_omp_wait, NULL};

const struct fl_factor fl_factor_hogs = {
    .name = "hogs",
    .summary = "busy processes started on the sample's processors: other people's work",
    .type = FL_FACTOR_INT,
    .fallback = "0",
    .min = 0,
    .max = 64,
};
