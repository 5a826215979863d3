/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processor's part of the environment.
 */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "machine/cpulist.h"
#include "machine/environment-group.h"
#include "machine/environment.h"
#include "machine/procfile.h"
#include "machine/sysfile.h"

/* Lines of /proc/cpuinfo, x86 and Arm. */
static const struct {
    const char *key, *name;
} cpu_lines[] = {
    {"model name", "cpu.model"},
    {"vendor_id", "cpu.vendor"},
    {"cpu family", "cpu.family"},
    {"model", "cpu.model-number"},
    {"stepping", "cpu.stepping"},
    {"microcode", "cpu.microcode"},
    {"CPU implementer", "cpu.implementer"},
    {"CPU part", "cpu.part"},
    {"CPU variant", "cpu.variant"},
    {"CPU revision", "cpu.revision"},
};

/* Flags that decide which code runs or how time and faults behave. */
static const char *const features[] = {
    "sse4_2",       "avx",         "avx2",         "fma",         "f16c",        "avx512f",
    "avx512dq",     "avx512bw",    "avx512vl",     "avx512_vnni", "avx512_bf16", "avx512_fp16",
    "avx_vnni",     "amx_tile",    "erms",         "fsrm",        "waitpkg",     "rtm",
    "constant_tsc", "nonstop_tsc", "tsc_reliable", "pcid",        "pti",         "hypervisor",
    "asimd",        "atomics",     "asimddp",      "i8mm",        "bf16",        "sve",
    "sve2",         NULL,
};

static int collect_features(const char *flags, struct fl_properties *out)
{
    char text[1024] = "";
    size_t used = 0;
    for (const char *const *f = features; *f != NULL; f++)
        if (fl_proc_has_word(flags, *f))
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "", *f);
    return fl_properties_set(out, "cpu.features", "%s", text);
}

static int collect_cpuinfo(const char *root, struct fl_properties *out)
{
    char text[FL_SYSFILE_MAX], value[8192], level[64];
    struct utsname name;
    if (fl_sysfile_read(root, "/proc/cpuinfo", text, sizeof text) != 0)
        return fl_properties_set(out, "cpu.model", FL_ABSENT);
    int status = 0;
    for (size_t i = 0; i < sizeof cpu_lines / sizeof *cpu_lines && status == 0; i++)
        if (fl_proc_field(text, cpu_lines[i].key, value, sizeof value))
            status = fl_properties_set(out, cpu_lines[i].name, "%s", value);
    if (!fl_proc_field(text, "flags", value, sizeof value) &&
        !fl_proc_field(text, "Features", value, sizeof value))
        value[0] = '\0';
    uname(&name);
    fl_proc_isa_level(name.machine, value, level, sizeof level);
    if (status == 0)
        status = fl_properties_set(out, "cpu.machine", "%s", name.machine);
    if (status == 0)
        status = fl_properties_set(out, "cpu.isa-level", "%s", level);
    return status == 0 ? collect_features(value, out) : status;
}

static int collect_caches(const struct fl_topology *t, struct fl_properties *out)
{
    static const char *const names[] = {NULL, "cache.l1d-bytes", "cache.l2-bytes",
                                        "cache.l3-bytes"};
    static const char *const sharers[] = {NULL, "cache.l1d-sharers", "cache.l2-sharers",
                                          "cache.l3-sharers"};
    int status = fl_properties_set(out, "cache.line-bytes", "%u", t->line_bytes);
    for (int level = 1; level <= 3 && status == 0; level++) {
        if (t->cache_bytes[level] == 0)
            continue;
        status = fl_properties_set(out, names[level], "%lu", t->cache_bytes[level]);
        if (status == 0)
            status = fl_properties_set(out, sharers[level], "%u", t->cache_sharers[level]);
    }
    return status;
}

static int collect_counts(const struct fl_topology *t, struct fl_properties *out)
{
    const struct {
        const char *name;
        unsigned count;
    } counts[] = {
        {"cpu.processors", t->online},
        {"cpu.allowed-processors", (unsigned)t->count},
        {"cpu.usable-threads", t->usable},
        {"cpu.cores", t->cores},
        {"cpu.packages", t->packages},
        {"cpu.numa-nodes", t->numa_nodes},
        {"cpu.threads-per-core", t->processors[0].siblings},
    };
    int status = 0;
    for (size_t i = 0; i < sizeof counts / sizeof *counts && status == 0; i++)
        status = fl_properties_set(out, counts[i].name, "%u", counts[i].count);
    return status;
}

static int collect_topology(const struct fl_topology *t, struct fl_properties *out)
{
    struct fl_cpulist allowed = {{0}};
    char text[FL_CPULIST_TEXT_MAX];
    for (size_t i = 0; i < t->count; i++)
        fl_cpulist_add(&allowed, t->processors[i].cpu);
    int status = collect_counts(t, out);
    if (status == 0 && fl_cpulist_format(&allowed, text, sizeof text) == 0)
        status = fl_properties_set(out, "cpu.allowed", "%s", text);
    return status == 0 ? collect_caches(t, out) : status;
}

/* Turbo is reported by intel_pstate (inverted), by acpi-cpufreq and amd-pstate as `boost`. */
static int collect_turbo(const char *root, struct fl_properties *out)
{
    long long value;
    const char *text = FL_ABSENT;
    if (fl_sysfile_number(root, "/sys/devices/system/cpu/intel_pstate/no_turbo", &value) == 0)
        text = value == 0 ? "on" : "off";
    else if (fl_sysfile_number(root, "/sys/devices/system/cpu/cpufreq/boost", &value) == 0)
        text = value != 0 ? "on" : "off";
    return fl_properties_set(out, "cpu.turbo", "%s", text);
}

/* Frequency settings of the processor that a one-thread sample is pinned to. */
static int collect_frequency(const char *root, unsigned cpu, struct fl_properties *out)
{
    static const struct {
        const char *file, *name;
    } files[] = {
        {"scaling_governor", "cpu.governor"},
        {"scaling_driver", "cpu.frequency-driver"},
        {"scaling_min_freq", "cpu.frequency-min-khz"},
        {"scaling_max_freq", "cpu.frequency-max-khz"},
        {"energy_performance_preference", "cpu.energy-preference"},
    };
    char path[128];
    int status = collect_turbo(root, out);
    for (size_t i = 0; i < sizeof files / sizeof *files && status == 0; i++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpufreq/%s", cpu, files[i].file);
        status = fl_environment_read(root, path, out, files[i].name);
    }
    return status;
}

int fl_environment_collect_cpu(const char *root, const struct fl_topology *topology,
                               struct fl_properties *out)
{
    unsigned pin = 0;
    int status = collect_cpuinfo(root, out);
    if (status == 0 && topology != NULL) {
        pin = fl_topology_place(topology, FL_PIN_COMPACT, 0)->cpu;
        status = collect_topology(topology, out);
        if (status == 0)
            status = fl_properties_set(out, "cpu.pin", "%u", pin);
    }
    return status == 0 ? collect_frequency(root, pin, out) : status;
}
