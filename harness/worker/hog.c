/* SPDX-License-Identifier: Apache-2.0 */
/* A busy process. */
#include "hog.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process.h"

enum { MESSAGES = 3 };

/* The text behind `name` among the arguments, NULL where there is none. */
static const char *argument(int argc, char **argv, const char *name)
{
    size_t length = strlen(name);
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], name, length))
            return argv[i] + length;
    return NULL;
}

/* Where nobody listens any more, the runner has gone or gives up: it kills this process. */
static void tell(const char *text)
{
    if (write(MESSAGES, text, strlen(text)) < 0)
        _exit(1);
}

int fl_hog_mode(int argc, char **argv)
{
    struct fl_err err = {.text = ""};
    const char *cpus = argument(argc, argv, "--cpus="), *parent = argument(argc, argv, "--parent=");
    sigset_t go;
    int signal;
    if (!cpus || !parent) {
        fputs("usage: faultline-worker --hog --cpus=LIST --parent=PID\n", stderr);
        return 1;
    }
    sigemptyset(&go);
    sigaddset(&go, SIGUSR1);
    sigprocmask(SIG_BLOCK, &go, NULL); /* or it might come between the word and the wait */
    if (fl_process_follow((pid_t)strtol(parent, NULL, 10), &err) || fl_process_pin(cpus, &err)) {
        tell(err.text);
        return 1;
    }
    tell(".");
    close(MESSAGES);
    sigwait(&go, &signal);
    for (volatile uint64_t sum = 1;; sum = sum * 3 + 1)
        ;
}
