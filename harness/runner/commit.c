/* SPDX-License-Identifier: Apache-2.0 */
/* Asking the user, the CI and git, in this order. */
#include "runner/commit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/tool.h"

static const double git_seconds = 10;

/* The first line of what git says; "" where it fails or there is none. */
static void ask_git(const char *const *argv, char *out, size_t size)
{
    const struct fl_tool tool = {.argv = argv, .timeout = git_seconds};
    struct fl_err ignored;

    if (fl_tool_run(&tool, out, size, &ignored))
        *out = 0;
}

/* Makes a name a full id and finds its time, where the repository here knows it. */
static void resolve(struct fl_commit *commit)
{
    char name[sizeof commit->id + 16], id[sizeof commit->id], seconds[32];
    snprintf(name, sizeof name, "%s^{commit}", commit->id);
    const char *const parse[] = {"git", "rev-parse", "--verify", "--quiet", "--end-of-options",
                                 name,  NULL};
    ask_git(parse, id, sizeof id);
    if (!*id)
        return;
    memcpy(commit->id, id, sizeof id);
    const char *const show[] = {"git", "show", "--no-patch", "--format=%ct", id, NULL};
    ask_git(show, seconds, sizeof seconds);
    commit->time_ns = strtoll(seconds, NULL, 10) * 1000000000;
}

static void mark_changes(struct fl_commit *commit)
{
    static const char mark[] = "-dirty";
    const char *const status[] = {"git", "status", "--porcelain", "--untracked-files=no", NULL};
    char change[64];
    size_t length = strlen(commit->id);
    ask_git(status, change, sizeof change);
    if (*change && length + sizeof mark <= sizeof commit->id)
        memcpy(commit->id + length, mark, sizeof mark);
}

static int take(const char *given, struct fl_commit *out, struct fl_err *err)
{
    size_t length = strlen(given);
    if (!length || length >= sizeof out->id || *given == '-')
        return fl_fail(err, -EINVAL,
                       "--commit '%.80s': expected the name of a revision, at most %zu characters",
                       given, sizeof out->id - 1);
    memcpy(out->id, given, length + 1);
    resolve(out);
    return 0;
}

static const char *named_by_ci(void)
{
    static const char *const variables[] = {"GITHUB_SHA", "CI_COMMIT_SHA"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value && *value && *value != '-' && strlen(value) < sizeof(((struct fl_commit *)0)->id))
            return value;
    }
    return NULL;
}

int fl_commit_find(const char *given, struct fl_commit *out, struct fl_err *err)
{
    *out = (struct fl_commit){.id = ""};
    if (!given)
        given = named_by_ci();
    if (given)
        return take(given, out, err);
    strcpy(out->id, "HEAD");
    resolve(out);
    if (out->time_ns)
        mark_changes(out);
    else
        out->id[0] = 0;
    return 0;
}
