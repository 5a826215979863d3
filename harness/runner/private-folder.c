/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of copies, made, swept and removed. */
#include "runner/private-folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_START "faultline-side-"
#define LOCK_NAME  "lock"
#define TREE_NAME  "tree"

static const char *parent(void)
{
    const char *given = getenv("TMPDIR");
    return given && *given == '/' ? given : "/tmp";
}

static void remove_tree(int at, const char *name);

static void remove_entry(int at, const char *name)
{
    if (!strcmp(name, ".") || !strcmp(name, ".."))
        return;
    if (unlinkat(at, name, 0) && errno == EISDIR)
        remove_tree(at, name);
}

/* Follows no link out of it. Its depth is that of a source tree. */
/* NOLINTNEXTLINE(misc-no-recursion) */
static void remove_tree(int at, const char *name)
{
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (fd >= 0 && !dir)
        close(fd);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        remove_entry(fd, entry->d_name);
    if (dir)
        closedir(dir);
    unlinkat(at, name, AT_REMOVEDIR);
}

/* Only what is made here or asked for: a stranger's file keeps the folder. */
static void remove_files(int at)
{
    char name[32];
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "file-%02d", i);
        if (unlinkat(at, name, 0))
            break;
    }
    remove_tree(at, TREE_NAME);
    unlinkat(at, LOCK_NAME ".new", 0);
    unlinkat(at, LOCK_NAME, 0);
}

/* A folder whose lock is free has lost its owner. */
static void sweep_one(int tmp, const char *name)
{
    struct stat status;
    int at = openat(tmp, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (at < 0)
        return;
    int lock = openat(at, LOCK_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    bool mine = !fstat(at, &status) && status.st_uid == geteuid();
    if (lock >= 0 && mine && !flock(lock, LOCK_EX | LOCK_NB)) {
        remove_files(at);
        unlinkat(tmp, name, AT_REMOVEDIR);
    }
    if (lock >= 0)
        close(lock);
    close(at);
}

static void sweep(void)
{
    DIR *dir = opendir(parent());
    if (!dir)
        return;
    for (struct dirent *entry; (entry = readdir(dir));)
        if (!strncmp(entry->d_name, NAME_START, strlen(NAME_START)))
            sweep_one(dirfd(dir), entry->d_name);
    closedir(dir);
}

/* The lock gets its name when it is held: one that is free under its name has lost its owner. */
static int take_lock(struct fl_private_folder *folder)
{
    int at = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (at < 0)
        return -errno;
    folder->lock = openat(at, LOCK_NAME ".new", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool held = folder->lock >= 0 && !flock(folder->lock, LOCK_EX | LOCK_NB) &&
                !renameat(at, LOCK_NAME ".new", at, LOCK_NAME);
    int rc = held ? 0 : -errno;
    close(at);
    return rc;
}

int fl_private_folder_open(struct fl_private_folder *folder, struct fl_err *err)
{
    if (folder->path[0])
        return 0;
    sweep();
    *folder = (struct fl_private_folder){.lock = -1};
    int length = snprintf(folder->path, sizeof folder->path, "%s/" NAME_START "XXXXXX", parent());
    int rc = length < 0 || (size_t)length >= sizeof folder->path ? -ENAMETOOLONG
             : mkdtemp(folder->path)                             ? 0
                                                                 : -errno;
    if (rc)
        folder->path[0] = 0;
    else
        rc = take_lock(folder);
    if (!rc)
        return 0;
    fl_private_folder_close(folder);
    return fl_fail(err, rc, "cannot make a folder for copies in '%s': %s", parent(), strerror(-rc));
}

static int copy_bytes(int from, int to)
{
    char chunk[65536];
    ssize_t got;
    while ((got = read(from, chunk, sizeof chunk)) > 0)
        for (ssize_t put = 0, n; put < got; put += n)
            if ((n = write(to, chunk + put, (size_t)(got - put))) < 0)
                return -errno;
    return got < 0 ? -errno : 0;
}

static int copy_file(const char *file, const char *copy)
{
    struct stat status = {.st_mode = 0};
    int rc = 0, from = open(file, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return -errno;
    int to = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    if (to < 0 || fstat(from, &status))
        rc = -errno;
    if (!rc)
        rc = S_ISREG(status.st_mode) ? copy_bytes(from, to) : -EISDIR;
    if (!rc && fchmod(to, status.st_mode & 0700))
        rc = -errno;
    if (to >= 0 && close(to) && !rc)
        rc = -errno;
    close(from);
    return rc;
}

int fl_private_folder_file(struct fl_private_folder *folder, char *path, size_t size,
                           struct fl_err *err)
{
    int length = snprintf(path, size, "%s/file-%02d", folder->path, folder->count);
    if (length < 0 || (size_t)length >= size || folder->count > 99)
        return fl_fail(err, -ENAMETOOLONG, "too many files in '%s', or too long a path",
                       folder->path);
    folder->count++;
    return 0;
}

int fl_private_folder_tree(const struct fl_private_folder *folder, char *path, size_t size,
                           struct fl_err *err)
{
    int length = snprintf(path, size, "%s/" TREE_NAME, folder->path);
    return length > 0 && (size_t)length < size
               ? 0
               : fl_fail(err, -ENAMETOOLONG, "too long a path: '%s'", folder->path);
}

int fl_private_folder_add(struct fl_private_folder *folder, const char *file, char *copy,
                          size_t size, struct fl_err *err)
{
    int rc = fl_private_folder_file(folder, copy, size, err);
    if (rc)
        return rc;
    rc = copy_file(file, copy);
    if (rc)
        return fl_fail(err, rc, "cannot copy '%s' to '%s': %s", file, copy, strerror(-rc));
    if (!access(file, X_OK) && access(copy, X_OK))
        return fl_fail(err, -EACCES,
                       "'%s' does not let programs run: set TMPDIR to a folder that does",
                       parent());
    return 0;
}

void fl_private_folder_close(struct fl_private_folder *folder)
{
    if (!folder->path[0])
        return;
    int at = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (at >= 0) {
        remove_files(at);
        close(at);
    }
    rmdir(folder->path);
    if (folder->lock >= 0)
        close(folder->lock);
    *folder = (struct fl_private_folder){.lock = -1};
}
