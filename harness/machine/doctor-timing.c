/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of what moves times: processors, clocks, neighbours, the build itself.
 */
#include <string.h>

#include "machine/cpu-time.h"
#include "machine/doctor-check.h"
#include "machine/environment.h"

#define STEAL_NOTE  0.001 /* stolen share of wanted time that shows in medians of short windows */
#define STEAL_LIMIT 0.02  /* ... that is as large as what a gate must find */

static bool judge_processors(const struct fl_doctor_input *input, struct fl_check *check)
{
    const struct fl_topology *t = input->topology;
    fl_check_good(check, "%zu of %u usable by this process; cores: %u, packages: %u", t->count,
                  t->online, t->cores, t->packages);
    if (t->count > 1)
        return true;
    return fl_check_less(check, FL_CHECK_LIMIT,
                         "the sample shares its processor with everything else; barriers and "
                         "contention cannot be measured",
                         "%s",
                         t->online > 1 ? "widen the affinity mask (taskset, cpuset of the "
                                         "container)"
                                       : "use a machine with two processors or more");
}

static bool judge_quota(const struct fl_doctor_input *input, struct fl_check *check)
{
    const struct fl_topology *t = input->topology;
    if (!(t->quota > 0))
        return fl_check_good(check, "no limit");
    fl_check_good(check, "%g processors' worth of time on %zu processors", t->quota, t->count);
    if (t->quota >= (double)t->count)
        return true;
    return fl_check_less(check, FL_CHECK_LIMIT,
                         "teams larger than that are stopped for the rest of each period, which "
                         "shows as waits of tens of milliseconds; nproc stands for the smaller "
                         "number",
                         "raise the quota (docker: --cpus, systemd: CPUQuota=), or limit the "
                         "container by --cpuset-cpus instead");
}

static bool judge_isolation(const struct fl_doctor_input *input, struct fl_check *check)
{
    const struct fl_topology *t = input->topology;
    unsigned pin = fl_topology_place(t, FL_PIN_COMPACT, 0)->cpu;
    size_t isolated = 0;
    for (size_t i = 0; i < t->count; i++)
        isolated += t->processors[i].isolated;
    if (isolated > 0)
        return fl_check_good(check, "one-thread samples run on isolated processor %u", pin);
    if (fl_environment_knows(input->environment, "cpu.isolated") &&
        !fl_doctor_is(input, "cpu.isolated", "")) {
        fl_check_good(check, "processors %s are isolated, and not in the affinity mask",
                      fl_doctor_text(input, "cpu.isolated"));
        return fl_check_less(check, FL_CHECK_NOTE, "samples run where other work runs too",
                             "start faultline with taskset -c 0,%s",
                             fl_doctor_text(input, "cpu.isolated"));
    }
    fl_check_good(check, "none; one-thread samples run on processor %u", pin);
    return fl_check_less(
        check, FL_CHECK_NOTE,
        "other work may land on the measured processor: more rounds are needed "
        "for the same verdict; counts are not affected",
        "for quiet times boot with isolcpus=managed_irq,domain,%u nohz_full=%u and "
        "start faultline with taskset; not needed for verdicts",
        pin, pin);
}

static bool judge_smt(const struct fl_doctor_input *input, struct fl_check *check)
{
    unsigned width = 1;
    for (size_t i = 0; i < input->topology->count; i++)
        if (input->topology->processors[i].siblings > width)
            width = input->topology->processors[i].siblings;
    if (width == 1)
        return fl_check_good(check, "one hardware thread a core, as far as can be seen");
    fl_check_good(check, "%u hardware threads a core", width);
    return fl_check_less(check, FL_CHECK_NOTE,
                         "work on the sibling of the measured processor slows it down; teams are "
                         "placed one thread a core as long as cores last",
                         "as root: echo off > /sys/devices/system/cpu/smt/control");
}

static bool judge_numa(const struct fl_doctor_input *input, struct fl_check *check)
{
    if (input->topology->numa_nodes <= 1)
        return fl_check_good(check, "one");
    fl_check_good(check, "%u", input->topology->numa_nodes);
    return fl_check_less(check, FL_CHECK_NOTE,
                         "memory may lie on another node than the thread that uses it",
                         "numactl --cpunodebind=0 --membind=0 faultline ...");
}

static bool judge_governor(const struct fl_doctor_input *input, struct fl_check *check)
{
    if (!fl_environment_knows(input->environment, "cpu.governor"))
        return fl_check_good(check, "not visible here (usual in a virtual machine)");
    const char *governor = fl_doctor_text(input, "cpu.governor");
    fl_check_good(check, "%s (%s)", governor, fl_doctor_text(input, "cpu.frequency-driver"));
    if (strcmp(governor, "performance") == 0)
        return true;
    return fl_check_less(check, FL_CHECK_NOTE,
                         "the clock rises during a sample and differs between samples; settle "
                         "time and pairs take most of it out",
                         "as root: cpupower frequency-set -g performance");
}

static bool judge_turbo(const struct fl_doctor_input *input, struct fl_check *check)
{
    if (!fl_environment_knows(input->environment, "cpu.turbo"))
        return fl_check_good(check, "not visible here");
    fl_check_good(check, "%s", fl_doctor_text(input, "cpu.turbo"));
    if (!fl_doctor_is(input, "cpu.turbo", "on"))
        return true;
    return fl_check_less(check, FL_CHECK_NOTE,
                         "the clock depends on heat and on the number of busy cores: compare "
                         "only what ran interleaved, never two runs of different days",
                         "as root: echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, or "
                         "echo 0 > /sys/devices/system/cpu/cpufreq/boost");
}

static bool judge_clock(const struct fl_doctor_input *input, struct fl_check *check)
{
    static const char *const fast[] = {"tsc", "arch_sys_counter", "kvm-clock",
                                       "hyperv_clocksource_tsc_page", NULL};
    const char *name = fl_doctor_text(input, "kernel.clocksource");
    fl_check_good(check, "%s", name);
    for (const char *const *f = fast; *f != NULL; f++)
        if (strcmp(name, *f) == 0)
            return true;
    if (!fl_environment_knows(input->environment, "kernel.clocksource"))
        return true;
    return fl_check_less(check, FL_CHECK_LIMIT,
                         "reading the time is a system call of a microsecond: short windows and "
                         "wait times are too long by that",
                         "boot with clocksource=tsc tsc=reliable, if the machine's counter is "
                         "stable");
}

static bool judge_steal(const struct fl_doctor_input *input, struct fl_check *check)
{
    const struct fl_cpu_time boot = {
        .busy = (uint64_t)fl_doctor_number(input, "load.busy-ticks", 0),
        .steal = (uint64_t)fl_doctor_number(input, "load.stolen-ticks", 0)};
    double share = fl_cpu_time_steal_share(&boot);
    fl_check_good(check, "%.2f %% of the wanted time since boot", 100 * share);
    if (share < STEAL_NOTE)
        return true;
    return fl_check_less(check, share < STEAL_LIMIT ? FL_CHECK_NOTE : FL_CHECK_LIMIT,
                         "the hypervisor runs others on this processor: samples differ, verdicts "
                         "on time need more rounds and may stay inconclusive; counts are not "
                         "affected. Each sample stores what was stolen during it",
                         "use a dedicated instance or host, or gate on counts");
}

static bool judge_load(const struct fl_doctor_input *input, struct fl_check *check)
{
    double load = fl_doctor_number(input, "load.average", 0);
    fl_check_good(check, "%.2f over the last minute, %u processors", load, input->topology->online);
    if (load < 0.5)
        return true;
    return fl_check_less(check, load < input->topology->online ? FL_CHECK_NOTE : FL_CHECK_LIMIT,
                         "other work shares the caches, the memory and perhaps the processor with "
                         "the samples",
                         "stop it (top shows what it is), or wait");
}

static bool judge_swap(const struct fl_doctor_input *input, struct fl_check *check)
{
    double used = fl_doctor_number(input, "load.swapped-bytes", 0);
    fl_check_good(check, "%.0f MiB in use", used / 1048576);
    if (used < 1048576)
        return true;
    return fl_check_less(check, FL_CHECK_NOTE,
                         "pages that were swapped out come back as major faults",
                         "free memory, then as root: swapoff -a && swapon -a");
}

static bool judge_hypervisor(const struct fl_doctor_input *input, struct fl_check *check)
{
    if (fl_doctor_is(input, "host.hypervisor", "none"))
        return fl_check_good(check, "none found");
    fl_check_good(check, "%s", fl_doctor_text(input, "host.hypervisor"));
    return fl_check_less(check, FL_CHECK_NOTE,
                         "a page fault costs more than on the bare machine, and neighbours cannot "
                         "be seen; counts are the same",
                         "compare times only with runs of this machine; nothing to fix");
}

static bool judge_container(const struct fl_doctor_input *input, struct fl_check *check)
{
    if (fl_doctor_is(input, "host.container", "none"))
        return fl_check_good(check, "none found");
    fl_check_good(check, "%s", fl_doctor_text(input, "host.container"));
    return fl_check_less(check, FL_CHECK_NOTE,
                         "the measurement lock and the load of the host end at the container's "
                         "walls: two containers may measure at once",
                         "share the lock: docker run -v /run/lock:/run/lock ...");
}

static bool judge_aslr(const struct fl_doctor_input *input, struct fl_check *check)
{
    bool off =
        fl_doctor_is(input, "kernel.aslr", "0") || fl_doctor_is(input, "process.aslr", "off");
    fl_check_good(check, "%s", off ? "off" : "on");
    if (!off)
        return true;
    return fl_check_less(check, FL_CHECK_NOTE,
                         "every sample has the same addresses: a lucky or unlucky layout cannot "
                         "average out and looks like a difference between programs",
                         "as root: sysctl kernel.randomize_va_space=2; do not use setarch -R");
}

/* A variable of the environment that is more than a language. */
static bool is_setting(const char *property)
{
    return strncmp(property, "env.", 4) == 0 && strncmp(property, "env.LANG", 8) != 0 &&
           strncmp(property, "env.LC_", 7) != 0;
}

static bool judge_variables(const struct fl_doctor_input *input, struct fl_check *check)
{
    char names[256] = "";
    size_t used = 0, count = 0;
    for (size_t i = 0; i < input->environment->count; i++) {
        const char *name = input->environment->items[i].name;
        if (!is_setting(name))
            continue;
        count++;
        if (used + strlen(name) < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? " " : "",
                                     name + 4);
    }
    if (count == 0)
        return fl_check_good(check, "none is set that moves results");
    fl_check_good(check, "%s", names);
    return fl_check_less(check, FL_CHECK_NOTE,
                         "those of mallocs, BLAS and OpenMP libraries are taken out for measured "
                         "processes, where the cell decides; LD_LIBRARY_PATH decides which "
                         "libraries are found",
                         "unset them; what is to be measured is a level of a factor "
                         "(malloc=glibc-pinned)");
}

static bool judge_build(const struct fl_doctor_input *input, struct fl_check *check)
{
    const char *type = fl_doctor_text(input, "faultline.build-type");
    bool sanitized = fl_environment_knows(input->environment, "faultline.sanitizers");
    fl_check_good(check, "%s, %s%s%s", type, fl_doctor_text(input, "faultline.compiler"),
                  sanitized ? ", sanitizers: " : "",
                  sanitized ? fl_doctor_text(input, "faultline.sanitizers") : "");
    if (!sanitized && (strcmp(type, "Release") == 0 || strcmp(type, "RelWithDebInfo") == 0))
        return true;
    return fl_check_less(check, FL_CHECK_LIMIT,
                         sanitized ? "faults, allocations and times are the sanitizer's"
                                   : "times of our own kernels mean nothing; counts are right",
                         "cmake --preset release && cmake --build --preset release");
}

static bool judge_lock(const struct fl_doctor_input *input, struct fl_check *check)
{
    if (input->lock_holder == 0)
        return fl_check_good(check, "nobody is measuring");
    fl_check_good(check, "process %d is measuring", input->lock_holder);
    return fl_check_less(check, FL_CHECK_NOTE, "a run started now waits for it",
                         "wait, or end that process");
}

const struct fl_doctor_row fl_doctor_timing_rows[] = {
    {"build", "this build", judge_build},
    {"processors", "processors", judge_processors},
    {"quota", "processor quota", judge_quota},
    {"isolation", "isolated processors", judge_isolation},
    {"smt", "hardware threads", judge_smt},
    {"numa", "NUMA nodes", judge_numa},
    {"governor", "frequency governor", judge_governor},
    {"turbo", "turbo", judge_turbo},
    {"clock", "clock source", judge_clock},
    {"hypervisor", "hypervisor", judge_hypervisor},
    {"container", "container", judge_container},
    {"steal", "stolen time", judge_steal},
    {"load", "load", judge_load},
    {"swap", "swap", judge_swap},
    {"aslr", "address randomisation", judge_aslr},
    {"variables", "environment variables", judge_variables},
    {"lock", "measurement lock", judge_lock},
    {NULL, NULL, NULL},
};
