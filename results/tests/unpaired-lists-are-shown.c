/* SPDX-License-Identifier: Apache-2.0 */
/* Two lists that are no pairs: constants of R 4's wilcox.test, coverage, and lists that say
 * nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "faultline/random.h"
#include "results/unpaired.h"

static void near_to(double a, double b, double within)
{
    if (!(fabs(a - b) <= within))
        fail_msg("%.17g is not %.17g", a, b);
}

/* Of 252 arrangements 4 have at most two pairs in the wrong order, 7 at most three: more than 2.5
 * %. So the interval ends at the third ratio from either end. */
static void five_against_five_by_hand(void **state)
{
    const double base[] = {1, 2, 4, 8, 16}, head[] = {32, 64, 128, 256, 512};
    const struct fl_unpaired_values a = {base, 5}, b = {head, 5};
    struct fl_unpaired out;

    (void)state;
    assert_int_equal(fl_unpaired_shift(&a, &b, &out), 0);
    near_to(out.ratio, 32, 0);
    near_to(out.low, 4, 0);
    near_to(out.high, 256, 0);
}

static void few_and_impossible_values_have_no_interval(void **state)
{
    const double three[] = {1, 2, 3}, zero[] = {0, 1, 2};
    const struct fl_unpaired_values a = {three, 3}, none = {three, 0}, bad = {zero, 3};
    struct fl_unpaired out;

    (void)state;
    assert_int_equal(fl_unpaired_shift(&a, &a, &out), 0);
    near_to(out.ratio, 1, 0);
    assert_true(isnan(out.low) && isnan(out.high));
    assert_int_equal(fl_unpaired_shift(&a, &none, &out), 0);
    assert_true(isnan(out.ratio));
    assert_int_equal(fl_unpaired_shift(&bad, &a, &out), 0);
    assert_true(isnan(out.ratio));
    assert_int_equal(fl_unpaired_bootstrap(&bad, &a, &out), 0);
    assert_true(isnan(out.ratio));
    const struct fl_unpaired_values one = {three, 1};
    assert_int_equal(fl_unpaired_bootstrap(&one, &a, &out), 0);
    near_to(out.ratio, 2, 0);
    assert_true(isnan(out.low));
}

typedef int (*interval_fn)(const struct fl_unpaired_values *, const struct fl_unpaired_values *,
                           struct fl_unpaired *);

/* How many of 1000 intervals hold the true ratio of 2; heavy tails. */
static size_t covered(interval_fn interval, size_t count, uint64_t seed)
{
    double values[2][100];
    size_t times = 0;

    for (int i = 0; i < 1000; i++) {
        struct fl_unpaired out;
        for (size_t k = 0; k < 2 * count; k++) {
            double u = ((double)fl_random_below(&seed, 1 << 20) + 0.5) / (1 << 20);
            values[k % 2][k / 2] = (k % 2 ? 2 : 1) * exp(0.02 * log(u / (1 - u)));
        }
        const struct fl_unpaired_values a = {values[0], count}, b = {values[1], count};
        assert_int_equal(interval(&a, &b, &out), 0);
        times += out.low <= 2 && out.high >= 2;
    }
    return times;
}

static void intervals_cover_what_they_say(void **state)
{
    (void)state;
    assert_in_range(covered(fl_unpaired_shift, 7, 1), 935, 975);
    assert_in_range(covered(fl_unpaired_shift, 16, 2), 935, 970);
    assert_in_range(covered(fl_unpaired_shift, 60, 3), 930, 970); /* not exact any more */
    assert_in_range(covered(fl_unpaired_bootstrap, 16, 4), 925, 985);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_against_five_by_hand),
        cmocka_unit_test(few_and_impossible_values_have_no_interval),
        cmocka_unit_test(intervals_cover_what_they_say),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
