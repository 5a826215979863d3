/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of what can be counted: faults, events, system calls, locks.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "machine/doctor-check.h"
#include "machine/environment.h"

static bool judge_emulator(const struct fl_doctor_input *input, struct fl_check *check)
{
    if (fl_doctor_is(input, "host.emulator", "none"))
        return fl_check_good(check, "the processor itself runs this program");
    fl_check_good(check, "%s runs this program", fl_doctor_text(input, "host.emulator"));
    return fl_check_less(check, FL_CHECK_LIMIT,
                         "counts and times are the emulator's and are stored as unavailable; only "
                         "numerical results can be tested",
                         "run faultline on a machine of this architecture");
}

static bool judge_faults(const struct fl_doctor_input *input, struct fl_check *check)
{
    const struct fl_ability *faults = &input->abilities->faults;
    if (faults->status != 0 && faults->status != -ENODATA) {
        fl_check_good(check, "could not be tried: %s", strerror(-faults->status));
        return fl_check_less(check, FL_CHECK_LIMIT, "fault counts are not to be trusted",
                             "allow this user to start processes and map memory (ulimit -a)");
    }
    fl_check_good(check, "getrusage counted %lld for %d first touches of a page", faults->counted,
                  FL_ABILITY_PAGES);
    if (faults->status == 0 && faults->counted == FL_ABILITY_PAGES)
        return true;
    return fl_check_less(check, FL_CHECK_LIMIT,
                         "fault counts are not exact here; verdicts on minor-faults may cry wolf",
                         "%s",
                         faults->counted < FL_ABILITY_PAGES
                             ? "run outside the sandbox or emulator that hides faults, or on "
                               "a kernel that obeys PR_SET_THP_DISABLE for all page sizes"
                             : "switch NUMA balancing off (sysctl kernel.numa_balancing=0) "
                               "and run outside emulators");
}

static bool judge_thp(const struct fl_doctor_input *input, struct fl_check *check)
{
    if (!fl_environment_knows(input->environment, "thp.enabled"))
        return fl_check_good(check, "this kernel has none");
    const char *mode = fl_doctor_text(input, "thp.enabled");
    fl_check_good(check, "enabled=%s, defrag=%s, sizes: %s", mode,
                  fl_doctor_text(input, "thp.defrag"), fl_doctor_text(input, "thp.sizes"));
    if (strcmp(mode, "always") != 0)
        return true;
    return fl_check_less(check, FL_CHECK_NOTE,
                         "cells with thp=system get huge pages, so their fault counts depend on "
                         "alignment and free memory; thp=off, the default, is not affected",
                         "nothing for thp=off; for thp=system echo madvise > "
                         "/sys/kernel/mm/transparent_hugepage/enabled");
}

static bool judge_page(const struct fl_doctor_input *input, struct fl_check *check)
{
    long bytes = (long)fl_doctor_number(input, "memory.page-bytes", 0);
    fl_check_good(check, "%ld bytes", bytes);
    if (bytes == 4096)
        return true;
    return fl_check_less(check, FL_CHECK_NOTE,
                         "fault counts differ from those published for 4096-byte pages and are "
                         "not comparable with them",
                         "compare with runs of the same page size; nothing to fix");
}

#define PMU_CURE                                                                                   \
    "ask the hypervisor for a virtual PMU (KVM: -cpu host,pmu=on), or use a physical machine"

/* Why perf_event_open failed, and the cure. */
static void explain_perf(const struct fl_doctor_input *input, int status, const char **why,
                         const char **cure)
{
    switch (-status) {
    case EACCES:
    case EPERM:
        *why = fl_doctor_number(input, "kernel.perf-event-paranoid", -1) > 2
                   ? "kernel.perf_event_paranoid forbids them to users"
                   : "perf_event_open is forbidden here, as in many containers";
        *cure = "as root: sysctl kernel.perf_event_paranoid=1; a container also needs CAP_PERFMON "
                "and a seccomp profile that allows perf_event_open";
        return;
    case ENOSYS:
        *why = "perf_event_open is not there";
        *cure = "use a kernel with CONFIG_PERF_EVENTS, outside emulators and sandboxes";
        return;
    case ENODATA:
        *why = "the event opens, and stays at 0";
        *cure = PMU_CURE;
        return;
    default:
        *why = "the processor offers no counters, as usual in a virtual machine";
        *cure = PMU_CURE;
        return;
    }
}

static bool judge_hardware(const struct fl_doctor_input *input, struct fl_check *check)
{
    const char *why, *cure;
    const struct fl_ability *cycles = &input->abilities->cycles;
    if (cycles->status == 0)
        return fl_check_good(check, "the processor's cycles are counted");
    explain_perf(input, cycles->status, &why, &cure);
    fl_check_good(check, "none: %s", why);
    return fl_check_less(check, FL_CHECK_LIMIT,
                         "perf: metrics of the processor (cycles, instructions, cache misses) are "
                         "unavailable; faults, locks, system calls and time are not affected",
                         "%s", cure);
}

static bool judge_software(const struct fl_doctor_input *input, struct fl_check *check)
{
    const char *why, *cure;
    if (input->abilities->software.status != 0) {
        explain_perf(input, input->abilities->software.status, &why, &cure);
        fl_check_good(check, "none: %s", why);
        return fl_check_less(check, FL_CHECK_LIMIT,
                             "perf: metrics of the kernel are unavailable; minor-faults and "
                             "switches come from getrusage and are not affected",
                             "%s", cure);
    }
    if (input->abilities->kernel_mode.status == 0)
        return fl_check_good(check, "counted in user mode and in the kernel");
    fl_check_good(check, "counted in user mode only");
    return fl_check_less(check, FL_CHECK_NOTE,
                         "perf: events need the suffix :u, and those raised in the kernel "
                         "(context switches, migrations) are unavailable",
                         "as root of the machine, not of a container: sysctl "
                         "kernel.perf_event_paranoid=1");
}

static bool judge_tracepoints(const struct fl_doctor_input *input, struct fl_check *check)
{
    int status = input->abilities->tracepoint.status;
    bool fallback = input->abilities->tracing.status == 0;
    if (status == 0)
        return fl_check_good(check, "system calls are counted through %s",
                             fl_doctor_text(input, "kernel.tracefs"));
    fl_check_good(check, "not for this user: %s",
                  status == -ENOENT   ? "tracefs is not mounted"
                  : status == -EACCES ? "tracefs or the event is for root"
                                      : strerror(-status));
    return fl_check_less(check, fallback ? FL_CHECK_NOTE : FL_CHECK_LIMIT,
                         fallback ? "brk-calls and the like are counted by seccomp and ptrace "
                                    "instead: the same numbers, in counting samples that run slower"
                                  : "brk-calls, mmap-calls and the like are unavailable",
                         "%s",
                         status == -ENOENT ? "as root: mount -t tracefs nodev /sys/kernel/tracing"
                                           : "nothing, where the fallback works; else run as root, "
                                             "or with CAP_PERFMON and CAP_DAC_READ_SEARCH");
}

static bool judge_tracing(const struct fl_doctor_input *input, struct fl_check *check)
{
    int status = input->abilities->tracing.status;
    if (status == 0)
        return fl_check_good(check, "a child was stopped at a chosen system call");
    fl_check_good(check, "not possible: %s", strerror(-status));
    return fl_check_less(
        check, input->abilities->tracepoint.status == 0 ? FL_CHECK_NOTE : FL_CHECK_LIMIT,
        "system calls cannot be counted without tracepoints", "%s",
        fl_doctor_number(input, "kernel.ptrace-scope", 0) > 1
            ? "as root: sysctl kernel.yama.ptrace_scope=1"
            : "allow ptrace and seccomp (docker: --cap-add SYS_PTRACE), and do not run "
              "faultline itself under strace or a debugger");
}

static bool judge_probe(const struct fl_doctor_input *input, struct fl_check *check)
{
    if (input->probe_library != NULL && access(input->probe_library, R_OK) == 0)
        return fl_check_good(check, "%s", input->probe_library);
    fl_check_good(check, "libfaultline-probe.so is not %s",
                  input->probe_library != NULL ? "readable where it should be" : "found");
    return fl_check_less(check, FL_CHECK_LIMIT, "pthread-mutex and malloc metrics are unavailable",
                         "build or install it beside the faultline program (lib/)");
}

static bool judge_stack(const struct fl_doctor_input *input, struct fl_check *check)
{
    double bytes = fl_doctor_number(input, "process.stack-limit-bytes", 1e18);
    fl_check_good(check, "%s", fl_doctor_text(input, "process.stack-limit-bytes"));
    if (bytes >= 1024 * 1024)
        return true;
    return fl_check_less(check, FL_CHECK_LIMIT,
                         "cells whose workspace would fill more than half of the stack are refused "
                         "(stack+malloc takes up to 256 KiB)",
                         "ulimit -s 8192");
}

const struct fl_doctor_row fl_doctor_counting_rows[] = {
    {"emulation", "emulation", judge_emulator},
    {"page-faults", "page faults", judge_faults},
    {"huge-pages", "transparent huge pages", judge_thp},
    {"page-size", "page size", judge_page},
    {"hardware-counters", "hardware counters", judge_hardware},
    {"software-events", "software events", judge_software},
    {"tracepoints", "tracepoints", judge_tracepoints},
    {"ptrace", "seccomp and ptrace", judge_tracing},
    {"probe", "preload probe", judge_probe},
    {"stack", "stack limit in bytes", judge_stack},
    {NULL, NULL, NULL},
};
