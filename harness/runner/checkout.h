/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checkout: a revision of the repository that the current folder lies in, in a folder of its own,
 * built there.
 *
 * It is a clone that borrows the repository's objects, so that nothing is left behind in the
 * repository, builds may ask git what they build, and local changes are neither used nor touched.
 * Submodules are not fetched: a build command can do that. Not for several threads at once.
 */
#ifndef FL_CHECKOUT_H
#define FL_CHECKOUT_H

#include <limits.h>
#include <signal.h>
#include <stdint.h>

#include "faultline/error.h"

struct fl_checkout_request {
    const char *revision; /* as git knows it: a branch, a tag, `HEAD~3` */
    const char *build;    /* a shell command, run at the top of the checkout; NULL: nothing */
    const char *folder;   /* does not exist yet; whoever asks removes it */
    const volatile sig_atomic_t *stop;
};

struct fl_checkout {
    char id[72];     /* of the revision */
    int64_t time_ns; /* when it was committed */
};

/* 0; -EINTR: stopped; -ENOENT: no such revision, or no repository here; -EIO: git or the build
 * failed, with what it said last; -ETIMEDOUT: the build took more than an hour. */
int fl_checkout_make(const struct fl_checkout_request *request, struct fl_checkout *out,
                     struct fl_err *err) FL_MUST_CHECK;

#endif
