/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Environment: the variables that one cell's worker is started with.
 *
 * Everything that moves a malloc, a BLAS or an OpenMP runtime is dropped from what was inherited;
 * then the malloc's own settings, the library's and the runtime's thread counts and wait policy,
 * and the preloads are added: the probe in front (it must see what the malloc behind it gets), the
 * malloc behind, then the OpenMP runtime.
 */
#ifndef FL_WORKER_ENVIRONMENT_H
#define FL_WORKER_ENVIRONMENT_H

#include <limits.h>
#include <stddef.h>

#include "faultline/cell.h"
#include "faultline/error.h"
#include "runner/scenario.h"
#include "runner/thread-plan.h"

struct fl_worker_environment {
    char **variables; /* NULL-terminated, for exec */
    size_t count;
    char library[PATH_MAX]; /* file behind the cell's library; "" for our own kernels */
};

/*
 * `probe`: library to preload for counting, NULL for a timed sample. 0; -ENOTSUP: the malloc, the
 * runtime or the library cannot be had here, with the reason and the cure; -ENOENT: unknown
 * library; -ENOMEM.
 */
int fl_worker_environment_make(const struct fl_scenario *scenario, const struct fl_cell *cell,
                               const struct fl_thread_plan *threads, const char *probe,
                               struct fl_worker_environment *environment,
                               struct fl_err *err) FL_MUST_CHECK;

/*
 * Makes the environment that many bytes longer, which moves the stack of the worker: where it lies
 * can speed a call up or slow it down. On failure it is released. 0 or -ENOMEM.
 */
int fl_worker_environment_pad(struct fl_worker_environment *environment, size_t bytes,
                              struct fl_err *err) FL_MUST_CHECK;

void fl_worker_environment_release(struct fl_worker_environment *environment);

#endif
