/* SPDX-License-Identifier: Apache-2.0 */
/* Perf events on the tracepoint of all system calls, one filter a group. */
#include "syscall-tracepoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define TRACEPOINT "events/raw_syscalls/sys_enter/id"
#define FILTER_MAX 256

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
static long tracepoint_id(void)
{
    long id = -ENOENT;
    for (size_t i = 0; i < sizeof(tracefs) / sizeof(tracefs[0]); i++) {
        char path[128];
        snprintf(path, sizeof(path), "%s/" TRACEPOINT, tracefs[i]);
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
                 "no system-call tracepoints under '%s': mount -t tracefs tracefs %s, or use a "
                 "kernel with CONFIG_FTRACE and CONFIG_PERF_EVENTS",
                 tracefs[0], tracefs[0]);
    else
        snprintf(out, size, "cannot read '%s/" TRACEPOINT "': %s", tracefs[0],
                 strerror((int)-error));
}

static struct perf_event_attr attributes(long id)
{
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof(attr));
    attr.type = PERF_TYPE_TRACEPOINT;
    attr.config = (uint64_t)id;
    return attr;
}

/* `id == 12 || id == 13`. */
static void write_filter(enum fl_syscall_group group, char filter[FILTER_MAX])
{
    size_t used = 0;
    for (const struct fl_syscall *call = fl_syscall_group(group); call->name; call++)
        used += (size_t)snprintf(filter + used, FILTER_MAX - used, "%sid == %d", used ? " || " : "",
                                 call->number);
}

/* Calls made before the filter is set are counted, too: they lie before the first edge. */
static int open_group(struct fl_perf_set *set, enum fl_syscall_group group, long id,
                      struct fl_arena *arena)
{
    char filter[FILTER_MAX];
    struct perf_event_attr attr = attributes(id);
    write_filter(group, filter);
    int rc = fl_perf_set_open(set, &attr, arena);
    for (size_t i = 0; i < set->count && !rc; i++)
        if (ioctl(set->files[i], PERF_EVENT_IOC_SET_FILTER, filter))
            rc = -errno;
    return rc;
}

int fl_tracepoints_open(struct fl_tracepoints *t, unsigned groups, struct fl_arena *arena,
                        char *out, size_t size)
{
    long id = tracepoint_id();
    if (id < 0) {
        id_reason(id, out, size);
        return (int)id;
    }
    int rc = 0;
    for (unsigned group = 0; group < FL_SYSCALL_GROUPS && !rc; group++)
        if (groups & 1u << group)
            rc = open_group(&t->sets[group], (enum fl_syscall_group)group, id, arena);
    if (rc) {
        fl_perf_reason(rc, "raw_syscalls:sys_enter", out, size);
        fl_tracepoints_close(t);
    }
    return rc;
}

/* A set that is not open has no descriptors and costs nothing. */
void fl_tracepoints_edge(struct fl_tracepoints *t, int edge)
{
    for (int group = 0; group < FL_SYSCALL_GROUPS; group++)
        fl_perf_set_edge(&t->sets[group], edge);
}

int64_t fl_tracepoints_total(const struct fl_tracepoints *t, enum fl_syscall_group group)
{
    const struct fl_perf_set *set = &t->sets[group];
    return set->failed ? set->failed : (int64_t)(set->edge[1].value - set->edge[0].value);
}

void fl_tracepoints_close(struct fl_tracepoints *t)
{
    for (int group = 0; group < FL_SYSCALL_GROUPS; group++)
        fl_perf_set_close(&t->sets[group]);
}

int fl_tracepoints_hold(void)
{
    long id = tracepoint_id();
    if (id < 0)
        return (int)id;
    struct perf_event_attr attr = attributes(id);
    return fl_perf_hold(&attr);
}
