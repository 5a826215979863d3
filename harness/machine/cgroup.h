/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control group: the limits that the kernel puts on this process (cgroup v1, v2 or both mounted).
 *
 * A limit of any ancestor binds, so the smallest on the way up to the mount point counts. What is
 * above the mount point, outside a container, cannot be seen. No allocation; thread-safe.
 */
#ifndef FL_MACHINE_CGROUP_H
#define FL_MACHINE_CGROUP_H

#include <limits.h>

#include "faultline/error.h"

struct fl_cgroup {
    double cpus;               /* processors' worth of time per period; 0: no limit */
    unsigned long long memory; /* bytes; 0: no limit */
    int version;               /* where `cpus` was looked up: 1, 2, or 0: no cpu controller seen */
    char path[PATH_MAX];       /* the process's group in that hierarchy; "" when version is 0 */
};

/* Never fails: a tree that cannot be read has no limits and version 0. */
void fl_cgroup_read(const char *root, struct fl_cgroup *out);

/* Pure parsers. `cpu.max` of v2: "max 100000" or "150000 100000"; 0: no limit or not a limit. */
double fl_cgroup_parse_cpu_max(const char *text);

#endif
