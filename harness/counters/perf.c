/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counter `perf`: any event that libpfm4 knows, as the metric `perf:EVENT`, over all threads.
 *
 * Where the kernel multiplexed the event the reading is flagged and carries the factor enabled /
 * running; it is never applied silently. An edge costs one read() per event and thread.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "counter-help.h"
#include "emulated.h"
#include "perf-name.h"
#include "perf-set.h"

#define PREFIX     "perf:"
#define EVENTS_MAX 16

struct perf_slot {
    const char *metric;
    struct fl_perf_set set;
    enum fl_reading_state state;
    char reason[FL_REASON_MAX];
};

struct perf_state {
    struct fl_arena arena;
    size_t count;
    struct perf_slot slots[EVENTS_MAX];
};

static bool names_event(const char *metric)
{
    return !strncmp(metric, PREFIX, strlen(PREFIX)) && metric[strlen(PREFIX)];
}

static bool is_software(const struct perf_event_attr *attr, uint64_t config)
{
    return attr->type == PERF_TYPE_SOFTWARE && attr->config == config;
}

static bool is_clock(const struct perf_event_attr *attr)
{
    return is_software(attr, PERF_COUNT_SW_CPU_CLOCK) ||
           is_software(attr, PERF_COUNT_SW_TASK_CLOCK);
}

static bool is_fault(const struct perf_event_attr *attr)
{
    return is_software(attr, PERF_COUNT_SW_PAGE_FAULTS) ||
           is_software(attr, PERF_COUNT_SW_PAGE_FAULTS_MIN);
}

/* Events that the kernel raises in its own mode: counting user mode only would read 0 for ever. */
static bool is_blind(const struct perf_event_attr *attr)
{
    return attr->exclude_kernel && (attr->type == PERF_TYPE_TRACEPOINT ||
                                    is_software(attr, PERF_COUNT_SW_CONTEXT_SWITCHES) ||
                                    is_software(attr, PERF_COUNT_SW_CPU_MIGRATIONS));
}

static bool perf_dynamic(const char *name, struct fl_metric *out)
{
    if (!names_event(name))
        return false;
    struct perf_event_attr attr;
    char reason[FL_REASON_MAX];
    int rc = fl_perf_encode(name + strlen(PREFIX), &attr, reason, sizeof(reason));
    if (rc == -EINVAL)
        return false;
    bool clock = !rc && is_clock(&attr);
    *out = (struct fl_metric){
        .name = name,
        .unit = clock ? "ns" : "events",
        .summary = "perf event of that libpfm4 name, all threads",
        .source = "perf_event_open",
        .kind = clock                    ? FL_METRIC_TIMED
                : !rc && is_fault(&attr) ? FL_METRIC_SET
                                         : FL_METRIC_NOISY_COUNT,
        .better = FL_NOT_RANKED,
        .mode = FL_IN_COUNTING_SAMPLES,
    };
    return true;
}

static void open_slot(struct perf_slot *slot, struct fl_arena *arena)
{
    const char *event = slot->metric + strlen(PREFIX);
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof(attr));
    slot->state = FL_READING_UNAVAILABLE;
    if (fl_emulated()) {
        snprintf(slot->reason, sizeof(slot->reason), "%s", fl_emulated());
        return;
    }
    if (fl_perf_encode(event, &attr, slot->reason, sizeof(slot->reason)))
        return;
    if (is_blind(&attr)) {
        slot->state = FL_READING_NOT_OBSERVABLE;
        snprintf(slot->reason, sizeof(slot->reason),
                 "'%s' happens in the kernel, which the modifier leaves out: ask for it without "
                 "':u'",
                 event);
        return;
    }
    int rc = fl_perf_set_open(&slot->set, &attr, arena);
    if (rc)
        fl_perf_reason(rc, event, slot->reason, sizeof(slot->reason));
    else
        slot->state = FL_READING_OK;
}

static void perf_start(void *state)
{
    struct perf_state *s = state;
    for (size_t i = 0; i < s->count; i++)
        fl_perf_set_edge(&s->slots[i].set, 0);
}

/* The order of start(): each event then sees as many reads of the others, whichever it is. */
static void perf_stop(void *state)
{
    struct perf_state *s = state;
    for (size_t i = 0; i < s->count; i++)
        fl_perf_set_edge(&s->slots[i].set, 1);
}

static int perf_open(void *state, const struct fl_counter_env *env, struct fl_err *err)
{
    (void)err;
    struct perf_state *s = state;
    memset(s, 0, sizeof(*s));
    for (const char *const *name = env->wanted; name && *name && s->count < EVENTS_MAX; name++) {
        if (!names_event(*name))
            continue;
        struct perf_slot *slot = &s->slots[s->count++];
        slot->metric = *name;
        open_slot(slot, &s->arena);
    }
    perf_start(s);
    perf_stop(s);
    return 0;
}

static void read_set(struct perf_slot *slot, struct fl_reading *out)
{
    if (slot->set.failed) {
        fl_perf_reason(slot->set.failed, slot->metric + strlen(PREFIX), slot->reason,
                       sizeof(slot->reason));
        fl_reading_without(out, FL_READING_UNAVAILABLE, slot->reason);
    } else {
        fl_perf_set_reading(&slot->set, out);
    }
}

static void perf_read(void *state, const char *metric, struct fl_reading *out)
{
    struct perf_state *s = state;
    size_t i = 0;
    while (i < s->count && strcmp(s->slots[i].metric, metric) != 0)
        i++;
    if (i == s->count)
        fl_reading_without(out, FL_READING_UNAVAILABLE,
                           "more than 16 perf events in one sample: ask for fewer");
    else if (s->slots[i].state != FL_READING_OK)
        fl_reading_without(out, s->slots[i].state, s->slots[i].reason);
    else
        read_set(&s->slots[i], out);
}

static void perf_close(void *state)
{
    struct perf_state *s = state;
    for (size_t i = 0; i < s->count; i++)
        fl_perf_set_close(&s->slots[i].set);
    fl_arena_release(&s->arena);
    s->count = 0;
}

/* The first event of a task, a second after the last one has gone, costs the kernel 10 to 20 ms. */
static int perf_hold(void)
{
    return fl_perf_hold(&(struct perf_event_attr){
        .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .exclude_kernel = 1});
}

const struct fl_counter_ops fl_counter_perf = {
    .part =
        {
            .name = "perf",
            .summary = "perf:EVENT for every event name of libpfm4, all threads",
            .abi = FL_PART_ABI,
            .state_size = sizeof(struct perf_state),
        },
    .dynamic = perf_dynamic,
    .hold = perf_hold,
    .open = perf_open,
    .start = perf_start,
    .stop = perf_stop,
    .read = perf_read,
    .close = perf_close,
};
