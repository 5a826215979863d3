/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registry: the only place that knows which parts were built in.
 *
 * Its tables are generated from the fl_add_part() lines of the build, in their order. Everything is
 * constant: thread-safe, no allocation.
 */
#ifndef FAULTLINE_REGISTRY_H
#define FAULTLINE_REGISTRY_H

#include "faultline/barrier.h"
#include "faultline/cell.h"
#include "faultline/counter.h"
#include "faultline/kernel.h"
#include "faultline/malloc.h"
#include "faultline/plugin-file.h"
#include "faultline/team.h"
#include "faultline/wait.h"
#include "faultline/workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NULL-terminated lists of all parts of a kind. */
const struct fl_kernel_ops *const *fl_registry_kernels(void);
const struct fl_workspace_ops *const *fl_registry_workspaces(void);
const struct fl_counter_ops *const *fl_registry_counters(void);
const struct fl_barrier_ops *const *fl_registry_barriers(void);
const struct fl_wait_ops *const *fl_registry_waits(void);
const struct fl_team_ops *const *fl_registry_teams(void);
/* The same barriers in the same order, with their atomic read-modify-writes counted. */
const struct fl_barrier_ops *const *fl_registry_counting_barriers(void);

/* By the name in front of the first ':' of a level (`size-class:limit=1M`); NULL: no such part. */
const struct fl_workspace_ops *fl_registry_workspace(const char *level);
const struct fl_counter_ops *fl_registry_counter(const char *name);
const struct fl_barrier_ops *fl_registry_barrier(const char *level);
const struct fl_barrier_ops *fl_registry_counting_barrier(const char *level);
const struct fl_wait_ops *fl_registry_wait(const char *level);
const struct fl_team_ops *fl_registry_team(const char *level);

/* What stands behind the first ':' of a level; "" where there is none. */
const char *fl_registry_options(const char *level);

#define FL_OWN_LIBRARY "faultline" /* level of `library` that stands for our own kernels */

/* Forms of the factor `omp-wait` that carry a number: spins of libgomp, and libomp's time. */
#define FL_OMP_SPINCOUNT "spincount:"
#define FL_OMP_BLOCKTIME "blocktime:"

/*
 * The kernel part that a (kernel, library) pair names: `dgemm` with library `faultline` is ours;
 * `blas:dgemm_`, and `dgemm` with another library, is the part `foreign-gemm`, which calls the
 * symbol of a shared library. NULL: no such kernel.
 */
const struct fl_kernel_ops *fl_registry_kernel(const char *kernel, const char *library);

/* Every factor that some cell can have, NULL-terminated: those of the harness, then the kernels'.
 */
const struct fl_factor *const *fl_registry_factors(void);
/* By name; where several kernels define a factor of that name, the first. NULL: none. */
const struct fl_factor *fl_registry_factor(const char *name);

/*
 * Is the level legal for some kernel's factor of that name? 0, or -EINVAL: unknown factor, or the
 * reason of the first factor of that name; the nearest spelling is in it.
 */
int fl_registry_check_level(const char *factor, const char *level,
                            struct fl_err *err) FL_MUST_CHECK;

/*
 * The metric of that name and the counter that serves it. 0; -ENOENT where there is none, naming
 * the nearest. `time`, `gflops` and the other derived metrics belong to no counter: *counter =
 * NULL.
 */
int fl_registry_metric(const char *name, struct fl_metric *metric,
                       const struct fl_counter_ops **counter, struct fl_err *err) FL_MUST_CHECK;

/* Metrics that belong to no counter (time, gflops, ...), ended by a row without a name. */
const struct fl_metric *fl_registry_derived_metrics(void);

/*
 * Loads a plug-in (faultline/plugin-file.h) and adds its kernels to the list. At the start of a
 * program, before there are threads and before anybody holds fl_registry_kernels(). 0; errors of
 * loading; -EINVAL: a kernel of it is unsound; -EEXIST: there is a kernel of that name; -E2BIG. On
 * failure nothing was added.
 */
int fl_registry_add_plugin(const char *path, struct fl_err *err) FL_MUST_CHECK;

/* Plug-ins in the order in which they were added; NULL from the end on. */
const struct fl_plugin_file *fl_registry_plugin(size_t index);

/* The plug-in that a kernel came from; NULL: it is built in. */
const struct fl_plugin_file *fl_registry_plugin_of(const struct fl_kernel_ops *kernel);

/* Checks every table (ABI, names, required slots, legal fallbacks). 0, or -EINVAL naming the part.
 */
int fl_registry_check(struct fl_err *err) FL_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
