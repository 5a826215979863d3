/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc/self/cgroup and /proc/self/mountinfo, one behind the other with a line of `--` between, in
 * a tree that holds nothing else but a limit at /sys/fs/cgroup.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "machine/cgroup.h"

static void put(const char *root, const char *name, const void *bytes, size_t size)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s%s", root, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FL_FUZZ_HOLDS(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    close(fd);
}

/* The tree, made once a process and removed at its end. */
static char root[] = "/tmp/fuzz-cgroup-XXXXXX";

static const char *const folders[] = {"/proc", "/proc/self", "/sys", "/sys/fs", "/sys/fs/cgroup"};
static const char *const files[] = {"/proc/self/cgroup", "/proc/self/mountinfo",
                                    "/sys/fs/cgroup/cpu.max"};

static void remove_tree(void)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s%s", root, files[i]);
        unlink(path);
    }
    for (size_t i = sizeof folders / sizeof *folders; i-- > 0;) {
        snprintf(path, sizeof path, "%s%s", root, folders[i]);
        rmdir(path);
    }
    rmdir(root);
}

static void make_tree(void)
{
    char path[PATH_MAX];
    FL_FUZZ_HOLDS(mkdtemp(root));
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s%s", root, folders[i]);
        FL_FUZZ_HOLDS(mkdir(path, 0700) == 0);
    }
    put(root, files[2], "150000 100000\n", 14);
    atexit(remove_tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool made;
    struct fl_cgroup group;
    if (!made)
        make_tree();
    made = true;
    const uint8_t *cut = memmem(data, size, "--\n", 3);
    size_t first = cut ? (size_t)(cut - data) : size;
    put(root, files[0], data, first);
    put(root, files[1], cut ? cut + 3 : data, cut ? size - first - 3 : 0);
    fl_cgroup_read(root, &group);
    FL_FUZZ_HOLDS(group.version >= 0 && group.version <= 2 && group.cpus >= 0);
    FL_FUZZ_HOLDS(memchr(group.path, 0, sizeof group.path));
    FL_FUZZ_HOLDS((group.version == 0) == (group.path[0] == 0));
    return 0;
}
