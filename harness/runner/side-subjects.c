/* SPDX-License-Identifier: Apache-2.0 */
/* What may stand on a side besides factors. */
#include "runner/side-subjects.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runner/checkout.h"
#include "runner/eigen-build.h"
#include "runner/gbench-side.h"

static int open_worker(struct fl_side *side, const char *value, struct fl_err *err)
{
    if (side->ops != &fl_worker_side_ops)
        return fl_fail(err, -EINVAL, "two programs on one side");
    return fl_side_set_worker(side, value, err);
}

/* `PATH` or `ALIAS:PATH`: an alias has no '/'. */
static int open_library(struct fl_side *side, const char *value, struct fl_err *err)
{
    char alias[128];
    const char *colon = strchr(value, ':'), *slash = strchr(value, '/');
    if (!colon || colon > slash)
        return fl_side_set_library(side, NULL, value, err);
    if ((size_t)(colon - value) >= sizeof alias)
        return fl_fail(err, -EINVAL, "'%.80s': expected ALIAS:PATH", value);
    snprintf(alias, sizeof alias, "%.*s", (int)(colon - value), value);
    return fl_side_set_library(side, alias, colon + 1, err);
}

/* The library that is made lies where copies lie, and is one. */
static int open_eigen(struct fl_side *side, const char *value, struct fl_err *err)
{
    char headers[PATH_MAX], output[PATH_MAX];
    int rc = fl_side_path(side, value, headers, err);
    if (!rc)
        rc = fl_private_folder_open(&side->folder, err);
    if (!rc)
        rc = fl_private_folder_file(&side->folder, output, sizeof output, err);
    const struct fl_eigen_build build = {headers, side->asked.shim ? side->asked.shim : "", output,
                                         side->asked.stop};
    if (!rc)
        rc = fl_eigen_build(&build, err);
    return rc ? rc : fl_side_set_library(side, "eigen", output, err);
}

static int open_revision(struct fl_side *side, const char *value, struct fl_err *err)
{
    char tree[PATH_MAX];
    struct fl_checkout checkout;
    if (side->commit_id[0])
        return fl_fail(err, -EINVAL, "two revisions on one side");
    int rc = fl_private_folder_open(&side->folder, err);
    if (!rc)
        rc = fl_private_folder_tree(&side->folder, tree, sizeof tree, err);
    const struct fl_checkout_request request = {value, side->asked.build, tree, side->asked.stop};
    if (!rc)
        rc = fl_checkout_make(&request, &checkout, err);
    if (rc)
        return rc;
    memcpy(side->root, tree, sizeof side->root);
    memcpy(side->commit_id, checkout.id, sizeof side->commit_id);
    side->commit_ns = checkout.time_ns;
    return 0;
}

static int open_plugin(struct fl_side *side, const char *value, struct fl_err *err)
{
    return fl_side_set_plugin(side, value, err);
}

static const struct fl_side_subject subjects[] = {
    {"git:", open_revision},          {"eigen=", open_eigen},
    {"gbench=", fl_gbench_side_open}, {"filter=", fl_gbench_side_filter},
    {"worker=", open_worker},         {"library=", open_library},
    {"plugin=", open_plugin},
};

const struct fl_side_subject *fl_side_subject_of(const char *word)
{
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        const struct fl_side_subject *subject = &subjects[i];
        if (strncmp(word, subject->start, strlen(subject->start)) != 0)
            continue;
        /* library=openblas-pthread is a level of a factor, library=/path a file. */
        return subject->open != open_library || strchr(word, '/') ? subject : NULL;
    }
    return NULL;
}
