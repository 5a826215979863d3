/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounded reads of small system files.
 */
#include "machine/sysfile.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int join(const char *root, const char *path, char *out, size_t size)
{
    int length = snprintf(out, size, "%s%s", root != NULL ? root : "", path);
    return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
}

/* Fills `out` as far as the file goes; sysfs may return a text in several pieces. */
static int read_all(int fd, char *out, size_t size, size_t *length)
{
    size_t used = 0;
    while (used < size) {
        ssize_t got = read(fd, out + used, size - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        if (got == 0)
            break;
        used += (size_t)got;
    }
    *length = used;
    return 0;
}

static void tidy(char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\0')
            text[i] = ' ';
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    text[length] = '\0';
}

int fl_sysfile_read(const char *root, const char *path, char *out, size_t size)
{
    char full[PATH_MAX];
    out[0] = '\0';
    int status = join(root, path, full, sizeof full);
    if (status != 0)
        return status;
    /* O_NONBLOCK: opening a FIFO must not wait for a writer. */
    int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -errno;
    struct stat info;
    size_t length = 0;
    if (fstat(fd, &info) != 0)
        status = -errno;
    else if (!S_ISREG(info.st_mode))
        status = -EINVAL;
    else
        status = read_all(fd, out, size - 1, &length);
    close(fd);
    tidy(out, status == 0 ? length : 0);
    return status;
}

int fl_sysfile_number(const char *root, const char *path, long long *out)
{
    char text[32], *end;
    int status = fl_sysfile_read(root, path, text, sizeof text);
    if (status != 0)
        return status;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0)
        return -EINVAL;
    *out = number;
    return 0;
}

bool fl_sysfile_exists(const char *root, const char *path)
{
    char full[PATH_MAX];
    return join(root, path, full, sizeof full) == 0 && access(full, F_OK) == 0;
}
