/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the environment. What is one file is one row of a table; what needs thought is in
 * environment-cpu.c (processor), environment-process.c (process, libc, build) and here (memory).
 */
#include "machine/environment.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "machine/cgroup.h"
#include "machine/cpu-time.h"
#include "machine/environment-group.h"
#include "machine/host.h"
#include "machine/procfile.h"
#include "machine/sysfile.h"

enum reading { WHOLE, CHOICE };

/* One file, one property. */
struct row {
    const char *name, *path;
    enum reading reading;
};

static const struct row rows[] = {
    {"cpu.online", "/sys/devices/system/cpu/online", WHOLE},
    {"cpu.isolated", "/sys/devices/system/cpu/isolated", WHOLE},
    {"cpu.nohz-full", "/sys/devices/system/cpu/nohz_full", WHOLE},
    {"cpu.smt", "/sys/devices/system/cpu/smt/control", WHOLE},
    {"cpu.smt-active", "/sys/devices/system/cpu/smt/active", WHOLE},
    {"cpu.idle-driver", "/sys/devices/system/cpu/cpuidle/current_driver", WHOLE},
    {"kernel.release", "/proc/sys/kernel/osrelease", WHOLE},
    {"kernel.build", "/proc/sys/kernel/version", WHOLE},
    {"kernel.clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource",
     WHOLE},
    {"kernel.aslr", "/proc/sys/kernel/randomize_va_space", WHOLE},
    {"kernel.perf-event-paranoid", "/proc/sys/kernel/perf_event_paranoid", WHOLE},
    {"kernel.ptrace-scope", "/proc/sys/kernel/yama/ptrace_scope", WHOLE},
    {"kernel.autogroup", "/proc/sys/kernel/sched_autogroup_enabled", WHOLE},
    {"kernel.numa-balancing", "/proc/sys/kernel/numa_balancing", WHOLE},
    {"kernel.meltdown", "/sys/devices/system/cpu/vulnerabilities/meltdown", WHOLE},
    {"kernel.spectre-v2", "/sys/devices/system/cpu/vulnerabilities/spectre_v2", WHOLE},
    {"kernel.retbleed", "/sys/devices/system/cpu/vulnerabilities/retbleed", WHOLE},
    {"memory.swappiness", "/proc/sys/vm/swappiness", WHOLE},
    {"memory.overcommit", "/proc/sys/vm/overcommit_memory", WHOLE},
    {"memory.huge-pages", "/proc/sys/vm/nr_hugepages", WHOLE},
    {"memory.ksm", "/sys/kernel/mm/ksm/run", WHOLE},
    {"thp.enabled", "/sys/kernel/mm/transparent_hugepage/enabled", CHOICE},
    {"thp.defrag", "/sys/kernel/mm/transparent_hugepage/defrag", CHOICE},
    {"thp.bytes", "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", WHOLE},
};

int fl_environment_read(const char *root, const char *path, struct fl_properties *out,
                        const char *name)
{
    char text[FL_SYSFILE_MAX];
    int status = fl_sysfile_read(root, path, text, sizeof text);
    const char *value = status == 0                               ? text
                        : status == -ENOENT || status == -ENOTDIR ? FL_ABSENT
                                                                  : FL_UNREADABLE;
    return fl_properties_set(out, name, "%s", value);
}

static int collect_row(const char *root, const struct row *row, struct fl_properties *out)
{
    char text[1024], choice[1024];
    if (row->reading == CHOICE && fl_sysfile_read(root, row->path, text, sizeof text) == 0) {
        fl_proc_choice(text, choice, sizeof choice);
        return fl_properties_set(out, row->name, "%s", choice);
    }
    return fl_environment_read(root, row->path, out, row->name);
}

static int collect_rows(const char *root, struct fl_properties *out)
{
    int status = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && status == 0; i++)
        status = collect_row(root, &rows[i], out);
    return status;
}

/* Sizes of multi-size THP that are not "never", as `64kB=inherit 2048kB=inherit`. */
static int collect_mthp(const char *root, struct fl_properties *out)
{
    char path[128], text[128], choice[32], all[1024] = "";
    size_t used = 0;
    bool any = false;
    for (unsigned long kib = 4; kib <= 1048576; kib *= 2) {
        snprintf(path, sizeof path, "/sys/kernel/mm/transparent_hugepage/hugepages-%lukB/enabled",
                 kib);
        if (fl_sysfile_read(root, path, text, sizeof text) != 0)
            continue;
        any = true;
        if (fl_proc_choice(text, choice, sizeof choice) && strcmp(choice, "never") != 0)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%lukB=%s",
                                     used != 0 ? " " : "", kib, choice);
    }
    return fl_properties_set(out, "thp.sizes", "%s", !any ? FL_ABSENT : used == 0 ? "none" : all);
}

static int collect_memory(const char *root, struct fl_properties *out)
{
    char text[FL_SYSFILE_MAX];
    unsigned long long bytes;
    int status = fl_properties_set(out, "memory.page-bytes", "%ld", sysconf(_SC_PAGESIZE));
    if (fl_sysfile_read(root, "/proc/meminfo", text, sizeof text) != 0)
        text[0] = '\0';
    if (status == 0 && fl_proc_bytes(text, "MemTotal", &bytes))
        status = fl_properties_set(out, "memory.bytes", "%llu", bytes);
    if (status == 0 && fl_proc_bytes(text, "SwapTotal", &bytes))
        status = fl_properties_set(out, "memory.swap-bytes", "%llu", bytes);
    return status;
}

static int collect_cgroup(const char *root, struct fl_properties *out)
{
    struct fl_cgroup group;
    fl_cgroup_read(root, &group);
    int status = fl_properties_set(out, "cgroup.version", "%d", group.version);
    if (status == 0 && group.cpus > 0)
        status = fl_properties_set(out, "cgroup.cpus", "%g", group.cpus);
    if (status == 0 && group.memory > 0)
        status = fl_properties_set(out, "cgroup.memory-bytes", "%llu", group.memory);
    return status;
}

static int collect_host(const char *root, struct fl_properties *out)
{
    char text[FL_SYSFILE_MAX], name[256];
    fl_host_hypervisor(root, name, sizeof name);
    int status = fl_properties_set(out, "host.hypervisor", "%s", name);
    fl_host_container(root, name, sizeof name);
    if (status == 0)
        status = fl_properties_set(out, "host.container", "%s", name);
    fl_host_emulator(name, sizeof name);
    if (status == 0)
        status = fl_properties_set(out, "host.emulator", "%s", name);
    if (status == 0 && fl_sysfile_read(root, "/etc/os-release", text, sizeof text) == 0 &&
        fl_proc_assignment(text, "PRETTY_NAME", name, sizeof name))
        status = fl_properties_set(out, "os.name", "%s", name);
    return status;
}

/* What all processors did since boot, in ticks. */
static int collect_ticks(const char *root, struct fl_properties *out)
{
    struct fl_cpu_time time;
    if (fl_cpu_time_read(root, FL_CPU_TIME_ALL, &time) != 0)
        return fl_properties_set(out, "load.busy-ticks", FL_ABSENT);
    int status = fl_properties_set(out, "load.busy-ticks", "%" PRIu64, time.busy);
    return status == 0 ? fl_properties_set(out, "load.stolen-ticks", "%" PRIu64, time.steal)
                       : status;
}

/* What changes from minute to minute. */
static int collect_load(const char *root, struct fl_properties *out)
{
    char text[FL_SYSFILE_MAX];
    unsigned long long total, left;
    int status = fl_environment_read(root, "/proc/loadavg", out, "load.average");
    if (status == 0)
        status = fl_environment_read(root, "/proc/uptime", out, "load.uptime");
    if (status == 0)
        status = collect_ticks(root, out);
    if (status != 0 || fl_sysfile_read(root, "/proc/meminfo", text, sizeof text) != 0)
        return status;
    if (fl_proc_bytes(text, "MemAvailable", &left))
        status = fl_properties_set(out, "load.available-bytes", "%llu", left);
    if (status == 0 && fl_proc_bytes(text, "SwapTotal", &total) &&
        fl_proc_bytes(text, "SwapFree", &left))
        status =
            fl_properties_set(out, "load.swapped-bytes", "%llu", total > left ? total - left : 0);
    return status;
}

bool fl_environment_knows(const struct fl_properties *list, const char *name)
{
    const char *value = fl_properties_get(list, name);
    return value != NULL && strcmp(value, FL_ABSENT) != 0 && strcmp(value, FL_UNREADABLE) != 0;
}

int fl_environment_collect(const struct fl_environment_source *source, struct fl_properties *out,
                           struct fl_err *err)
{
    const char *root = source->root != NULL ? source->root : "";
    const char *const *variables =
        source->variables != NULL ? source->variables : (const char *const *)environ;
    int status = fl_environment_collect_build(out);
    if (status == 0)
        status = fl_environment_collect_cpu(root, source->topology, out);
    if (status == 0)
        status = collect_rows(root, out);
    if (status == 0)
        status = collect_mthp(root, out);
    if (status == 0)
        status = collect_memory(root, out);
    if (status == 0)
        status = collect_cgroup(root, out);
    if (status == 0)
        status = collect_host(root, out);
    if (status == 0)
        status = fl_environment_collect_process(root, variables, out);
    if (status == 0)
        status = collect_load(root, out);
    return status == 0 ? 0 : fl_fail(err, status, "cannot record the environment: out of memory");
}
