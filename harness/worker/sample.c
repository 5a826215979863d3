/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a sample, in order, and what is told about each. */
#include "sample.h"

#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <string.h>

#include "injector.h"
#include "machine/loaded-object.h"
#include "message.h"
#include "parts.h"
#include "process.h"
#include "replay.h"
#include "settle.h"
#include "window.h"

/* The harness's own memory must not have moved glibc's dynamic thresholds. */
static int check_heap_untouched(const struct fl_sample *sample, struct fl_err *err)
{
    const struct fl_malloc *row = fl_malloc_find(fl_cell_get(&sample->cell, "malloc"));
    if (row->preload || mallinfo2().hblks == 0)
        return 0;
    return fl_fail(err, -EIO,
                   "%zu mmapped blocks of malloc exist before the cell's first call: the "
                   "process is not fresh",
                   (size_t)mallinfo2().hblks);
}

static uint64_t calls_in_window(const struct fl_sample *sample)
{
    if (sample->request.iterations)
        return sample->request.iterations;
    double calls = sample->call_seconds > 0 ? round(sample->request.window / sample->call_seconds)
                                            : FL_CALLS_MAX;
    return calls < 1 ? 1 : calls > FL_CALLS_MAX ? FL_CALLS_MAX : (uint64_t)calls;
}

static int settle(struct fl_sample *sample, struct fl_err *err)
{
    fl_message(sample->request.fd, "phase settle");
    int rc = fl_settle(sample);
    if (rc)
        return fl_fail(err, rc, "a call failed while settling: %s", strerror(-rc));
    sample->calls = calls_in_window(sample);
    return fl_injector_check_calls(sample, err);
}

static void tell_reading(const struct fl_sample *sample, const char *name,
                         const struct fl_reading *reading)
{
    struct fl_metric metric;
    const struct fl_counter_ops *ops;
    bool ratio = !fl_registry_metric(name, &metric, &ops, NULL) && metric.ratio;
    static const char *const states[] = {
        [FL_READING_OK] = "ok",
        [FL_READING_UNAVAILABLE] = "unavailable",
        [FL_READING_NOT_OBSERVABLE] = "not-observable",
    };
    if (reading->state == FL_READING_OK && ratio)
        fl_message(sample->request.fd, "metric %s ratio %.17g", name, reading->ratio);
    else if (reading->state == FL_READING_OK)
        fl_message(sample->request.fd, "metric %s ok %lld %.17g%s", name, (long long)reading->total,
                   reading->scale, reading->multiplexed ? " multiplexed" : "");
    else
        fl_message(sample->request.fd, "metric %s %s %s", name, states[reading->state],
                   reading->reason ? reading->reason : "no reason given");
}

/* Which build of a preloaded malloc this process runs on: it decides counts. */
static int add_malloc_fact(struct fl_sample *sample)
{
    const struct fl_malloc *row = fl_malloc_find(fl_cell_get(&sample->cell, "malloc"));
    struct fl_loaded_object object;
    for (size_t i = 0; row && row->preload && row->preload[i]; i++)
        if (!fl_loaded_object_find(row->preload[i], &object) && object.build_id[0])
            return fl_facts_set(&sample->facts, "malloc-build-id", "%s", object.build_id);
    return 0;
}

static int add_facts(struct fl_sample *sample, struct fl_err *err)
{
    const struct fl_workspace *ws = &sample->workspace;
    int rc = ws->ops && ws->ops->facts ? ws->ops->facts(ws->state, &sample->facts) : 0;
    if (!rc)
        rc = add_malloc_fact(sample);
    if (!rc)
        rc = fl_injector_facts(sample);
    return rc ? fl_fail(err, rc, "too many facts in one sample") : 0;
}

static void tell(const struct fl_sample *sample)
{
    int fd = sample->request.fd;
    for (size_t i = 0; i < sample->facts.count; i++)
        fl_message(fd, "fact %s %s", sample->facts.items[i].name, sample->facts.items[i].value);
    fl_message(fd, "settle %llu %.0f", (unsigned long long)sample->settle_calls,
               sample->request.settle * 1e9);
    fl_message(fd, "window %llu %.17g %llu",
               (unsigned long long)sample->calls * (unsigned long long)sample->calls_each,
               sample->window_seconds * 1e9, (unsigned long long)sample->calls);
    for (size_t i = 0; i < sample->counter_count; i++) {
        const struct fl_sample_counter *counter = &sample->counters[i];
        for (size_t j = 0; j < counter->count; j++) {
            struct fl_reading reading = {.scale = 1};
            counter->ops->read(counter->state, counter->wanted[j], &reading);
            tell_reading(sample, counter->wanted[j], &reading);
        }
    }
}

static int measure(struct fl_sample *sample, struct fl_err *err)
{
    fl_message(sample->request.fd, "phase open");
    int rc = fl_sample_open(sample, err);
    if (!rc)
        rc = fl_injector_open(sample, err);
    if (!rc)
        rc = fl_sample_open_counters(sample, err);
    fl_process_map_files();
    if (!rc)
        rc = check_heap_untouched(sample, err);
    if (!rc)
        rc = fl_replay(sample, err);
    if (!rc)
        rc = settle(sample, err);
    if (!rc) {
        fl_message(sample->request.fd, "phase window");
        rc = fl_window(sample, err);
    }
    if (!rc)
        rc = add_facts(sample, err);
    if (rc)
        return rc;
    tell(sample);
    fl_message(sample->request.fd, "phase check");
    return sample->kernel->check(sample->kernel_state, &sample->workspace, err);
}

static const char *outcome_of(int rc)
{
    if (!rc)
        return "ok";
    if (rc == -ENOTSUP)
        return "unavailable";
    return rc == -EBADMSG ? "wrong-result" : "failed";
}

int fl_sample_run(struct fl_sample *sample)
{
    struct fl_err err = {.text = ""};
    sample->arena.limit = sample->request.memory;
    int rc = measure(sample, &err);
    fl_sample_close(sample);
    if (rc && !err.text[0])
        fl_fail(&err, rc, "%s", strerror(-rc));
    fl_message(sample->request.fd, "outcome %s %s", outcome_of(rc), err.text);
    return 0;
}
