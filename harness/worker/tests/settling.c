/* SPDX-License-Identifier: Apache-2.0 */
/* Settling on a clock that only calls and its own readings move. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "settle.h"

/* What one reading of the clock, a call, and the first call on top of that cost, in ns. */
struct costs {
    int64_t reading, call, first;
};

/* The wrapped function has no other way to them; set by each test. */
static struct costs costs;
static int64_t now_ns;
static uint64_t calls;

int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
    (void)clock;
    now_ns += costs.reading;
    *t = (struct timespec){now_ns / 1000000000, now_ns % 1000000000};
    return 0;
}

static int run(void *state, const struct fl_workspace *workspace)
{
    (void)state, (void)workspace;
    now_ns += costs.call + (calls++ ? 0 : costs.first);
    return 0;
}

static const struct fl_kernel_ops kernel = {.run = run};

static struct fl_sample settled(double seconds, uint64_t iterations)
{
    struct fl_sample sample = {.request = {.settle = seconds, .iterations = iterations},
                               .kernel = &kernel};
    calls = 0;
    assert_int_equal(fl_settle(&sample), 0);
    assert_int_equal(sample.settle_calls, calls);
    return sample;
}

static void assert_estimate(double seconds, double ns)
{
    double got = settled(seconds, 0).call_seconds * 1e9;
    if (got < ns * 0.99 || got > ns * 1.1)
        fail_msg("a call of %g ns is taken for %g ns after %g s", ns, got, seconds);
}

static void the_clock_is_not_taken_for_the_call(void **state)
{
    (void)state;
    costs = (struct costs){.reading = 40, .call = 2};
    assert_estimate(0, 2);
    for (int us = 100; us < 3000; us += 7)
        assert_estimate(us * 1e-6, 2);
}

static void slow_first_calls_are_forgotten(void **state)
{
    (void)state;
    costs = (struct costs){.reading = 40, .call = 50000, .first = 5000000};
    assert_estimate(20e-3, 50000);
    assert_estimate(150e-3, 50000);
}

static void calls_that_outlast_the_time_are_three(void **state)
{
    (void)state;
    costs = (struct costs){.reading = 40, .call = 300000000};
    assert_int_equal(settled(150e-3, 0).settle_calls, FL_SETTLE_CALLS);
    assert_estimate(150e-3, 300000000);
}

static void a_given_number_of_calls_needs_no_estimate(void **state)
{
    (void)state;
    costs = (struct costs){.reading = 40, .call = 2};
    assert_int_equal(settled(0, 20).settle_calls, FL_SETTLE_CALLS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_clock_is_not_taken_for_the_call),
        cmocka_unit_test(slow_first_calls_are_forgotten),
        cmocka_unit_test(calls_that_outlast_the_time_are_three),
        cmocka_unit_test(a_given_number_of_calls_needs_no_estimate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
