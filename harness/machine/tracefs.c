/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds tracefs and numbers of tracepoints.
 */
#include "machine/tracefs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "machine/sysfile.h"

/* stat() on `<tracefs>/events`: 0, or why not. */
static int look(const char *root, const char *folder)
{
    char path[PATH_MAX];
    struct stat info;
    int length = snprintf(path, sizeof path, "%s%s/events", root != NULL ? root : "", folder);
    if (length < 0 || (size_t)length >= sizeof path)
        return -ENAMETOOLONG;
    return stat(path, &info) == 0 ? 0 : -errno;
}

int fl_tracefs_find(const char *root, char *path, size_t size)
{
    static const char *const folders[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
    int status = -ENOENT;
    path[0] = '\0';
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        int seen = look(root, folders[i]);
        if (seen != 0 && seen != -EACCES)
            continue;
        snprintf(path, size, "%s", folders[i]);
        status = seen;
        if (seen == 0)
            break;
    }
    return status;
}

int fl_tracefs_event_id(const char *root, const char *event, long long *id)
{
    char folder[FL_TRACEFS_PATH_MAX], path[PATH_MAX];
    int status = fl_tracefs_find(root, folder, sizeof folder);
    if (status != 0)
        return status;
    snprintf(path, sizeof path, "%s/events/%s/id", folder, event);
    return fl_sysfile_number(root, path, id);
}
