/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commit: which revision a run tests. What is asked for; else what the CI says it checked out
 * (GITHUB_SHA, CI_COMMIT_SHA); else HEAD of the repository that the current folder lies in, with
 * `-dirty` behind it where tracked files were changed. Its time is known where the repository here
 * has it. Not for several threads at once.
 */
#ifndef FL_COMMIT_H
#define FL_COMMIT_H

#include <stdint.h>

#include "faultline/error.h"

struct fl_commit {
    char id[72];     /* "": not known */
    int64_t time_ns; /* since 1970; 0: not known */
};

/*
 * `given`: what --commit says, which the repository here need not know; NULL: find it. 0; -EINVAL:
 * not the name of a revision. That there is no repository or no git is no failure.
 */
int fl_commit_find(const char *given, struct fl_commit *out, struct fl_err *err) FL_MUST_CHECK;

#endif
