/* SPDX-License-Identifier: Apache-2.0 */
/* MemAvailable and the control group's limit, whichever is less. */
#include "machine/free-memory.h"

#include "machine/cgroup.h"
#include "machine/procfile.h"
#include "machine/sysfile.h"

unsigned long long fl_free_memory(const char *root)
{
    char text[FL_SYSFILE_MAX];
    struct fl_cgroup group;
    unsigned long long bytes = 0;
    if (fl_sysfile_read(root, "/proc/meminfo", text, sizeof text) ||
        !fl_proc_bytes(text, "MemAvailable", &bytes))
        bytes = 0;
    fl_cgroup_read(root, &group);
    return group.memory && (!bytes || group.memory < bytes) ? group.memory : bytes;
}
