/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probes of what can be counted.
 */
#include "machine/ability.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/tracefs.h"

#define SPIN_ROUNDS 1000000 /* cycles enough to be seen, under a millisecond */

static long long minor_faults(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_minflt : -1;
}

/* First touches of fresh pages. 0 or -errno. */
static int touch_pages(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = FL_ABILITY_PAGES * page;
    volatile char *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return -errno;
    for (size_t at = 0; at < bytes; at += page)
        memory[at] = 1;
    munmap((void *)memory, bytes);
    return 0;
}

static pid_t wait_for(pid_t child, int *state)
{
    pid_t got;
    do
        got = waitpid(child, state, 0);
    while (got < 0 && errno == EINTR);
    return got;
}

/* Runs in a child, because switching huge pages off is for a whole process. */
static void count_faults(struct fl_ability *shared)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    shared->status = touch_pages(); /* the first pass brings the code and the stack in */
    long long before = minor_faults();
    if (shared->status == 0)
        shared->status = touch_pages();
    shared->counted = minor_faults() - before;
    if (shared->status == 0 && shared->counted < FL_ABILITY_PAGES)
        shared->status = -ENODATA;
}

static struct fl_ability probe_faults(void)
{
    struct fl_ability out = {.status = -EIO};
    int state;
    struct fl_ability *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return (struct fl_ability){.status = -errno};
    *shared = out;
    pid_t child = fork();
    if (child == 0) {
        count_faults(shared);
        _exit(0);
    }
    if (child < 0 || wait_for(child, &state) < 0)
        shared->status = -errno;
    out = *shared;
    munmap(shared, sizeof *shared);
    return out;
}

enum modes { USER_MODE, ALL_MODES };

static int open_event(uint32_t type, uint64_t config, enum modes modes)
{
    struct perf_event_attr attr = {.size = sizeof attr,
                                   .type = type,
                                   .config = config,
                                   .disabled = 1,
                                   .exclude_hv = 1,
                                   .exclude_kernel = modes == USER_MODE};
    long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    return fd >= 0 ? (int)fd : -errno;
}

static int spin(void)
{
    for (volatile unsigned i = 0; i < SPIN_ROUNDS; i++)
        ;
    return 0;
}

static int call_getppid(void)
{
    syscall(SYS_getppid);
    return 0;
}

/* Counts one event around `work`, which makes at least one of them. */
static struct fl_ability probe_event(uint32_t type, uint64_t config, enum modes modes,
                                     int (*work)(void))
{
    struct fl_ability out = {0};
    uint64_t count = 0;
    int fd = open_event(type, config, modes);
    if (fd < 0)
        return (struct fl_ability){.status = fd};
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    out.status = work();
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    if (read(fd, &count, sizeof count) != (ssize_t)sizeof count)
        out.status = -EIO;
    close(fd);
    out.counted = (long long)count;
    if (out.status == 0 && out.counted < 1)
        out.status = -ENODATA;
    return out;
}

static struct fl_ability probe_tracepoint(void)
{
    long long id;
    int status = fl_tracefs_event_id("", "raw_syscalls/sys_enter", &id);
    if (status != 0)
        return (struct fl_ability){.status = status};
    /* It lies in the kernel: left out, it never counts. */
    return probe_event(PERF_TYPE_TRACEPOINT, (uint64_t)id, ALL_MODES, call_getppid);
}

/* getppid stops for the tracer, everything else runs. 0 or an errno. */
static int filter_getppid(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return errno;
    return 0;
}

/* The traced child: exits with the errno of the step that failed, or 0. */
static void run_traced(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(ESRCH); /* died before we asked: nobody would let us go on from our stop */
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(errno);
    raise(SIGSTOP);
    int failed = filter_getppid();
    if (failed != 0)
        _exit(failed);
    syscall(SYS_getppid);
    _exit(0);
}

/* Waits for the child's next stop. 0, or why there is none. */
static int next_stop(pid_t child, int *state)
{
    if (wait_for(child, state) < 0)
        return -errno;
    if (WIFSTOPPED(*state))
        return 0;
    return WIFEXITED(*state) && WEXITSTATUS(*state) != 0 ? -WEXITSTATUS(*state) : -ENODATA;
}

/* Follows the child to its stop at getppid. */
static int follow(pid_t child)
{
    int state, status = next_stop(child, &state);
    if (status != 0)
        return status;
    if (ptrace(PTRACE_SETOPTIONS, child, NULL,
               (void *)(uintptr_t)(PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL)) != 0 ||
        ptrace(PTRACE_CONT, child, NULL, NULL) != 0)
        status = -errno;
    else
        status = next_stop(child, &state);
    if (status == 0 && state >> 8 != (SIGTRAP | (PTRACE_EVENT_SECCOMP << 8)))
        status = -ENODATA;
    return status;
}

static struct fl_ability probe_tracing(void)
{
    int state;
    pid_t parent = getpid(), child = fork();
    if (child == 0)
        run_traced(parent);
    if (child < 0)
        return (struct fl_ability){.status = -errno};
    struct fl_ability out = {.status = follow(child)};
    out.counted = out.status == 0;
    /* Gone already where follow() saw its end; then there is nothing to kill or to wait for. */
    if (waitpid(child, &state, WNOHANG) == 0) {
        kill(child, SIGKILL);
        wait_for(child, &state);
    }
    return out;
}

void fl_abilities_probe(struct fl_abilities *out)
{
    *out = (struct fl_abilities){
        .faults = probe_faults(),
        .cycles = probe_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, USER_MODE, spin),
        .software =
            probe_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, USER_MODE, touch_pages),
        .kernel_mode =
            probe_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, ALL_MODES, touch_pages),
        .tracepoint = probe_tracepoint(),
        .tracing = probe_tracing(),
    };
}
