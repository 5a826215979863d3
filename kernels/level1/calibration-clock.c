/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock behind a calibration.
 *
 * Calls of one thread and of the team take turns, many rounds of them, and the mean of the faster
 * three quarters of the rounds counts. A waiting team that loses its processors to others again and
 * again is as dear as that, which a median would not show; what happens now and then is left out.
 * Without a pause between calls a round is a batch of back-to-back calls, after some that are not
 * timed. With a pause every call is timed by itself behind one that is not.
 *
 * Turns have a catch: what the team's other threads read stays in their caches, and serves the
 * caller's batch faster than memory would, for as long as they idle (58 GB/s instead of 44 seen
 * here). So every thread fills its cache with something else before each batch.
 */
#include "calibration-clock.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "faultline/reals.h"

#define ROUNDS_MAX 101
#define ROUNDS_MIN 5
#define BUDGET     15e-3 /* seconds for all rounds of one measurement, if that does for the least */
#define BATCH      200e-6
#define BATCH_MAX  1000
#define BATCH_MIN  4                   /* calls */
#define WARM       4                   /* calls in front of a batch */
#define MEMORY     ((size_t)16 << 20)  /* of a vector that calibration maps for itself */
#define FILL       ((size_t)4 << 20)   /* twice a core's own cache, of those with large ones */
#define FILL_MAX   ((size_t)256 << 20) /* of all threads */
#define LINE       64

struct clock {
    struct fl_level1_call call;
    const struct fl_level1_operands *operands;
    struct fl_level1_operands larger; /* mapped where the cell's own are too short */
    struct fl_arena *arena;
    double gap;
    unsigned char *fill; /* what caches are filled with, fill_bytes for each thread */
    size_t fill_bytes;
};

typedef int (*timed_fn)(struct clock *clock);

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* As the window pauses: the caller has other work and keeps its processor. */
static void pause_for(double seconds)
{
    const double end = now() + seconds;

    while (now() < end)
        ;
}

static int empty(void *arg, unsigned thread)
{
    (void)arg;
    (void)thread;
    return 0;
}

static int region(struct clock *clock)
{
    return fl_team_run(clock->call.team, empty, clock);
}

static int call_one(struct clock *clock)
{
    fl_level1_call_one(&clock->call);
    return 0;
}

static int call_all(struct clock *clock)
{
    return fl_level1_call_all(&clock->call);
}

static int fill_cache(void *arg, unsigned thread)
{
    const struct clock *clock = arg;
    unsigned char *mine = clock->fill + thread * clock->fill_bytes;

    for (size_t i = 0; i < clock->fill_bytes; i += LINE)
        mine[i]++;
    return 0;
}

static int map_fill(struct clock *clock)
{
    const size_t threads = clock->call.team->threads;

    clock->fill_bytes = FILL < FILL_MAX / threads ? FILL : FILL_MAX / threads;
    clock->fill = fl_arena_alloc(clock->arena, threads * clock->fill_bytes, LINE);
    return clock->fill ? 0 : -ENOMEM;
}

/* Seconds of one call: the mean of `calls` back to back, or of one after a pause. */
static int batch(struct clock *clock, timed_fn fn, unsigned calls, double *seconds)
{
    double begin;
    int rc = fl_team_run(clock->call.team, fill_cache, clock);

    if (clock->gap > 0) {
        rc = rc ? rc : fn(clock);
        pause_for(clock->gap);
        begin = now();
        rc = rc ? rc : fn(clock);
        *seconds = now() - begin;
        return rc;
    }
    for (int i = 0; i < WARM && !rc; i++)
        rc = fn(clock);
    begin = now();
    for (unsigned i = 0; i < calls && !rc; i++)
        rc = fn(clock);
    *seconds = (now() - begin) / calls;
    return rc;
}

static unsigned calls_of(double seconds)
{
    const double calls = BATCH / (seconds + 1e-9);

    return calls < BATCH_MIN ? BATCH_MIN : calls > BATCH_MAX ? BATCH_MAX : (unsigned)calls;
}

/* The mean of the faster three quarters. */
static double usual(double *values, unsigned count)
{
    const unsigned kept = count - (count + 3) / 4;
    double sum = 0;

    fl_reals_sort(values, count);
    for (unsigned i = 0; i < kept; i++)
        sum += values[i];
    return sum / kept;
}

static unsigned rounds_of(double seconds)
{
    const double rounds = BUDGET / (seconds + 1e-9);
    const unsigned whole = rounds > ROUNDS_MAX ? ROUNDS_MAX : (unsigned)rounds;

    return whole < ROUNDS_MIN ? ROUNDS_MIN : whole;
}

/* One function, or two in turns; the first batches warm up and tell how many calls a batch takes.
 */
static int measure(struct clock *clock, const timed_fn *fns, int count, double *out)
{
    double times[2][ROUNDS_MAX], begin;
    unsigned calls[2] = {1, 1};
    int rc = 0;

    for (int i = 0; i < count && !rc; i++) {
        rc = batch(clock, fns[i], 1, &out[i]);
        calls[i] = calls_of(out[i]);
    }
    begin = now();
    for (int i = 0; i < count && !rc; i++)
        rc = batch(clock, fns[i], calls[i], &times[i][0]);
    const unsigned rounds = rounds_of(now() - begin);

    for (unsigned round = 1; round < rounds && !rc; round++)
        for (int i = 0; i < count && !rc; i++)
            rc = batch(clock, fns[i], calls[i], &times[i][round]);
    for (int i = 0; i < count && !rc; i++)
        out[i] = usual(times[i], rounds);
    return rc;
}

static int wake(void *arg, double *seconds)
{
    static const timed_fn fn = region;

    return measure(arg, &fn, 1, seconds);
}

/* Vectors of at least n elements: the cell's own, else calibration's. */
static int operands_for(struct clock *clock, size_t n, const struct fl_level1_operands **out)
{
    struct fl_level1_operands *larger = &clock->larger;

    *out = n <= clock->operands->n ? clock->operands : larger;
    if (*out != larger || n <= larger->n)
        return 0;
    *larger = *clock->operands;
    larger->n = n;
    larger->x.matrix.cols = larger->x.stride ? n : 1;
    larger->y.matrix.cols = larger->y.stride ? n : 1;
    /* Zeros are as good as other numbers here: no operation is faster for them. */
    return fl_level1_operands_map(larger, clock->arena, larger->x.matrix.seed, NULL);
}

static int time_calls(void *arg, double *bytes, double *one, double *all)
{
    static const timed_fn both[2] = {call_one, call_all};
    struct clock *clock = arg;
    const struct fl_level1_operands *operands;
    struct fl_level1_operands part;
    double times[2] = {0};
    const struct fl_level1_name *name = clock->call.name;
    const double element = name->routine->moves * (double)fl_level1_bytes(name->type);
    const size_t n = (size_t)(*bytes / element) + 1;
    int rc = operands_for(clock, n, &operands);

    if (rc)
        return rc;
    /* The first n of them, in the order of memory. */
    part = *operands;
    part.n = n;
    part.x.matrix.cols = part.x.stride ? n : 1;
    part.y.matrix.cols = part.y.stride ? n : 1;
    fl_level1_operands_slice(&part, &clock->call.slice);
    *bytes = (double)n * element;
    rc = measure(clock, both, 2, times);
    *one = times[0];
    *all = times[1];
    return rc;
}

/* Most elements of a calibration: the cell's own, or what fits the memory it may map. */
static double largest(const struct fl_level1_operands *operands)
{
    const size_t apart = operands->x.matrix.ld > operands->y.matrix.ld ? operands->x.matrix.ld
                                                                       : operands->y.matrix.ld;
    const size_t fits = MEMORY / (apart * operands->scalar->bytes);
    const size_t n = operands->n > fits ? operands->n : fits;

    return (double)operands->name->routine->moves * (double)n *
           (double)(operands->parts * operands->scalar->bytes);
}

int fl_level1_calibrate(const struct fl_level1_call *call,
                        const struct fl_level1_operands *operands, double gap,
                        struct fl_arena *arena, struct fl_calibration *out, struct fl_err *err)
{
    struct clock clock = {.call = *call, .operands = operands, .arena = arena, .gap = gap};
    const struct fl_calibration_probe probe = {
        .wake = wake,
        .call = time_calls,
        .arg = &clock,
        .largest = largest(operands),
        .threads = call->team ? call->team->threads : 1,
    };
    int rc = probe.threads > 1 ? map_fill(&clock) : 0;

    if (!rc)
        rc = fl_calibrate(&probe, fl_level1_traffic(operands), out);

    return rc ? fl_fail(err, rc, "cannot calibrate the thread rule: %s", strerror(-rc)) : 0;
}
