/* SPDX-License-Identifier: Apache-2.0 */
/* What may stand on a side besides factors. */
#include "runner/side-subjects.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int open_worker(struct fl_side *side, const char *value, struct fl_err *err)
{
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

static const struct fl_side_subject subjects[] = {
    {"worker=", open_worker},
    {"library=", open_library},
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
