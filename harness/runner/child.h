/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Child: one process started, listened to line by line, and ended by a watchdog.
 *
 * The child gets its own process group, messages on descriptor 3, /dev/null as stdin and stdout, no
 * other descriptor; the last line of its stderr is kept. Whatever happens, when fl_child_run()
 * returns no process of the group is alive, nor one that left it (strays.h), nor a zombie: this
 * process becomes a subreaper. Not for several threads at once.
 */
#ifndef FL_CHILD_H
#define FL_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "faultline/error.h"

#define FL_CHILD_MESSAGES 3 /* descriptor of its messages */

typedef void (*fl_child_line_fn)(void *arg, char *line);

struct fl_child {
    const char *path;
    char *const *argv;
    char *const *environment;
    double timeout;                    /* seconds until it is killed */
    const volatile sig_atomic_t *stop; /* non-zero: kill it at once; NULL: never */
    fl_child_line_fn line;             /* called for each message, newline removed */
    void *arg;
};

struct fl_child_end {
    int exit_status;      /* -1 when a signal ended it */
    int signal;           /* 0 when it exited */
    bool timed_out;       /* killed by the watchdog */
    bool stopped;         /* killed because of `stop` */
    char last_words[512]; /* last line on its stderr, "" if none */
};

/* 0 when it was started and has ended; -ECHILD where SIGCHLD is ignored, so that how it ended is
 * unknown; -errno when it could not be started. */
int fl_child_run(const struct fl_child *child, struct fl_child_end *end,
                 struct fl_err *err) FL_MUST_CHECK;

/* Only starts it, with these descriptors as its messages and its stderr: the caller listens, kills
 * and reaps. 0 or -errno. */
int fl_child_spawn(const struct fl_child *child, int messages, int errors,
                   pid_t *pid) FL_MUST_CHECK;

#endif
