/* SPDX-License-Identifier: Apache-2.0 */
/* Batches that double, so that reading the clock costs nothing even for calls of a nanosecond. */
#include "settle.h"

#include "gap.h"

/* Where the window's calls are reckoned from the settling ones, these last that long at least. */
#define ESTIMATE_SECONDS 100e-6

int fl_settle_calls(struct fl_sample *sample, uint64_t count)
{
    int rc = 0;
    for (; count && !rc; count--) {
        rc = sample->kernel->run(sample->kernel_state, &sample->workspace);
        if (sample->gap > 0)
            fl_gap_pass(sample->gap);
    }
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

/*
 * The estimate is that of the batch with the most calls, the later of two: the first calls are slow
 * while the heap grows, and the last batch is what was left of the time, in which reading the clock
 * may cost more than the calls.
 */
int fl_settle(struct fl_sample *sample)
{
    double least = sample->request.iterations ? 0 : ESTIMATE_SECONDS;
    double wanted = sample->request.settle > least ? sample->request.settle : least;
    double start = fl_gap_now(), end = start + wanted, last = start;
    uint64_t batch = 1, most = 0;
    sample->settle_calls = 0;
    while (sample->settle_calls < FL_SETTLE_CALLS || last < end) {
        int rc = fl_settle_calls(sample, batch);
        if (rc)
            return rc;
        double after = fl_gap_now(), pace = (after - last) / (double)batch;
        if (batch >= most) {
            sample->call_seconds = pace;
            most = batch;
        }
        sample->settle_calls += batch;
        last = after;
        batch = next_batch(batch, pace, end - last);
    }
    return 0;
}
