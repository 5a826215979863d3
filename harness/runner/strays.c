/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's list of this process' children, before and behind a child. */
#include "runner/strays.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PASSES = 100 }; /* a stray's own children come to us when it has ended */

/* Orphans go to the first thread of a subreaper. NULL: there is no such list. */
static FILE *open_children(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    return fopen(path, "re");
}

void fl_strays_note(struct fl_strays *strays)
{
    FILE *children = open_children();
    int pid;
    strays->count = 0;
    while (children && strays->count < FL_STRAYS_KNOWN && fscanf(children, "%d", &pid) == 1)
        strays->known[strays->count++] = pid;
    if (children)
        fclose(children);
}

static bool is_known(const struct fl_strays *strays, pid_t pid)
{
    for (size_t i = 0; i < strays->count; i++)
        if (strays->known[i] == pid)
            return true;
    return false;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* How many were ended. */
static size_t end_those_listed(const struct fl_strays *strays)
{
    FILE *children = open_children();
    size_t ended = 0;
    int pid;
    while (children && fscanf(children, "%d", &pid) == 1) {
        if (is_known(strays, pid))
            continue;
        end(pid);
        ended++;
    }
    if (children)
        fclose(children);
    return ended;
}

void fl_strays_end(const struct fl_strays *strays)
{
    if (strays->count == FL_STRAYS_KNOWN)
        return;
    for (int i = 0; i < PASSES && end_those_listed(strays); i++)
        ;
}
