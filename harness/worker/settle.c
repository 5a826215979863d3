/* SPDX-License-Identifier: Apache-2.0 */
/* Batches that double, so that reading the clock costs nothing even for calls of a nanosecond. */
#include "settle.h"

#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int fl_settle_calls(struct fl_sample *sample, uint64_t count)
{
    int rc = 0;
    for (; count && !rc; count--)
        rc = sample->kernel->run(sample->kernel_state, &sample->workspace);
    return rc;
}

/* The next batch: twice the last, but no more than what is left at the last batch's pace. */
static uint64_t next_batch(uint64_t batch, double pace, double left)
{
    double fits = pace > 0 ? left / pace : 1e18;
    if (fits < 1)
        return 1;
    return fits < 2.0 * (double)batch ? (uint64_t)fits : 2 * batch;
}

int fl_settle(struct fl_sample *sample)
{
    double start = now(), end = start + sample->request.settle, last = start;
    uint64_t batch = 1;
    sample->settle_calls = 0;
    while (sample->settle_calls < FL_SETTLE_CALLS || last < end) {
        int rc = fl_settle_calls(sample, batch);
        if (rc)
            return rc;
        double after = now();
        sample->call_seconds = (after - last) / (double)batch;
        sample->settle_calls += batch;
        last = after;
        batch = next_batch(batch, sample->call_seconds, end - last);
    }
    return 0;
}
