/* SPDX-License-Identifier: Apache-2.0 */
/* Perf events on the tracepoints sys_enter_*. */
#include "syscall-tracepoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const tracefs[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

static long read_number(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -errno;
    char text[32] = "";
    ssize_t length = read(file, text, sizeof(text) - 1);
    close(file);
    return length > 0 ? strtol(text, NULL, 10) : -EIO;
}

/* The tracepoint's number, or the -errno of the folder that came nearest. */
static long tracepoint_id(const char *name)
{
    long id = -ENOENT;
    for (size_t i = 0; i < sizeof(tracefs) / sizeof(tracefs[0]); i++) {
        char path[128];
        snprintf(path, sizeof(path), "%s/events/syscalls/sys_enter_%s/id", tracefs[i], name);
        long number = read_number(path);
        if (number >= 0)
            return number;
        if (number != -ENOENT)
            id = number;
    }
    return id;
}

static void id_reason(long error, char *out, size_t size)
{
    if (error == -EACCES || error == -EPERM)
        snprintf(out, size, "tracefs is readable by root alone: run as root");
    else if (error == -ENOENT)
        snprintf(out, size,
                 "no system-call tracepoints under '%s': mount -t tracefs tracefs %s, or a kernel "
                 "with CONFIG_FTRACE_SYSCALLS",
                 tracefs[0], tracefs[0]);
    else
        snprintf(out, size, "cannot read a tracepoint under '%s': %s", tracefs[0],
                 strerror((int)-error));
}

static int open_call(struct fl_perf_set *set, const struct fl_syscall *call, struct fl_arena *arena,
                     char *out, size_t size)
{
    long id = tracepoint_id(call->name);
    if (id < 0) {
        id_reason(id, out, size);
        return (int)id;
    }
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof(attr));
    attr.type = PERF_TYPE_TRACEPOINT;
    attr.config = (uint64_t)id;
    int rc = fl_perf_set_open(set, &attr, arena);
    if (rc)
        fl_perf_reason(rc, call->name, out, size);
    return rc;
}

static int open_group(struct fl_tracepoints *t, enum fl_syscall_group group, struct fl_arena *arena,
                      char *out, size_t size)
{
    const struct fl_syscall *calls = fl_syscall_group(group);
    for (size_t i = 0; i < FL_GROUP_CALLS && calls[i].name; i++) {
        int rc = open_call(&t->sets[group][i], &calls[i], arena, out, size);
        if (rc && (i == 0 || rc != -ENOENT))
            return rc;
    }
    return 0;
}

int fl_tracepoints_open(struct fl_tracepoints *t, unsigned groups, struct fl_arena *arena,
                        char *out, size_t size)
{
    int rc = 0;
    for (int group = 0; group < FL_SYSCALL_GROUPS && !rc; group++)
        if (groups & 1u << group)
            rc = open_group(t, (enum fl_syscall_group)group, arena, out, size);
    if (rc)
        fl_tracepoints_close(t);
    return rc;
}

/* A set that is not open has no descriptors and costs nothing. */
void fl_tracepoints_edge(struct fl_tracepoints *t, int edge)
{
    for (int group = 0; group < FL_SYSCALL_GROUPS; group++)
        for (int call = 0; call < FL_GROUP_CALLS; call++)
            fl_perf_set_edge(&t->sets[group][call], edge);
}

int64_t fl_tracepoints_total(const struct fl_tracepoints *t, enum fl_syscall_group group)
{
    int64_t total = 0;
    for (int call = 0; call < FL_GROUP_CALLS; call++) {
        const struct fl_perf_set *set = &t->sets[group][call];
        if (set->failed)
            return set->failed;
        total += (int64_t)(set->edge[1].value - set->edge[0].value);
    }
    return total;
}

void fl_tracepoints_close(struct fl_tracepoints *t)
{
    for (int group = 0; group < FL_SYSCALL_GROUPS; group++)
        for (int call = 0; call < FL_GROUP_CALLS; call++)
            fl_perf_set_close(&t->sets[group][call]);
}
