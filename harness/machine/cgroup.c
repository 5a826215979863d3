/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits of control groups.
 *
 * /proc/self/cgroup names the process's group in each hierarchy, /proc/self/mountinfo where the
 * hierarchies are mounted. In a container without a cgroup namespace the mount shows a subtree: its
 * root is cut off the front of the group's path.
 */
#include "machine/cgroup.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/sysfile.h"

struct hierarchy {
    char mount[PATH_MAX];   /* mount point */
    char subtree[PATH_MAX]; /* what of the hierarchy is mounted there */
    char group[PATH_MAX];   /* the process's group in the hierarchy */
};

/* Is `word` one of the comma-separated words of `text`? */
static bool has_word(const char *text, size_t length, const char *word)
{
    size_t wanted = strlen(word);
    for (const char *end = text + length; text < end;) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        size_t this = (size_t)((comma != NULL ? comma : end) - text);
        if (this == wanted && memcmp(text, word, wanted) == 0)
            return true;
        text += this + 1;
    }
    return false;
}

/* The group of a controller (v1), or of the unified hierarchy where `controller` is "". */
static bool find_group(const char *text, const char *controller, char *out, size_t size)
{
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        const char *names = memchr(text, ':', length);
        const char *path =
            names == NULL ? NULL : memchr(names + 1, ':', length - (size_t)(names + 1 - text));
        if (path != NULL) {
            size_t names_length = (size_t)(path - names - 1);
            size_t path_length = length - (size_t)(path + 1 - text);
            bool match = *controller == '\0' ? names_length == 0
                                             : has_word(names + 1, names_length, controller);
            if (match && path_length < size) {
                memcpy(out, path + 1, path_length);
                out[path_length] = '\0';
                return true;
            }
        }
        text += length + (text[length] == '\n');
    }
    return false;
}

/* Mount points write space, tab, newline and backslash as \ooo. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; to++) {
        if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' &&
            from[2] <= '7' && from[3] >= '0' && from[3] <= '7') {
            *to = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
}

/* One line of mountinfo: is it the hierarchy of this controller ("": the unified one)? */
static bool match_mount(const char *line, const char *controller, struct hierarchy *out)
{
    char type[32], options[512];
    if (sscanf(line, "%*s %*s %*s %4095s %4095s", out->subtree, out->mount) != 2)
        return false;
    const char *dash = strstr(line, " - ");
    if (dash == NULL || sscanf(dash, " - %31s %*s %511s", type, options) != 2)
        return false;
    if (*controller == '\0'
            ? strcmp(type, "cgroup2") != 0
            : strcmp(type, "cgroup") != 0 || !has_word(options, strlen(options), controller))
        return false;
    unescape(out->mount);
    unescape(out->subtree);
    return true;
}

static bool find_mount(char *text, const char *controller, struct hierarchy *out)
{
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        char end = text[length];
        text[length] = '\0';
        bool found = match_mount(text, controller, out);
        text[length] = end;
        if (found)
            return true;
        text += length + (end == '\n');
    }
    return false;
}

/* Cuts the mounted subtree off the group; a group outside it is seen as the mount point itself. */
static void make_relative(struct hierarchy *h)
{
    size_t length = strcmp(h->subtree, "/") == 0 ? 0 : strlen(h->subtree);
    bool inside = strncmp(h->group, h->subtree, length) == 0 &&
                  (h->group[length] == '/' || h->group[length] == '\0');
    if (!inside || strstr(h->group, "/..") != NULL)
        length = strlen(h->group);
    memmove(h->group, h->group + length, strlen(h->group + length) + 1);
    if (strcmp(h->group, "/") == 0)
        h->group[0] = '\0';
}

static bool find_hierarchy(const char *root, const char *controller, struct hierarchy *out)
{
    char text[FL_SYSFILE_LONG];
    if (fl_sysfile_read(root, "/proc/self/cgroup", text, sizeof text) != 0 ||
        !find_group(text, controller, out->group, sizeof out->group))
        return false;
    if (fl_sysfile_read(root, "/proc/self/mountinfo", text, sizeof text) != 0 ||
        !find_mount(text, controller, out))
        return false;
    make_relative(out);
    return true;
}

/* Reads one file of the group; false where there is none. */
static bool group_file(const char *root, const struct hierarchy *h, const char *name, char *out,
                       size_t size)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s%s/%s", h->mount, h->group, name);
    return length > 0 && (size_t)length < sizeof path &&
           fl_sysfile_read(root, path, out, size) == 0;
}

/* To the parent group; false at the mount point. */
static bool ascend(struct hierarchy *h)
{
    char *slash = strrchr(h->group, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    return true;
}

double fl_cgroup_parse_cpu_max(const char *text)
{
    char *end;
    double quota = strtod(text, &end);
    if (end == text || !(quota > 0) || *end != ' ')
        return 0;
    double period = strtod(end, NULL);
    double cpus = period > 0 ? quota / period : 0;
    return cpus > 0 && cpus < 1e6 ? cpus : 0;
}

static double group_cpus(const char *root, const struct hierarchy *h, int version)
{
    char quota[64], period[64], both[130];
    if (version == 2)
        return group_file(root, h, "cpu.max", both, sizeof both) ? fl_cgroup_parse_cpu_max(both)
                                                                 : 0;
    if (!group_file(root, h, "cpu.cfs_quota_us", quota, sizeof quota) ||
        !group_file(root, h, "cpu.cfs_period_us", period, sizeof period))
        return 0;
    snprintf(both, sizeof both, "%s %s", quota, period);
    return fl_cgroup_parse_cpu_max(both);
}

static unsigned long long group_memory(const char *root, const struct hierarchy *h, int version)
{
    char text[64], *end;
    const char *name = version == 2 ? "memory.max" : "memory.limit_in_bytes";
    if (!group_file(root, h, name, text, sizeof text))
        return 0;
    unsigned long long bytes = strtoull(text, &end, 10);
    /* v1 says "no limit" with the largest page-aligned number. */
    return end == text || text[0] == '-' || bytes >= 1ull << 62 ? 0 : bytes;
}

static void read_cpus(const char *root, struct hierarchy *h, int version, struct fl_cgroup *out)
{
    out->version = version;
    snprintf(out->path, sizeof out->path, "%s", h->group[0] != '\0' ? h->group : "/");
    do {
        double cpus = group_cpus(root, h, version);
        if (cpus > 0 && (out->cpus <= 0 || cpus < out->cpus))
            out->cpus = cpus;
    } while (ascend(h));
}

static void read_memory(const char *root, struct hierarchy *h, int version, struct fl_cgroup *out)
{
    do {
        unsigned long long bytes = group_memory(root, h, version);
        if (bytes > 0 && (out->memory == 0 || bytes < out->memory))
            out->memory = bytes;
    } while (ascend(h));
}

void fl_cgroup_read(const char *root, struct fl_cgroup *out)
{
    struct hierarchy h;
    *out = (struct fl_cgroup){0};
    if (find_hierarchy(root, "cpu", &h))
        read_cpus(root, &h, 1, out);
    else if (find_hierarchy(root, "", &h))
        read_cpus(root, &h, 2, out);
    if (find_hierarchy(root, "memory", &h))
        read_memory(root, &h, 1, out);
    else if (find_hierarchy(root, "", &h))
        read_memory(root, &h, 2, out);
}
