/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counter `syscalls`: the system calls behind memory and locks, of all threads of the process.
 *
 * Two ways, with the same numbers: the kernel's tracepoints, or seccomp and ptrace where tracefs
 * cannot be read. FAULTLINE_SYSCALLS=tracepoint or ptrace forces one. The way taken is the fact
 * `syscalls-way`; why tracepoints were not used is the fact `syscalls-no-tracepoints`.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counter-help.h"
#include "emulated.h"
#include "syscall-tracepoint.h"
#include "syscall-tracer.h"

#define WAY_VARIABLE "FAULTLINE_SYSCALLS"

enum way { WAY_ANY, WAY_TRACEPOINT, WAY_PTRACE };

struct syscalls_state {
    struct fl_arena arena;
    enum way way; /* taken; WAY_ANY: none works */
    struct fl_tracepoints tracepoints;
    const struct fl_tracer_counts *traced;
    uint64_t edge[2][FL_SYSCALL_GROUPS];
    char reason[2 * FL_REASON_MAX + 64];
};

#define ROW(name_, call, kind_, text)                                                              \
    {                                                                                              \
        .name = name_, .unit = "calls", .summary = text,                                           \
        .source = "tracepoint raw_syscalls:sys_enter, or seccomp and ptrace, on " call,            \
        .kind = kind_, .better = FL_LESS_IS_BETTER, .mode = FL_IN_COUNTING_SAMPLES,                \
    }

static const struct fl_metric syscalls_metrics[FL_SYSCALL_GROUPS] = {
    [FL_SYSCALL_BRK] = ROW("brk-calls", "brk", FL_METRIC_EXACT,
                           "system calls that move the end of the heap, all threads"),
    [FL_SYSCALL_MMAP] =
        ROW("mmap-calls", "mmap", FL_METRIC_EXACT, "system calls that map memory, all threads"),
    [FL_SYSCALL_MUNMAP] = ROW("munmap-calls", "munmap", FL_METRIC_EXACT,
                              "system calls that unmap memory, all threads"),
    [FL_SYSCALL_MADVISE] = ROW("madvise-calls", "madvise", FL_METRIC_EXACT,
                               "system calls that give advice about memory, all threads"),
    [FL_SYSCALL_FUTEX] = ROW("futex-calls", "futex*", FL_METRIC_NOISY_COUNT,
                             "system calls that wait on a word or wake its waiters, all threads"),
};

/* Bit set of the groups whose metric is wanted. */
static unsigned wanted_groups(const struct fl_counter_env *env)
{
    unsigned groups = 0;
    for (unsigned group = 0; group < FL_SYSCALL_GROUPS; group++)
        if (fl_counter_wants(env, syscalls_metrics[group].name))
            groups |= 1u << group;
    return groups;
}

static int forced_way(enum way *way, struct fl_err *err)
{
    const char *text = getenv(WAY_VARIABLE);
    if (!text || !*text)
        *way = WAY_ANY;
    else if (!strcmp(text, "tracepoint"))
        *way = WAY_TRACEPOINT;
    else if (!strcmp(text, "ptrace"))
        *way = WAY_PTRACE;
    else
        return fl_fail(err, -EINVAL,
                       "cannot take '%s' of " WAY_VARIABLE ": it is 'tracepoint' or 'ptrace'",
                       text);
    return 0;
}

/* Tries what `way` allows, in order; the reason in the state tells of each that failed. */
static void choose_way(struct syscalls_state *s, enum way way, unsigned groups,
                       struct fl_facts *facts)
{
    char first[FL_REASON_MAX] = "", second[FL_REASON_MAX] = "";
    if (way != WAY_PTRACE) {
        if (!fl_tracepoints_open(&s->tracepoints, groups, &s->arena, first, sizeof(first)))
            s->way = WAY_TRACEPOINT;
        else if (facts)
            fl_facts_set(facts, "syscalls-no-tracepoints", "%s", first);
    }
    if (!s->way && way != WAY_TRACEPOINT &&
        !fl_tracer_open(groups, &s->traced, second, sizeof(second)))
        s->way = WAY_PTRACE;
    if (!s->way)
        snprintf(s->reason, sizeof(s->reason), "%s%s%s", first, *first && *second ? "; " : "",
                 second);
    else if (facts)
        fl_facts_set(facts, "syscalls-way", "%s",
                     s->way == WAY_TRACEPOINT ? "tracepoint" : "ptrace");
}

static void edge(struct syscalls_state *s, int which)
{
    if (s->way == WAY_TRACEPOINT)
        fl_tracepoints_edge(&s->tracepoints, which);
    for (size_t i = 0; s->way == WAY_PTRACE && i < FL_SYSCALL_GROUPS; i++)
        /* Relaxed: what this thread knows to have happened was counted before it could know. */
        s->edge[which][i] = atomic_load_explicit(&s->traced->calls[i], memory_order_relaxed);
}

static void syscalls_start(void *state)
{
    struct syscalls_state *s = state;
    edge(s, 0);
}

static void syscalls_stop(void *state)
{
    edge(state, 1);
}

static int syscalls_open(void *state, const struct fl_counter_env *env, struct fl_err *err)
{
    struct syscalls_state *s = state;
    memset(s, 0, sizeof(*s));
    enum way way = WAY_ANY;
    int rc = forced_way(&way, err);
    if (rc)
        return rc;
    unsigned groups = wanted_groups(env);
    if (fl_emulated())
        snprintf(s->reason, sizeof(s->reason), "%s", fl_emulated());
    else if (groups)
        choose_way(s, way, groups, env->facts);
    syscalls_start(s);
    syscalls_stop(s);
    return 0;
}

static void syscalls_read(void *state, const char *metric, struct fl_reading *out)
{
    struct syscalls_state *s = state;
    size_t group = fl_metric_row(syscalls_metrics, FL_SYSCALL_GROUPS, metric);
    int64_t total = 0;
    if (s->way == WAY_PTRACE)
        total = (int64_t)(s->edge[1][group] - s->edge[0][group]);
    else if (s->way == WAY_TRACEPOINT)
        total = fl_tracepoints_total(&s->tracepoints, (enum fl_syscall_group)group);
    if (total < 0)
        fl_perf_reason((int)total, metric, s->reason, sizeof(s->reason));
    if (total < 0 || !s->way)
        fl_reading_without(out, FL_READING_UNAVAILABLE, s->reason);
    else
        fl_reading_total(out, total);
}

static void syscalls_close(void *state)
{
    struct syscalls_state *s = state;
    if (s->way == WAY_TRACEPOINT)
        fl_tracepoints_close(&s->tracepoints);
    fl_arena_release(&s->arena);
    s->way = WAY_ANY;
}

static int syscalls_hold(void)
{
    enum way way = WAY_ANY;
    int rc = forced_way(&way, NULL);
    return rc ? rc : way == WAY_PTRACE ? -ENOTSUP : fl_tracepoints_hold();
}

const struct fl_counter_ops fl_counter_syscalls = {
    .part =
        {
            .name = "syscalls",
            .summary = "system calls for memory and waiting, by tracepoints or seccomp and ptrace",
            .abi = FL_PART_ABI,
            .state_size = sizeof(struct syscalls_state),
        },
    .metrics = syscalls_metrics,
    .metric_count = FL_SYSCALL_GROUPS,
    .hold = syscalls_hold,
    .open = syscalls_open,
    .start = syscalls_start,
    .stop = syscalls_stop,
    .read = syscalls_read,
    .close = syscalls_close,
};
