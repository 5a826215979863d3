/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hogs: busy processes beside a sample, as other people's work on the machine.
 *
 * Each computes for ever on one processor of the sample's, in turn. They are known to be busy when
 * fl_hogs_start() returns, and dead and reaped when fl_hogs_stop() does; they die with this
 * process.
 */
#ifndef FL_HOGS_H
#define FL_HOGS_H

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

#include "runner/thread-plan.h"

#define FL_HOGS_MAX 64

struct fl_hogs {
    pid_t pids[FL_HOGS_MAX];
    size_t count;
};

/* How many, and where. */
struct fl_hog_plan {
    const char *worker; /* path of faultline-worker */
    size_t count;       /* 0 to FL_HOGS_MAX */
    const struct fl_topology *topology;
    const struct fl_thread_plan *threads; /* of the sample */
    const volatile sig_atomic_t *stop;    /* non-zero: give up; NULL: never */
};

/* 0; -EINTR: stopped; -errno: one could not be started or did not come to work. Then none is left.
 */
int fl_hogs_start(struct fl_hogs *hogs, const struct fl_hog_plan *plan,
                  struct fl_err *err) FL_MUST_CHECK;

/* False where one had ended or was stopped before: then the sample had fewer beside it. */
bool fl_hogs_stop(struct fl_hogs *hogs);

#endif
