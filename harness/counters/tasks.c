/* SPDX-License-Identifier: Apache-2.0 */
/* Walks /proc/self/task with getdents64. */
#include "tasks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The entries of one buffer. */
static int each_entry(const char *buffer, long length, fl_task_fn fn, void *arg)
{
    int rc = 0;
    for (long at = 0; at < length && !rc;) {
        const struct dirent64 *entry = (const void *)(buffer + at);
        if (entry->d_name[0] != '.')
            rc = fn((pid_t)strtol(entry->d_name, NULL, 10), arg);
        at += entry->d_reclen;
    }
    return rc;
}

int fl_each_task(fl_task_fn fn, void *arg)
{
    _Alignas(struct dirent64) char buffer[4096];
    int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return -errno;
    int rc = 0;
    long length = 0;
    do {
        length = syscall(SYS_getdents64, folder, buffer, sizeof(buffer));
        if (length > 0)
            rc = each_entry(buffer, length, fn, arg);
    } while (length > 0 && !rc);
    if (length < 0)
        rc = -errno;
    close(folder);
    return rc;
}
