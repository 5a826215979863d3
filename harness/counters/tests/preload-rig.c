/* SPDX-License-Identifier: Apache-2.0 */
/* Preload rig. PROBE_LIBRARY is the built probe's path; a sanitizer build has none. */
#include "preload-rig.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faultline/probe.h"

#ifdef PROBE_LIBRARY
int preload_probe(char **argv)
{
    if (dlsym(RTLD_DEFAULT, FL_PROBE_READ))
        return 0;
    if (!getenv("LD_PRELOAD")) {
        setenv("LD_PRELOAD", PROBE_LIBRARY, 1);
        execv("/proc/self/exe", argv);
    }
    fprintf(stderr, "cannot preload '%s'\n", PROBE_LIBRARY);
    return 1;
}

const char *preload_order(const char *other, bool probe_last)
{
    static char text[4096];
    snprintf(text, sizeof(text), "%s %s", probe_last ? other : PROBE_LIBRARY,
             probe_last ? PROBE_LIBRARY : other);
    return text;
}
#else
int preload_probe(char **argv)
{
    (void)argv;
    fprintf(stderr, "skipped: a sanitizer build has no probe to preload\n");
    return 77;
}

const char *preload_order(const char *other, bool probe_last)
{
    (void)probe_last;
    return other;
}
#endif

int preload_run(const char *preload, const char *argument)
{
    pid_t child = fork();
    if (!child) {
        if (preload)
            setenv("LD_PRELOAD", preload, 1);
        else
            unsetenv("LD_PRELOAD");
        execl("/proc/self/exe", "preloaded", argument, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
