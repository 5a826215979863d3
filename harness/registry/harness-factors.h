/* SPDX-License-Identifier: Apache-2.0 */
/* The factors that every cell can have, whatever its kernel. Constant, thread-safe. */
#ifndef FL_HARNESS_FACTORS_H
#define FL_HARNESS_FACTORS_H

#include "faultline/kernel.h"

extern const struct fl_factor fl_factor_kernel;
extern const struct fl_factor fl_factor_library;
extern const struct fl_factor fl_factor_workspace;
extern const struct fl_factor fl_factor_malloc;

/* threads, team, barrier, wait, pin, gap: of kernels with FL_USES_TEAM. NULL-terminated. */
extern const struct fl_factor *const fl_team_factors[];
extern const struct fl_factor fl_factor_team;
extern const struct fl_factor fl_factor_barrier;
extern const struct fl_factor fl_factor_wait;

/* omp-runtime, omp-wait: where threads of an OpenMP runtime may be at work. NULL-terminated. */
extern const struct fl_factor *const fl_openmp_factors[];
extern const struct fl_factor fl_factor_library_threads; /* of kernels in a library */
extern const struct fl_factor fl_factor_hogs;

/* history, heap-offset, thp, caller, hogs, inject: NULL-terminated. */
extern const struct fl_factor *const fl_process_factors[];

/* Kernels of a plug-in came along, NULL-terminated: their factors are listed from now on. 0;
 * -E2BIG: none is. */
int fl_factor_list_add(const struct fl_kernel_ops *const *kernels,
                       struct fl_err *err) FL_MUST_CHECK;

/* -EINVAL with the reason that `name` is no factor, and the nearest one. */
int fl_unknown_factor(const char *name, struct fl_err *err);

/* -EINVAL: `level` is no `kind`; the NULL-terminated `names` are, and which of them is nearest. */
int fl_unknown_level(const char *kind, const char *level, const char *const *names,
                     struct fl_err *err);

#endif
