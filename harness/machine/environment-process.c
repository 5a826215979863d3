/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process's part of the environment: libc, build, limits, variables, kernel parameters.
 */
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <unistd.h>

#include "machine/build-info.h"
#include "machine/environment-group.h"
#include "machine/environment.h"
#include "machine/loaded-object.h"
#include "machine/procfile.h"
#include "machine/sysfile.h"
#include "machine/tracefs.h"

/* Can a variable of this name change what is measured? */
static bool variable_matters(const char *name)
{
    static const char *const prefixes[] = {
        "MALLOC_", "OMP_",       "GOMP_",     "KMP_",       "OPENBLAS_", "GOTO_",
        "BLIS_",   "MKL_",       "MIMALLOC_", "TCMALLOC_",  "JE_MALLOC", "_RJEM_",
        "HEAP",    "PERFTOOLS_", "LD_",       "FAULTLINE_", NULL,
    };
    static const char *const names[] = {
        "GLIBC_TUNABLES",
        "JEMALLOC_SYS_WITH_MALLOC_CONF",
        "_RJEM_MALLOC_CONF",
        "PATH_LOCALE",
        "LANG",
        "LC_ALL",
        "LC_NUMERIC",
        "LC_CTYPE",
        "LIBC_FATAL_STDERR_",
        NULL,
    };
    for (const char *const *p = prefixes; *p != NULL; p++)
        if (strncmp(name, *p, strlen(*p)) == 0)
            return true;
    for (const char *const *n = names; *n != NULL; n++)
        if (strcmp(name, *n) == 0)
            return true;
    return false;
}

static int collect_variables(const char *const *variables, struct fl_properties *out)
{
    int status = 0;
    for (; *variables != NULL && status == 0; variables++) {
        char name[128] = "env.";
        const char *equals = strchr(*variables, '=');
        size_t length = equals != NULL ? (size_t)(equals - *variables) : 0;
        if (length == 0 || length >= sizeof name - 4)
            continue;
        memcpy(name + 4, *variables, length);
        name[4 + length] = '\0';
        if (variable_matters(name + 4))
            status = fl_properties_set(out, name, "%s", equals + 1);
    }
    return status;
}

static int collect_libc(struct fl_properties *out)
{
    struct fl_loaded_object libc;
    int status = fl_properties_set(out, "libc.version", "glibc %s", gnu_get_libc_version());
    if (status != 0 || fl_loaded_object_find("libc.so", &libc) != 0)
        return status;
    status = fl_properties_set(out, "libc.path", "%s", libc.path);
    if (status == 0 && libc.build_id[0] != '\0')
        status = fl_properties_set(out, "libc.build-id", "%s", libc.build_id);
    return status;
}

static int set_limit(struct fl_properties *out, const char *name, __rlimit_resource_t resource)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0)
        return fl_properties_set(out, name, FL_UNREADABLE);
    if (limit.rlim_cur == RLIM_INFINITY)
        return fl_properties_set(out, name, "unlimited");
    return fl_properties_set(out, name, "%llu", (unsigned long long)limit.rlim_cur);
}

static const char *scheduler_name(int policy)
{
    switch (policy & ~SCHED_RESET_ON_FORK) {
    case SCHED_OTHER:
        return "other";
    case SCHED_FIFO:
        return "fifo";
    case SCHED_RR:
        return "round-robin";
    case SCHED_BATCH:
        return "batch";
    case SCHED_IDLE:
        return "idle";
    default:
        return "another";
    }
}

static int collect_own_state(struct fl_properties *out)
{
    int personality_now = personality(0xffffffff);
    int status = set_limit(out, "process.stack-limit-bytes", RLIMIT_STACK);
    if (status == 0)
        status = set_limit(out, "process.locked-limit-bytes", RLIMIT_MEMLOCK);
    if (status == 0)
        status = set_limit(out, "process.address-limit-bytes", RLIMIT_AS);
    if (status == 0)
        status = fl_properties_set(out, "process.nice", "%d", getpriority(PRIO_PROCESS, 0));
    if (status == 0)
        status = fl_properties_set(out, "process.scheduler", "%s",
                                   scheduler_name(sched_getscheduler(0)));
    if (status == 0)
        status = fl_properties_set(out, "process.root", "%s", geteuid() == 0 ? "yes" : "no");
    if (status == 0 && personality_now >= 0)
        status = fl_properties_set(out, "process.aslr", "%s",
                                   (personality_now & ADDR_NO_RANDOMIZE) != 0 ? "off" : "on");
    return status;
}

/* What the C library takes for numbers: LC_ALL, then LC_NUMERIC, then LANG. */
static int collect_locale(const char *const *variables, struct fl_properties *out)
{
    static const char *const order[] = {"LC_ALL=", "LC_NUMERIC=", "LANG="};
    const char *found = "C";
    for (size_t i = sizeof order / sizeof *order; i > 0; i--)
        for (const char *const *v = variables; *v != NULL; v++)
            if (strncmp(*v, order[i - 1], strlen(order[i - 1])) == 0 &&
                (*v)[strlen(order[i - 1])] != '\0')
                found = *v + strlen(order[i - 1]);
    return fl_properties_set(out, "locale.numeric", "%s", found);
}

/* Boot parameters that move results; the rest of the line is nobody's business. */
static int collect_parameters(const char *root, struct fl_properties *out)
{
    static const char *const wanted[] = {
        "isolcpus",
        "nohz_full",
        "rcu_nocbs",
        "irqaffinity",
        "mitigations",
        "nopti",
        "pti",
        "nosmt",
        "transparent_hugepage",
        "thp_anon",
        "hugepages",
        "intel_pstate",
        "amd_pstate",
        "intel_idle.max_cstate",
        "processor.max_cstate",
        "idle",
        "clocksource",
        "tsc",
        "preempt",
        "nokaslr",
        "numa_balancing",
        "spectre_v2",
        "retbleed",
        NULL,
    };
    char text[8192], kept[2048] = "";
    size_t used = 0;
    if (fl_sysfile_read(root, "/proc/cmdline", text, sizeof text) != 0)
        return fl_properties_set(out, "kernel.parameters", FL_UNREADABLE);
    char *rest = text, *word;
    while ((word = strsep(&rest, " \n")) != NULL)
        for (const char *const *w = wanted; *w != NULL; w++)
            if (strncmp(word, *w, strlen(*w)) == 0 &&
                (word[strlen(*w)] == '\0' || word[strlen(*w)] == '=') &&
                used + strlen(word) + 2 < sizeof kept)
                used += (size_t)snprintf(kept + used, sizeof kept - used, "%s%s", used ? " " : "",
                                         word);
    return fl_properties_set(out, "kernel.parameters", "%s", kept);
}

static int collect_tracefs(const char *root, struct fl_properties *out)
{
    char path[FL_TRACEFS_PATH_MAX];
    int status = fl_tracefs_find(root, path, sizeof path);
    return status == 0 ? fl_properties_set(out, "kernel.tracefs", "%s", path)
                       : fl_properties_set(out, "kernel.tracefs", "%s",
                                           status == -ENOENT ? FL_ABSENT : FL_UNREADABLE);
}

int fl_environment_collect_process(const char *root, const char *const *variables,
                                   struct fl_properties *out)
{
    int status = collect_libc(out);
    if (status == 0)
        status = collect_own_state(out);
    if (status == 0)
        status = collect_locale(variables, out);
    if (status == 0)
        status = collect_parameters(root, out);
    if (status == 0)
        status = collect_tracefs(root, out);
    return status == 0 ? collect_variables(variables, out) : status;
}

int fl_environment_collect_build(struct fl_properties *out)
{
    struct fl_loaded_object self;
    int status = fl_properties_set(out, "faultline.version", "%s", FL_BUILD_VERSION);
    if (status == 0)
        status = fl_properties_set(out, "faultline.compiler", "%s", FL_BUILD_COMPILER);
    if (status == 0)
        status = fl_properties_set(out, "faultline.build-type", "%s", FL_BUILD_TYPE);
    if (status == 0)
        status = fl_properties_set(out, "faultline.flags", "%s", FL_BUILD_FLAGS);
    if (status == 0 && FL_BUILD_SANITIZE[0] != '\0')
        status = fl_properties_set(out, "faultline.sanitizers", "%s", FL_BUILD_SANITIZE);
    if (status == 0 && fl_loaded_object_find(NULL, &self) == 0 && self.build_id[0] != '\0')
        status = fl_properties_set(out, "faultline.build-id", "%s", self.build_id);
    return status;
}
