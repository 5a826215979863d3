/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that end a measurement cleanly. */
#include "interruption.h"

#include <stddef.h>

/* Set by the handler, read by the runner between and during samples; a handler has no argument. */
static volatile sig_atomic_t stop;

static void on_signal(int number)
{
    (void)number;
    stop = 1;
}

const volatile sig_atomic_t *fl_interruption_catch(void)
{
    struct sigaction action = {.sa_handler = on_signal}, inherited;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (!sigaction(SIGHUP, NULL, &inherited) && inherited.sa_handler != SIG_IGN) /* nohup */
        sigaction(SIGHUP, &action, NULL);
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &usual, NULL); /* ignored by some parents: workers could not be waited for */
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, NULL); /* a reader of the progress may go; the run stays */
    return &stop;
}
