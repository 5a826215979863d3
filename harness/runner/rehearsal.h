/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rehearsal: code of others, tried in a forked child before this process runs it. A crash, an
 * exit, a hang and whatever it prints stay in the child.
 */
#ifndef FL_REHEARSAL_H
#define FL_REHEARSAL_H

#include "faultline/error.h"

#define FL_REHEARSAL_SECONDS 5.0   /* for what should take a moment */
#define FL_PLANNING_SECONDS  120.0 /* for a scenario of many cells */

/* Shared with the child. */
struct fl_rehearsal {
    char stage[128]; /* what the code is at, set by the body: `in its constructors` */
    struct fl_err err;
    int rc;
    int done;
};

typedef int (*fl_rehearsal_fn)(void *arg, struct fl_rehearsal *rehearsal, struct fl_err *err);

/*
 * Calls body(arg) in a child, whose output goes nowhere. Its result and what it wrote to `err`, or
 * -EIO: it did not come back within `seconds`, and the reason says how it ended and at which stage;
 * -errno: no child could be made. Changes of the body's are lost. Only while there is one thread.
 */
int fl_rehearse(fl_rehearsal_fn body, void *arg, double seconds, struct fl_err *err) FL_MUST_CHECK;

#endif
