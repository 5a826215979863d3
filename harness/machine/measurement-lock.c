/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine-wide measurement lock.
 *
 * Two rules make one file usable by several users in a directory that all can write: it is first
 * opened without O_CREAT (with fs.protected_regular the kernel refuses O_CREAT on another user's
 * file in a sticky directory, even to root), and it is made readable for all, which is enough for
 * flock() on a local file system.
 */
#include "machine/measurement-lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "machine/sysfile.h"

#define LOCK_TRIES    20         /* openings that may lose a race against a creator */
#define LOCK_PAUSE_NS 200000000L /* between two attempts to lock: rare enough not to disturb */

/* The same answer for every user, or two of them would lock different files. */
static const char *default_path(void)
{
    struct stat info;
    if (stat("/run/lock", &info) == 0 && S_ISDIR(info.st_mode) &&
        (info.st_mode & (S_IWOTH | S_ISVTX)) == (S_IWOTH | S_ISVTX))
        return "/run/lock/faultline.lock";
    return "/tmp/faultline.lock";
}

static void pause_for(long ns)
{
    struct timespec rest = {.tv_sec = 0, .tv_nsec = ns};
    nanosleep(&rest, NULL);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Opens the file, creating it where it is missing; a descriptor or -errno. */
static int open_or_create(const char *path)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 || errno != ENOENT)
        return fd >= 0 ? fd : -errno;
    fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444);
    if (fd < 0)
        return errno == EEXIST ? -EAGAIN : -errno;
    /* Past the umask: other users need to read it. */
    if (fchmod(fd, 0444) != 0) {
        int status = -errno;
        close(fd);
        return status;
    }
    return fd;
}

static int check_file(int fd, const char *path, struct fl_err *err)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return fl_fail(err, -errno, "cannot look at lock file '%s': %s", path, strerror(errno));
    if (!S_ISREG(info.st_mode) || info.st_nlink > 1)
        return fl_fail(err, -EINVAL,
                       "cannot use lock file '%s': it is not a plain file with one name; remove it",
                       path);
    return 0;
}

static int open_file(const char *path, int *out, struct fl_err *err)
{
    int fd = -EAGAIN;
    /* EACCES may be the moment between another user's creation and its fchmod(). */
    for (int i = 0; i < LOCK_TRIES && (fd == -EAGAIN || fd == -EACCES); i++) {
        if (i > 0)
            pause_for(1000000);
        fd = open_or_create(path);
    }
    if (fd < 0)
        return fl_fail(err, fd, "cannot open lock file '%s': %s", path,
                       fd == -ELOOP ? "it is a symbolic link; remove it" : strerror(-fd));
    int status = check_file(fd, path, err);
    if (status != 0)
        close(fd);
    else
        *out = fd;
    return status;
}

/* Somebody may have removed the file while we waited: then we hold a lock nobody else looks at. */
static bool still_there(int fd, const char *path)
{
    struct stat mine, theirs;
    return fstat(fd, &mine) == 0 && lstat(path, &theirs) == 0 && mine.st_ino == theirs.st_ino &&
           mine.st_dev == theirs.st_dev;
}

/* 1: got it; 0: held by somebody else, or the file was replaced; -errno. */
static int try_lock(struct fl_measurement_lock *lock, const char *path, struct fl_err *err)
{
    int fd = -1;
    int status = open_file(path, &fd, err);
    if (status != 0)
        return status;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        status = errno == EWOULDBLOCK || errno == EINTR ? 0 : -errno;
        close(fd);
        return status == 0 ? 0
                           : fl_fail(err, status, "cannot lock '%s': %s", path, strerror(-status));
    }
    if (!still_there(fd, path)) {
        close(fd);
        return 0;
    }
    lock->fd = fd;
    return 1;
}

static int fail_held(const char *path, struct fl_err *err)
{
    int holder = fl_measurement_lock_holder(path);
    if (holder != 0)
        return fl_fail(err, -ETIMEDOUT,
                       "cannot measure: process %d is measuring on this machine and holds '%s'",
                       holder, path);
    return fl_fail(err, -ETIMEDOUT,
                   "cannot measure: another process is measuring on this machine and holds '%s'",
                   path);
}

int fl_measurement_lock_open(struct fl_measurement_lock *lock, const char *path,
                             double timeout_seconds, fl_lock_waiting_fn waiting, void *arg,
                             struct fl_err *err)
{
    double start = now();
    lock->fd = -1;
    if (path == NULL)
        path = default_path();
    for (;;) {
        int got = try_lock(lock, path, err);
        if (got != 0)
            return got > 0 ? 0 : got;
        double waited = now() - start;
        if (timeout_seconds >= 0 && waited >= timeout_seconds)
            return fail_held(path, err);
        if (waiting != NULL && !waiting(arg, fl_measurement_lock_holder(path), waited))
            return fl_fail(err, -EINTR, "cannot measure: gave up waiting for '%s'", path);
        pause_for(LOCK_PAUSE_NS);
    }
}

void fl_measurement_lock_close(struct fl_measurement_lock *lock)
{
    if (lock->fd >= 0)
        close(lock->fd);
    lock->fd = -1;
}

int fl_measurement_lock_holder(const char *path)
{
    char text[FL_SYSFILE_LONG];
    struct stat info;
    if (lstat(path != NULL ? path : default_path(), &info) != 0 ||
        fl_sysfile_read("", "/proc/locks", text, sizeof text) != 0)
        return 0;
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        unsigned major_number, minor_number;
        unsigned long inode;
        int pid;
        line += *line == '\n';
        /* "1: FLOCK  ADVISORY  WRITE 701 00:19:1234 0 EOF" */
        if (sscanf(line, "%*u: FLOCK %*s WRITE %d %x:%x:%lu", &pid, &major_number, &minor_number,
                   &inode) == 4 &&
            inode == info.st_ino && makedev(major_number, minor_number) == info.st_dev)
            return pid > 0 ? pid : 0;
    }
    return 0;
}
