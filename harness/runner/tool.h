/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tool: a program of the machine's (git, a compiler, a user's build command) run to its end before
 * anything is measured. No shell reads the arguments. Not for several threads at once (child.h).
 */
#ifndef FL_TOOL_H
#define FL_TOOL_H

#include <signal.h>
#include <stddef.h>

#include "faultline/error.h"

struct fl_tool {
    const char *folder;                /* to run it in; NULL: the current one */
    const char *const *argv;           /* ended by NULL; argv[0] is found along PATH */
    double timeout;                    /* seconds */
    const volatile sig_atomic_t *stop; /* as struct fl_child */
};

/*
 * `out` (may be NULL) receives the first line of its stdout. 0; -EINTR: stopped; -ETIMEDOUT; -EIO:
 * it failed, with its last line on stderr in the reason; -errno: it could not be started.
 */
int fl_tool_run(const struct fl_tool *tool, char *out, size_t size,
                struct fl_err *err) FL_MUST_CHECK;

#endif
