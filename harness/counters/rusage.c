/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counter `rusage`: page faults and context switches from getrusage, of the measured thread and of
 * the whole process. Free enough to be read in every sample: one system call at each edge, two
 * where a metric of the process is wanted.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "counter-help.h"
#include "emulated.h"

enum { FIRST, LAST };

struct rusage_state {
    struct rusage thread[2], process[2];
    bool wants_process;
    const char *unavailable; /* NULL: counts are good */
};

#define ROW(name_, unit_, kind_, who, field, text)                                                 \
    {                                                                                              \
        .name = name_, .unit = unit_, .summary = text, .source = "getrusage(" who ")." field,      \
        .kind = kind_, .better = FL_LESS_IS_BETTER, .mode = FL_IN_EVERY_SAMPLE,                    \
    }

/* Order: four of the thread, then the same four of the process; value() relies on it. */
static const struct fl_metric rusage_metrics[] = {
    ROW("minor-faults", "faults", FL_METRIC_SET, "RUSAGE_THREAD", "ru_minflt",
        "page faults served without input or output, measured thread"),
    ROW("major-faults", "faults", FL_METRIC_NOISY_COUNT, "RUSAGE_THREAD", "ru_majflt",
        "page faults that waited for input or output, measured thread"),
    ROW("voluntary-switches", "switches", FL_METRIC_NOISY_COUNT, "RUSAGE_THREAD", "ru_nvcsw",
        "times the measured thread gave up its processor to wait"),
    ROW("involuntary-switches", "switches", FL_METRIC_NOISY_COUNT, "RUSAGE_THREAD", "ru_nivcsw",
        "times the measured thread was preempted"),
    ROW("process-minor-faults", "faults", FL_METRIC_SET, "RUSAGE_SELF", "ru_minflt",
        "page faults served without input or output, all threads"),
    ROW("process-major-faults", "faults", FL_METRIC_NOISY_COUNT, "RUSAGE_SELF", "ru_majflt",
        "page faults that waited for input or output, all threads"),
    ROW("process-voluntary-switches", "switches", FL_METRIC_NOISY_COUNT, "RUSAGE_SELF", "ru_nvcsw",
        "times a thread gave up its processor to wait"),
    ROW("process-involuntary-switches", "switches", FL_METRIC_NOISY_COUNT, "RUSAGE_SELF",
        "ru_nivcsw", "times a thread was preempted"),
};

#define OF_THREAD (FL_COUNT_OF(rusage_metrics) / 2)

static long value(const struct rusage *usage, size_t field)
{
    switch (field) {
    case 0:
        return usage->ru_minflt;
    case 1:
        return usage->ru_majflt;
    case 2:
        return usage->ru_nvcsw;
    default:
        return usage->ru_nivcsw;
    }
}

/* Some sandboxes answer getrusage and count nothing: one touched page shows it. */
static const char *uncounted(void)
{
    const char *why = fl_emulated();
    if (why)
        return why;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    volatile char *fresh =
        mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED)
        return "cannot map a page to see whether faults are counted";
    struct rusage before, after;
    getrusage(RUSAGE_THREAD, &before);
    fresh[0] = 1;
    getrusage(RUSAGE_THREAD, &after);
    munmap((void *)fresh, page);
    if (after.ru_minflt == before.ru_minflt)
        return "this kernel counts no page faults: touching a fresh page left getrusage unchanged";
    return NULL;
}

static void rusage_start(void *state)
{
    struct rusage_state *s = state;
    if (s->wants_process)
        getrusage(RUSAGE_SELF, &s->process[FIRST]);
    getrusage(RUSAGE_THREAD, &s->thread[FIRST]);
}

static void rusage_stop(void *state)
{
    struct rusage_state *s = state;
    getrusage(RUSAGE_THREAD, &s->thread[LAST]);
    if (s->wants_process)
        getrusage(RUSAGE_SELF, &s->process[LAST]);
}

static void rusage_read(void *state, const char *metric, struct fl_reading *out)
{
    const struct rusage_state *s = state;
    size_t row = fl_metric_row(rusage_metrics, FL_COUNT_OF(rusage_metrics), metric);
    const struct rusage *edge = row < OF_THREAD ? s->thread : s->process;
    if (s->unavailable)
        fl_reading_without(out, FL_READING_UNAVAILABLE, s->unavailable);
    else
        fl_reading_total(out, value(&edge[LAST], row % OF_THREAD) -
                                  value(&edge[FIRST], row % OF_THREAD));
}

static int rusage_open(void *state, const struct fl_counter_env *env, struct fl_err *err)
{
    (void)err;
    struct rusage_state *s = state;
    memset(s, 0, sizeof(*s));
    for (size_t i = OF_THREAD; i < FL_COUNT_OF(rusage_metrics); i++)
        s->wants_process |= fl_counter_wants(env, rusage_metrics[i].name);
    s->unavailable = uncounted();
    rusage_start(s);
    rusage_stop(s);
    return 0;
}

static void rusage_close(void *state)
{
    (void)state;
}

const struct fl_counter_ops fl_counter_rusage = {
    .part =
        {
            .name = "rusage",
            .summary = "page faults and context switches of the measured thread and the process",
            .abi = FL_PART_ABI,
            .state_size = sizeof(struct rusage_state),
        },
    .metrics = rusage_metrics,
    .metric_count = FL_COUNT_OF(rusage_metrics),
    .open = rusage_open,
    .start = rusage_start,
    .stop = rusage_stop,
    .read = rusage_read,
    .close = rusage_close,
};
