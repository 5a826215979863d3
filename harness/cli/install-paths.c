/* SPDX-License-Identifier: Apache-2.0 */
/* Files that belong to this program. */
#include "install-paths.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "faultline/factor.h"

enum { NAMES_MAX = 128 };

/* The folder two levels up from this program: the prefix of the build or of the installation. */
static int find_prefix(char *prefix, size_t size, struct fl_err *err)
{
    ssize_t length = readlink("/proc/self/exe", prefix, size - 1);
    if (length < 0)
        return fl_fail(err, -errno, "cannot find this program's folder: /proc/self/exe: %s",
                       strerror(errno));
    prefix[length] = 0;
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(prefix, '/');
        if (slash)
            *slash = 0;
    }
    return 0;
}

/* The first of `places` below the prefix that can be read. */
static int first_of(const char *prefix, const char *const *places, char *out, size_t size)
{
    for (; *places; places++)
        if ((size_t)snprintf(out, size, "%s/%s", prefix, *places) < size && !access(out, R_OK))
            return 0;
    return -ENOENT;
}

int fl_install_paths_find(struct fl_install_paths *paths, struct fl_err *err)
{
    static const char *const workers[] = {"bin/faultline-worker", NULL};
    static const char *const probes[] = {"lib/libfaultline-probe.so",
                                         FL_LIBDIR "/libfaultline-probe.so", NULL};
    static const char *const scenarios[] = {"share/faultline/scenarios", NULL};
    static const char *const shims[] = {"share/faultline/eigen-shim.cc", NULL};
    char prefix[PATH_MAX];
    int rc = find_prefix(prefix, sizeof prefix, err);
    if (rc)
        return rc;
    if (first_of(prefix, workers, paths->worker, sizeof paths->worker))
        return fl_fail(err, -ENOENT,
                       "cannot find '%s/bin/faultline-worker': build or install it "
                       "beside this program",
                       prefix);
    if (first_of(prefix, probes, paths->probe, sizeof paths->probe))
        paths->probe[0] = 0;
    if (first_of(prefix, shims, paths->shim, sizeof paths->shim))
        paths->shim[0] = 0;
    if (first_of(prefix, scenarios, paths->scenarios, sizeof paths->scenarios))
        return fl_fail(err, -ENOENT, "cannot find '%s/share/faultline/scenarios'", prefix);
    return 0;
}

/* Names of the scenarios in a folder, cut at `.ini`, NULL-terminated; the caller frees each. */
static void list_names(const char *folder, char **names)
{
    size_t count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && count < NAMES_MAX && (entry = readdir(dir));) {
        char *end = strstr(entry->d_name, ".ini");
        if (!end || end[4])
            continue;
        *end = 0;
        names[count] = strdup(entry->d_name);
        count += names[count] != NULL;
    }
    if (dir)
        closedir(dir);
    names[count] = NULL;
}

static int no_scenario(const struct fl_install_paths *paths, const char *name, struct fl_err *err)
{
    char *names[NAMES_MAX + 1];
    list_names(paths->scenarios, names);
    const char *near = fl_nearest(name, (const char *const *)names);
    fl_fail(err, -ENOENT,
            "no scenario '%.80s'%s%s%s: `faultline list scenarios` has those that come with "
            "faultline; a file of your own ends in .ini or has a '/' in its name",
            name, near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
    for (char **n = names; *n; n++)
        free(*n);
    return -ENOENT;
}

int fl_install_scenario(const struct fl_install_paths *paths, const char *name, char *file,
                        size_t size, struct fl_err *err)
{
    const char *end = strrchr(name, '.');
    bool is_file = strchr(name, '/') || (end && !strcmp(end, ".ini"));
    int length = is_file ? snprintf(file, size, "%s", name)
                         : snprintf(file, size, "%s/%s.ini", paths->scenarios, name);
    if (length < 0 || (size_t)length >= size)
        return fl_fail(err, -ENAMETOOLONG, "the name of the scenario is too long");
    if (is_file || !access(file, R_OK))
        return 0;
    return no_scenario(paths, name, err);
}
