/* SPDX-License-Identifier: Apache-2.0 */
/* Opens, sums and closes one event over all threads. */
#include "perf-set.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counter-help.h"
#include "tasks.h"

static int open_event(const struct perf_event_attr *attr, pid_t tid)
{
    long file = syscall(SYS_perf_event_open, attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    return file < 0 ? -errno : (int)file;
}

struct opening {
    struct fl_perf_set *set;
    struct perf_event_attr *attr;
    size_t room;
};

static int count_task(pid_t tid, void *arg)
{
    (void)tid;
    ++*(size_t *)arg;
    return 0;
}

static int open_task(pid_t tid, void *arg)
{
    struct opening *o = arg;
    if (o->set->count == o->room)
        return -EAGAIN; /* threads were made while they were counted */
    int file = open_event(o->attr, tid);
    if (file == -EINVAL && o->attr->inherit_thread) {
        /* Linux before 5.13 cannot leave child processes out. */
        o->attr->inherit_thread = 0;
        file = open_event(o->attr, tid);
    }
    if (file == -ESRCH)
        return 0; /* the thread has ended */
    if (file < 0)
        return file;
    o->set->files[o->set->count++] = file;
    return 0;
}

int fl_perf_set_open(struct fl_perf_set *set, struct perf_event_attr *attr, struct fl_arena *arena)
{
    size_t tasks = 0;
    int rc = fl_each_task(count_task, &tasks);
    if (rc)
        return rc;
    attr->size = sizeof(*attr);
    attr->inherit = 1;
    attr->inherit_thread = 1;
    attr->disabled = 0;
    attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    *set = (struct fl_perf_set){.files = fl_arena_alloc(arena, tasks * sizeof(int), sizeof(int))};
    if (!set->files)
        return -ENOMEM;
    struct opening opening = {set, attr, tasks};
    rc = fl_each_task(open_task, &opening);
    if (rc)
        fl_perf_set_close(set);
    return rc;
}

int fl_perf_hold(struct perf_event_attr *attr)
{
    attr->size = sizeof(*attr);
    attr->disabled = 1;
    return open_event(attr, 0);
}

void fl_perf_set_edge(struct fl_perf_set *set, int edge)
{
    struct fl_perf_edge sum = {0, 0, 0};
    for (size_t i = 0; i < set->count; i++) {
        struct fl_perf_edge one = {0, 0, 0};
        ssize_t length = read(set->files[i], &one, sizeof(one));
        if (length != sizeof(one))
            set->failed = length < 0 ? -errno : -EIO;
        sum.value += one.value;
        sum.enabled += one.enabled;
        sum.running += one.running;
    }
    set->edge[edge] = sum;
}

void fl_perf_set_reading(const struct fl_perf_set *set, struct fl_reading *out)
{
    const struct fl_perf_edge *edge = set->edge;
    uint64_t enabled = edge[1].enabled - edge[0].enabled;
    uint64_t running = edge[1].running - edge[0].running;
    if (enabled && !running) {
        fl_reading_without(out, FL_READING_UNAVAILABLE,
                           "the event never got a hardware counter: ask for fewer perf events at "
                           "once, or free the one that the NMI watchdog holds "
                           "(kernel.nmi_watchdog=0)");
        return;
    }
    fl_reading_total(out, (int64_t)(edge[1].value - edge[0].value));
    out->multiplexed = running < enabled;
    if (out->multiplexed)
        out->scale = (double)enabled / (double)running;
}

void fl_perf_set_close(struct fl_perf_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        close(set->files[i]);
    set->count = 0;
}
