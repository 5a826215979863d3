/* SPDX-License-Identifier: Apache-2.0 */
/* Running a tool through a shell that only changes the folder and the descriptors. */
#include "runner/tool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runner/child.h"

enum { ARGUMENTS = 32 };

/* What the tool says goes to the messages, where it is heard. */
static const char script[] = "cd -- \"$0\" && exec \"$@\" >&3 3>&-";

struct first_line {
    char *out;
    size_t size;
    bool taken;
};

static void keep_first(void *arg, char *line)
{
    struct first_line *first = arg;
    if (first->taken || !first->out)
        return;
    snprintf(first->out, first->size, "%s", line);
    first->taken = true;
}

static int judge(const struct fl_tool *tool, const struct fl_child_end *end, struct fl_err *err)
{
    const char *said = end->last_words;
    if (end->stopped)
        return fl_fail(err, -EINTR, "stopped");
    if (end->timed_out)
        return fl_fail(err, -ETIMEDOUT, "`%s` was killed after %g s", tool->argv[0], tool->timeout);
    if (end->signal)
        return fl_fail(err, -EIO, "`%s` was killed by signal %d%s%s", tool->argv[0], end->signal,
                       *said ? ": " : "", said);
    if (end->exit_status)
        return fl_fail(err, -EIO, "`%s` failed with status %d%s%s", tool->argv[0], end->exit_status,
                       *said ? ": " : "", said);
    return 0;
}

int fl_tool_run(const struct fl_tool *tool, char *out, size_t size, struct fl_err *err)
{
    /* posix_spawn() takes arguments that it does not change as if it did. */
    const char *argv[ARGUMENTS + 5] = {"sh", "-c", script, tool->folder ? tool->folder : "."};
    size_t count = 4;
    for (size_t i = 0; tool->argv[i]; i++) {
        if (i == ARGUMENTS)
            return fl_fail(err, -E2BIG, "`%s` is given more than %d arguments", tool->argv[0],
                           ARGUMENTS);
        argv[count++] = tool->argv[i];
    }
    struct first_line first = {out, size, false};
    struct fl_child_end end;
    const struct fl_child child = {
        .path = "/bin/sh",
        .argv = (char *const *)argv,
        .environment = environ,
        .timeout = tool->timeout,
        .stop = tool->stop,
        .line = keep_first,
        .arg = &first,
    };
    if (out && size)
        *out = 0;
    int rc = fl_child_run(&child, &end, err);
    return rc ? rc : judge(tool, &end, err);
}
