/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of git and of a build. */
#include "runner/checkout.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "runner/tool.h"

static const double git_seconds = 300, build_seconds = 3600;

static int git(const struct fl_checkout_request *request, const char *const *argv, char *out,
               size_t size, struct fl_err *err)
{
    const struct fl_tool tool = {.argv = argv, .timeout = git_seconds, .stop = request->stop};
    return fl_tool_run(&tool, out, size, err);
}

static int find_top(const struct fl_checkout_request *request, char top[PATH_MAX],
                    struct fl_err *err)
{
    const char *const argv[] = {"git", "rev-parse", "--show-toplevel", NULL};
    struct fl_err why;
    int rc = git(request, argv, top, PATH_MAX, &why);
    if (rc == -EIO)
        return fl_fail(err, -ENOENT, "git:%.80s: the current folder lies in no git repository: %s",
                       request->revision, why.text);
    return rc ? fl_fail(err, rc, "%s", why.text) : 0;
}

static int resolve(const struct fl_checkout_request *request, struct fl_checkout *out,
                   struct fl_err *err)
{
    char commit[256];
    const char *const argv[] = {"git",  "rev-parse", "--verify", "--quiet", "--end-of-options",
                                commit, NULL};
    struct fl_err why;
    int length = snprintf(commit, sizeof commit, "%s^{commit}", request->revision);
    int rc = length < (int)sizeof commit ? git(request, argv, out->id, sizeof out->id, &why) : -EIO;
    if (rc == -EIO)
        return fl_fail(err, -ENOENT, "git:%.80s: the repository has no such revision",
                       request->revision);
    return rc ? fl_fail(err, rc, "%s", why.text) : 0;
}

static int read_time(const struct fl_checkout_request *request, struct fl_checkout *out,
                     struct fl_err *err)
{
    char seconds[32];
    const char *const argv[] = {"git", "show", "--no-patch", "--format=%ct", out->id, NULL};
    int rc = git(request, argv, seconds, sizeof seconds, err);
    out->time_ns = rc ? 0 : (int64_t)strtoll(seconds, NULL, 10) * 1000000000;
    return rc;
}

/* What git tells hooks, and so all that is started in one, of the repository they are run for: a
 * git in the copy would work on that one instead. */
static const char apart[] =
    "unset GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_INDEX_FILE GIT_PREFIX GIT_OBJECT_DIRECTORY "
    "GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_SHALLOW_FILE && exec \"$@\"";

/* $1: the repository, $2: the folder, $3: the commit. Of a shallow repository git copies what its
 * branches reach, and no other commit that is there. */
static const char take[] =
    "git clone --quiet --shared --no-checkout -- \"$1\" \"$2\" && "
    "path() { git -C \"$1\" rev-parse --path-format=absolute --git-path \"$2\"; } && "
    "shallow=$(path \"$1\" shallow) && if [ -f \"$shallow\" ]; then "
    "cp -- \"$shallow\" \"$2/.git/shallow\" && "
    "path \"$1\" objects >\"$2/.git/objects/info/alternates\"; fi && "
    "git -C \"$2\" checkout --quiet --detach \"$3\"";

static int take_out(const struct fl_checkout_request *request, const char *top, const char *id,
                    struct fl_err *err)
{
    const char *const argv[] = {"sh",   "-c", apart,           "sh", "sh", "-c", take,
                                "take", top,  request->folder, id,   NULL};
    return git(request, argv, NULL, 0, err);
}

static int build(const struct fl_checkout_request *request, struct fl_err *err)
{
    const char *const argv[] = {"sh", "-c", apart, "sh", "sh", "-c", request->build, NULL};
    const struct fl_tool tool = {
        .folder = request->folder, .argv = argv, .timeout = build_seconds, .stop = request->stop};
    struct fl_err why;
    int rc = fl_tool_run(&tool, NULL, 0, &why);
    return rc ? fl_fail(err, rc, "git:%.80s does not build with --build '%.80s': %s",
                        request->revision, request->build, why.text)
              : 0;
}

int fl_checkout_make(const struct fl_checkout_request *request, struct fl_checkout *out,
                     struct fl_err *err)
{
    char top[PATH_MAX];
    *out = (struct fl_checkout){.id = ""};
    int rc = find_top(request, top, err);
    if (!rc)
        rc = resolve(request, out, err);
    if (!rc)
        rc = read_time(request, out, err);
    if (!rc)
        rc = take_out(request, top, out->id, err);
    return rc || !request->build ? rc : build(request, err);
}
