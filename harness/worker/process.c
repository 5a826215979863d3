/* SPDX-License-Identifier: Apache-2.0 */
/* Parent, processors and huge pages of the measured process. */
#include "process.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { MAPPED_MOST = 8 << 20 };

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif
#ifndef PR_THP_DISABLE_EXCEPT_ADVISED
#define PR_THP_DISABLE_EXCEPT_ADVISED (1 << 1)
#endif

int fl_process_follow(pid_t parent, struct fl_err *err)
{
    if (!parent)
        return 0;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL))
        return fl_fail(err, -errno, "cannot follow the runner: %s", strerror(errno));
    if (getppid() != parent) /* it went before the line above */
        return fl_fail(err, -ESRCH, "the runner %ld has gone", (long)parent);
    return 0;
}

/* Reads `N` or `N-M` off `*text`; the set keeps what fits. */
static int take_range(const char **text, cpu_set_t *set)
{
    char *end;
    unsigned long first = strtoul(*text, &end, 10), last = first;
    if (end == *text)
        return -EINVAL;
    if (*end == '-') {
        const char *second = end + 1;
        last = strtoul(second, &end, 10);
        if (end == second)
            return -EINVAL;
    }
    if (first > last || last >= CPU_SETSIZE)
        return -EINVAL;
    for (unsigned long cpu = first; cpu <= last; cpu++)
        CPU_SET(cpu, set);
    *text = end;
    return 0;
}

int fl_process_pin(const char *list, struct fl_err *err)
{
    cpu_set_t set;
    const char *rest = list;
    CPU_ZERO(&set);
    do {
        if (take_range(&rest, &set))
            return fl_fail(err, -EINVAL, "'%s' is no list of processors such as 0,2-3", list);
    } while (*rest++ == ',');
    if (rest[-1])
        return fl_fail(err, -EINVAL, "'%s' is no list of processors such as 0,2-3", list);
    if (sched_setaffinity(0, sizeof set, &set))
        return fl_fail(err, -errno, "cannot run on processors %s: %s", list, strerror(errno));
    return 0;
}

/* Maps one line of /proc/self/maps where it is a file that can be read. Larger ones are libraries
 * under test, whose code has run by the time of the window. */
static void map_line(const char *line)
{
    unsigned long from, to, inode;
    char mode;
    if (sscanf(line, "%lx-%lx %c%*3s %*x %*s %lu", &from, &to, &mode, &inode) == 4 && mode == 'r' &&
        inode && to - from <= MAPPED_MOST)
        madvise((void *)from, to - from, MADV_POPULATE_READ);
}

void fl_process_map_files(void)
{
    char text[64 * 1024]; /* on the stack: stdio would allocate */
    size_t used = 0;
    ssize_t got = 1;
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    while (used < sizeof text - 1 && (got = read(fd, text + used, sizeof text - 1 - used)) > 0)
        used += (size_t)got;
    close(fd);
    text[used] = 0;
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        map_line(line);
    }
}

/* Is `always` the word in brackets? What cannot be read is `otherwise`. */
static bool is_always(const char *path, bool otherwise)
{
    char text[64] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return otherwise;
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    return length > 0 ? strstr(text, "[always]") != NULL : otherwise;
}

bool fl_process_gets_huge_pages(const char *folder)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/enabled", folder);
    bool always = is_always(path, true);
    for (unsigned kib = 8; kib <= 1u << 20 && !always; kib *= 2) {
        snprintf(path, sizeof path, "%s/hugepages-%ukB/enabled", folder, kib);
        always = is_always(path, false);
    }
    return always;
}

int fl_process_no_huge_pages(struct fl_err *err)
{
    if (!prctl(PR_SET_THP_DISABLE, 1, PR_THP_DISABLE_EXCEPT_ADVISED, 0, 0) ||
        !fl_process_gets_huge_pages("/sys/kernel/mm/transparent_hugepage"))
        return 0;
    if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))
        return fl_fail(err, -errno, "cannot switch huge pages off: %s", strerror(errno));
    return 0;
}

int fl_process_verify_runtime(const char *runtime, struct fl_err *err)
{
    if (!runtime || strcmp(runtime, "libomp") != 0 || dlsym(RTLD_DEFAULT, "__kmpc_fork_call"))
        return 0;
    return fl_fail(err, -ENOTSUP,
                   "this process does not have omp-runtime=libomp: it was not preloaded");
}
