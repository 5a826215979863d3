/* SPDX-License-Identifier: Apache-2.0 */
/* Says why perf_event_open refused, and what to do about it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf-set.h"

/* Allocates nothing: a reason is written in the measured process too. */
static int paranoid_level(void)
{
    char text[16] = "";
    int file = open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 99;
    ssize_t length = read(file, text, sizeof(text) - 1);
    close(file);
    return length > 0 ? atoi(text) : 99;
}

static void denied(const char *event, char *out, size_t size)
{
    int level = paranoid_level();
    if (level <= 1)
        snprintf(out, size,
                 "cannot count '%s': permission denied although perf_event_paranoid is %d: run as "
                 "root or with CAP_PERFMON",
                 event, level);
    else if (level == 2)
        snprintf(out, size,
                 "cannot count '%s': perf_event_paranoid is 2, so that only user mode can be "
                 "counted: sysctl kernel.perf_event_paranoid=1, run with CAP_PERFMON, or ask for "
                 "'%s:u'",
                 event, event);
    else
        snprintf(
            out, size,
            "cannot count '%s': perf_event_paranoid is above 2 and forbids perf events: sysctl "
            "kernel.perf_event_paranoid=1, or run with CAP_PERFMON",
            event);
}

void fl_perf_reason(int error, const char *event, char *out, size_t size)
{
    switch (-error) {
    case EACCES:
        denied(event, out, size);
        return;
    case EPERM:
        snprintf(out, size,
                 "cannot count '%s': perf_event_open is forbidden, as in a container with a "
                 "system-call filter: give it CAP_PERFMON and a seccomp profile that allows "
                 "perf_event_open",
                 event);
        return;
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
    case ENXIO:
        snprintf(out, size,
                 "cannot count '%s': no hardware counter here offers it, as in a virtual machine "
                 "without one: use bare metal or give the virtual machine a PMU; software events "
                 "(page-faults, context-switches, task-clock) work without",
                 event);
        return;
    case EMFILE:
        snprintf(out, size, "cannot count '%s': too many open files: raise 'ulimit -n'", event);
        return;
    case ENOSYS:
        snprintf(out, size,
                 "cannot count '%s': this kernel has no perf events: use one with "
                 "CONFIG_PERF_EVENTS",
                 event);
        return;
    default:
        snprintf(out, size, "cannot count '%s': perf_event_open: %s", event, strerror(-error));
    }
}
