/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Template of a counter. Copy it, rename `template`, and add one line to CMakeLists.txt:
 *
 *     fl_add_part(counter mine my-counter.c)
 *
 * This one counts the ticks of a clock that everybody has: nanoseconds of processor time that the
 * measured thread used. Compiled and tested like every other counter, but no part of the product.
 */
#include <time.h>

#include "counter-help.h"

/* Private state: zeroed and 64-byte aligned when open() gets it. */
struct template_state {
    struct timespec first, last;
};

/* One row a metric. Names are unique over all counters; they are columns of the CSV. */
static const struct fl_metric template_metrics[] = {
    {
        .name = "thread-cpu-time",
        .unit = "ns",
        .summary = "processor time of the measured thread",
        .source = "clock_gettime(CLOCK_THREAD_CPUTIME_ID)",
        .kind = FL_METRIC_TIMED,       /* how noisy it is, which decides how it is compared */
        .better = FL_LESS_IS_BETTER,   /* or FL_NOT_RANKED */
        .mode = FL_IN_COUNTING_SAMPLES /* FL_IN_EVERY_SAMPLE only if reading costs nothing */
    },
};

/* Required. Reads last. */
static void template_start(void *state)
{
    struct template_state *s = state;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &s->first);
}

/* Required. Reads first. No allocation, no output, no lock, as few system calls as can be. */
static void template_stop(void *state)
{
    struct template_state *s = state;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &s->last);
}

/*
 * Required. May be slow and may fail: 0 even where a metric cannot be had, which read() then says.
 * Looks at env->wanted to open no more than is needed, and ends with a rehearsal of the edges.
 */
static int template_open(void *state, const struct fl_counter_env *env, struct fl_err *err)
{
    (void)env;
    (void)err;
    template_start(state);
    template_stop(state);
    return 0;
}

/* Required, after stop(). What could not be counted is unavailable with its reason, never 0. */
static void template_read(void *state, const char *metric, struct fl_reading *out)
{
    (void)metric; /* there is only one */
    const struct template_state *s = state;
    fl_reading_total(out, (s->last.tv_sec - s->first.tv_sec) * 1000000000L + s->last.tv_nsec -
                              s->first.tv_nsec);
}

/* Required. */
static void template_close(void *state)
{
    (void)state;
}

const struct fl_counter_ops fl_counter_template = {
    .part =
        {
            .name = "template",
            .summary = "processor time of the measured thread, as an example",
            .abi = FL_PART_ABI,
            .state_size = sizeof(struct template_state),
            .probe = NULL, /* optional: -ENOTSUP with the reason where nothing of it works here */
        },
    .metrics = template_metrics,
    .metric_count = FL_COUNT_OF(template_metrics),
    .dynamic = NULL, /* optional: metrics made from names that no table lists */
    .hold = NULL,    /* optional: what makes open() and close() cheap while it is held */
    .open = template_open,
    .start = template_start,
    .stop = template_stop,
    .read = template_read,
    .close = template_close,
};
