/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The window. Google Benchmark allocates before it enters the function and the name of the
 * benchmark moves the heap, so the heap's offset is set inside, just before the last settling
 * calls.
 */
#include "window.h"

#include <errno.h>
#include <string.h>

#include "faultline/gbench.h"
#include "gap.h"
#include "heap-offset.h"
#include "injector.h"
#include "settle.h"

static int normalise_heap(struct fl_sample *sample)
{
    const struct fl_malloc *row = fl_malloc_find(fl_cell_get(&sample->cell, "malloc"));
    if (row->preload)
        return 0; /* another malloc: its heap has no top */
    size_t offset = (size_t)fl_cell_number(&sample->cell, "heap-offset", 0);
    return fl_heap_offset_set(offset, &sample->err);
}

static void start_counters(struct fl_sample *sample)
{
    for (size_t i = 0; i < sample->counter_count; i++)
        sample->counters[i].ops->start(sample->counters[i].state);
}

static void stop_counters(struct fl_sample *sample)
{
    for (size_t i = sample->counter_count; i-- > 0;)
        sample->counters[i].ops->stop(sample->counters[i].state);
}

/*
 * A counting sample starts its counters inside the timed region and a timed one outside: the edges
 * of Google Benchmark's region take locks, which must not be counted; reading counters takes time,
 * which must not be timed.
 */
static int measure(struct fl_sample *sample, struct fl_state *state)
{
    const struct fl_kernel_ops *kernel = sample->kernel;
    void *kernel_state = sample->kernel_state;
    const struct fl_workspace *workspace = &sample->workspace;
    bool counting = sample->request.counting;
    int rc = 0;

    if (!counting)
        start_counters(sample);
    int64_t left = fl_state_take(state);
    if (counting)
        start_counters(sample);
    for (; left > 0; left--)
        rc |= kernel->run(kernel_state, workspace);
    if (counting)
        stop_counters(sample);
    fl_state_take(state);
    if (!counting)
        stop_counters(sample);
    return rc;
}

/*
 * With a gap, each call is timed by itself and followed by the pause; the counters see both, since
 * what a team does while it waits is part of what the gap is there to show.
 */
static int measure_with_gaps(struct fl_sample *sample, struct fl_state *state)
{
    const struct fl_kernel_ops *kernel = sample->kernel;
    double spent = 0;
    int rc = 0;

    int64_t left = fl_state_take(state);
    start_counters(sample);
    for (; left > 0; left--) {
        double before = fl_gap_now();
        rc |= kernel->run(sample->kernel_state, &sample->workspace);
        spent += fl_gap_now() - before;
        fl_gap_pass(sample->gap);
    }
    stop_counters(sample);
    fl_state_set_iteration_time(state, spent);
    fl_state_take(state);
    return rc;
}

static void body(struct fl_state *state, void *arg)
{
    struct fl_sample *sample = arg;
    int rc = normalise_heap(sample);
    if (!rc)
        rc = fl_settle_calls(sample, FL_SETTLE_CALLS);
    fl_injector_restart(sample);
    if (!rc)
        rc = sample->gap > 0 ? measure_with_gaps(sample, state) : measure(sample, state);
    if (rc && !sample->err.text[0])
        fl_fail(&sample->err, rc, "a call failed in the window: %s", strerror(rc < 0 ? -rc : rc));
    if (rc)
        fl_state_skip_with_error(state, sample->err.text);
}

static void report(const struct fl_run *run, void *arg)
{
    struct fl_sample *sample = arg;
    if (run->kind != FL_RUN_ITERATION || run->status != FL_RUN_OK)
        return;
    sample->window_seconds = run->real_ns * 1e-9 * (double)run->iterations;
}

/* One pass of Google Benchmark over `calls` calls. */
static int pass(struct fl_sample *sample, const char *key, uint64_t calls, struct fl_err *err)
{
    struct fl_bench *bench;
    int rc = fl_bench_clear();
    if (!rc)
        rc = fl_bench_register(key, body, sample, &bench);
    if (rc)
        return fl_fail(err, rc, "cannot register the benchmark: %s", strerror(-rc));
    fl_bench_iterations(bench, (int64_t)calls);
    if (sample->gap > 0)
        fl_bench_manual_time(bench);
    else
        fl_bench_real_time(bench);
    const struct fl_reporter reporter = {.run = report, .arg = sample};
    sample->err.text[0] = 0;
    sample->window_seconds = -1;
    rc = fl_bench_run(".", &reporter, NULL);
    if (sample->err.text[0]) {
        *err = sample->err;
        return -EIO;
    }
    if (rc)
        return fl_fail(err, rc, "cannot run the benchmark: %s", strerror(-rc));
    if (sample->window_seconds < 0)
        return fl_fail(err, -EIO, "Google Benchmark reported no time for the window");
    return 0;
}

int fl_window(struct fl_sample *sample, struct fl_err *err)
{
    char key[FL_CELL_KEY_MAX];
    int rc = fl_cell_key(&sample->cell, key, sizeof key);
    if (rc)
        return fl_fail(err, rc, "the cell's key is too long");
    /* Rehearsed with one call: the code and data at the edges of Google Benchmark's timed region
     * would otherwise be touched for the first time between the readings of the faults. */
    rc = pass(sample, key, 1, err);
    return rc ? rc : pass(sample, key, sample->calls, err);
}
