/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the library of a malloc by asking the dynamic linker to list what it would load.
 *
 * Loading it here to look would run its constructors, could fail for want of static TLS and could
 * never be undone. Listing follows LD_LIBRARY_PATH, the cache, multiarch folders and the ELF class
 * exactly as the later preload does.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faultline/malloc.h"

enum { LINE_BYTES = PATH_MAX + 256 };

/* The environment of the listing: ours, with nothing of another malloc's. NULL: no memory. */
static char **listing_environment(char *preload)
{
    static char trace[] = "LD_TRACE_LOADED_OBJECTS=1";
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **list = malloc((count + 3) * sizeof *list);
    if (!list)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (!fl_malloc_owns(environ[i]))
            list[kept++] = environ[i];
    list[kept++] = trace;
    list[kept++] = preload;
    list[kept] = NULL;
    return list;
}

/* Starts the listing of this very program with `out` as its stdout; its warnings go nowhere. */
static int start_listing(char *preload, int out, pid_t *pid)
{
    static char program[] = "/proc/self/exe";
    char *arguments[] = {program, NULL};
    char **list = listing_environment(preload);
    if (!list)
        return -ENOMEM;
    posix_spawn_file_actions_t actions;
    int rc = posix_spawn_file_actions_init(&actions);
    if (!rc) {
        posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        rc = posix_spawn(pid, program, &actions, NULL, arguments, list);
        posix_spawn_file_actions_destroy(&actions);
    }
    free(list);
    return -rc;
}

/* `\tSONAME => PATH (0xADDRESS)`: copies PATH where the line is about `soname`. */
static bool path_in_line(const char *line, const char *soname, char *path, size_t size)
{
    size_t length = strlen(soname);
    line += strspn(line, " \t");
    if (strncmp(line, soname, length) || strncmp(line + length, " => ", 4))
        return false;
    const char *start = line + length + 4, *end = strstr(start, " (0x");
    if (*start != '/' || !end || (size_t)(end - start) >= size)
        return false;
    memcpy(path, start, (size_t)(end - start));
    path[end - start] = '\0';
    return true;
}

/* Reads the whole listing, so that the child never writes into a closed pipe. Closes `in`. */
static bool path_in_listing(int in, const char *soname, char *path, size_t size)
{
    FILE *listing = fdopen(in, "r");
    if (!listing) {
        close(in);
        return false;
    }
    char line[LINE_BYTES];
    bool found = false;
    while (fgets(line, sizeof line, listing))
        found = found || path_in_line(line, soname, path, size);
    fclose(listing);
    return found;
}

/* 1: found; 0: the linker does not find it; -errno: the linker could not be asked. */
static int search(const char *soname, char *path, size_t size)
{
    char preload[LINE_BYTES];
    int ends[2];
    pid_t pid = -1;
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", soname);
    if (pipe2(ends, O_CLOEXEC))
        return -errno;
    int rc = start_listing(preload, ends[1], &pid);
    close(ends[1]);
    if (rc) {
        close(ends[0]);
        return rc;
    }
    bool found = path_in_listing(ends[0], soname, path, size);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return found;
}

static int probe_libc(const struct fl_malloc *row, struct fl_err *why)
{
#ifdef __GLIBC__
    (void)row, (void)why;
    return 0;
#else
    return row->preload
               ? 0
               : fl_fail(why, -ENOTSUP, "malloc '%s' needs glibc as the C library", row->name);
#endif
}

int fl_preload_locate(const char *const *sonames, const char *package, char *path, size_t size,
                      struct fl_err *why)
{
    char found[PATH_MAX] = "";
    int rc = 0;
    for (const char *const *soname = sonames; *soname && !rc; soname++) {
        rc = search(*soname, found, sizeof found);
        if (rc < 0)
            return fl_fail(why, rc, "cannot ask the dynamic linker for '%s': %s", *soname,
                           strerror(-rc));
    }
    if (!rc)
        return fl_fail(why, -ENOTSUP, "the dynamic linker does not find '%s': apt-get install %s",
                       sonames[0], package);
    if (strlen(found) >= size)
        return fl_fail(why, -ENAMETOOLONG, "the path of '%s' is longer than %zu bytes", sonames[0],
                       size);
    memcpy(path, found, strlen(found) + 1);
    return 0;
}

int fl_malloc_locate(const struct fl_malloc *row, char *path, size_t size, struct fl_err *why)
{
    if (size)
        *path = '\0';
    return row->preload ? fl_preload_locate(row->preload, row->package, path, size, why)
                        : probe_libc(row, why);
}

int fl_malloc_probe(const struct fl_malloc *row, struct fl_err *why)
{
    char path[PATH_MAX];
    return fl_malloc_locate(row, path, sizeof path, why);
}
