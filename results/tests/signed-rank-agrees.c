/* SPDX-License-Identifier: Apache-2.0 */
/* Signed rank: constants of R 4's wilcox.test, every sign pattern counted one by one, coverage. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "faultline/random.h"
#include "faultline/reals.h"
#include "results/signed-rank.h"

/* cmocka compares in single precision. */
static void near_to(double a, double b, double within)
{
    if (!(fabs(a - b) <= within))
        fail_msg("%.17g is not %.17g", a, b);
}

static double above(const double *d, size_t count, double shift)
{
    double p = -1;

    assert_int_equal(fl_signed_rank_above(d, count, shift, &p), 0);
    return p;
}

static double below(const double *d, size_t count, double shift)
{
    double p = -1;

    assert_int_equal(fl_signed_rank_below(d, count, shift, &p), 0);
    return p;
}

static struct fl_shift shift_of(const double *d, size_t count)
{
    struct fl_shift shift;

    assert_int_equal(fl_signed_rank_shift(d, count, &shift), 0);
    return shift;
}

static void nine_are_as_in_r(void **state)
{
    static const double d[] = {0.952, -0.147, 1.022, 0.43, 0.62, 0.59, 0.49, -0.08, 0.01};
    struct fl_shift shift = shift_of(d, 9);

    (void)state;
    near_to(shift.estimate, 0.46, 1e-12);
    near_to(shift.low, 0.010, 1e-12);
    near_to(shift.high, 0.786, 1e-12);
    near_to(above(d, 9, 0.1), 0.02734375, 1e-14);
    near_to(below(d, 9, 0.6), 0.150390625, 1e-14);
}

/* The series that R was given. */
static void fill(double *d, int count, int modulus, double scale, double low, double step)
{
    for (int i = 0; i < count; i++)
        d[i] = i * 7919 % modulus / scale - low + i * step;
}

static void more_are_as_in_r(void **state)
{
    double d[700];

    (void)state;
    fill(d, 24, 1009, 1000, 0.35, 1e-5);
    struct fl_shift shift = shift_of(d, 24);
    near_to(shift.estimate, 0.1681475, 5e-8);
    near_to(shift.low, 0.030640, 5e-7);
    near_to(shift.high, 0.305655, 5e-7);
    near_to(above(d, 24, 0), 0.012431800365448, 1e-14);
    fill(d, 600, 10007, 10000, 0.45, 1e-8);
    shift = shift_of(d, 600);
    near_to(shift.estimate, 0.0503052, 5e-8);
    near_to(shift.low, 0.026752685, 5e-10);
    near_to(shift.high, 0.073902515, 5e-10);
    near_to(above(d, 600, 0) / 2.70768689994343e-05, 1, 1e-10);
    fill(d, 700, 10007, 10000, 0.45, 1e-8);
    near_to(above(d, 700, 0) / 7.17560231346553e-06, 1, 1e-9);
}

/* Twice Pratt's rank of one: ranked among all, zeros too. */
static int doubled_rank(const double *d, int count, int one)
{
    int rank = 1;

    for (int i = 0; i < count; i++)
        rank += 2 * (fabs(d[i]) < fabs(d[one])) + (fabs(d[i]) == fabs(d[one]));
    return rank;
}

static double counted(const double *d, int count, int sign)
{
    int rank[16], seen = 0, as_extreme = 0;

    for (int i = 0; i < count; i++) {
        rank[i] = d[i] == 0 ? 0 : doubled_rank(d, count, i);
        seen += d[i] * sign > 0 ? rank[i] : 0;
    }
    for (int signs = 0; signs < 1 << count; signs++) {
        int sum = 0;
        for (int i = 0; i < count; i++)
            sum += signs >> i & 1 ? rank[i] : 0;
        as_extreme += sum >= seen;
    }
    return (double)as_extreme / (1 << count);
}

/* Small whole numbers: full of ties and zeros. */
static void every_sign_pattern_is_counted(void **state)
{
    uint64_t random = 7;

    (void)state;
    for (int count = 1; count <= 16; count++)
        for (int again = 0; again < 3; again++) {
            double d[16];
            size_t half = again ? 3 : 1000;
            for (int i = 0; i < count; i++)
                d[i] = (double)fl_random_below(&random, 2 * half + 1) - (double)half;
            near_to(above(d, (size_t)count, 0), counted(d, count, 1), 1e-13);
            near_to(below(d, (size_t)count, 0), counted(d, count, -1), 1e-13);
        }
}

static void sixteen_equal_ones_are_as_sure_as_can_be(void **state)
{
    double d[16];

    (void)state;
    for (int i = 0; i < 16; i++)
        d[i] = 0.25;
    near_to(above(d, 16, 0) * 65536, 1, 1e-12);
    near_to(above(d, 16, 0.25), 1, 0);
    near_to(below(d, 16, 0.5) * 65536, 1, 1e-12);
    near_to(above(d, 16, 0.5), 1, 0);
}

static void what_cannot_be_ranked_is_refused(void **state)
{
    double d[FL_SIGNED_RANK_MAX + 1] = {0}, p;
    const double bad[] = {1, (double)NAN};
    struct fl_shift shift = shift_of(d, 5);

    (void)state;
    assert_true(isnan(shift.low) && isnan(shift.high));
    assert_true(isfinite(shift_of(d, 6).low));
    assert_int_equal(fl_signed_rank_shift(d, 0, &shift), -EINVAL);
    assert_int_equal(fl_signed_rank_shift(bad, 2, &shift), -EINVAL);
    assert_int_equal(fl_signed_rank_above(bad, 2, 0, &p), -EINVAL);
    assert_int_equal(fl_signed_rank_above(d, 3, (double)INFINITY, &p), -EINVAL);
    assert_int_equal(fl_signed_rank_shift(d, FL_SIGNED_RANK_MAX + 1, &shift), -E2BIG);
    assert_int_equal(fl_signed_rank_below(d, FL_SIGNED_RANK_MAX + 1, 0, &p), -E2BIG);
    assert_int_equal(fl_signed_rank_shift(d, FL_SIGNED_RANK_MAX, &shift), 0);
}

/* Of `count` symmetric differences with heavy tails. Returns how many of 2000 hold the centre. */
static int covered(int count, uint64_t random)
{
    int covered = 0;

    for (int i = 0; i < 2000; i++) {
        double d[31];
        for (int k = 0; k < count; k++) {
            double u = ((double)fl_random_below(&random, 1 << 20) + 0.5) / (1 << 20);
            d[k] = 1 + log(u / (1 - u));
        }
        struct fl_shift shift = shift_of(d, (size_t)count);
        covered += shift.low <= 1 && shift.high >= 1;
    }
    return covered;
}

/* 95.3, 95.2 and 95.0 % in theory; standard error 0.5 %. */
/* Signs of both kinds, ties and zeros, against the means written down and sorted. */
static void estimates_are_among_the_sorted_means(void **state)
{
    double d[60], means[60 * 61 / 2] = {0};
    uint64_t seed = 7;

    (void)state;
    for (size_t count = 1; count <= 60; count++) {
        size_t pairs = 0, low = 0, high = 0;
        for (size_t i = 0; i < count; i++)
            d[i] = count % 3 ? (double)fl_random_below(&seed, 1 << 20) / (1 << 20) - 0.5
                             : (double)((i * 7) % 5) - 2;
        for (size_t i = 0; i < count; i++)
            for (size_t k = i; k < count; k++)
                means[pairs++] = d[i] / 2 + d[k] / 2;
        struct fl_shift shift = shift_of(d, count);
        fl_reals_sort(means, pairs);
        near_to(shift.estimate, fl_reals_middle(means, pairs), 0);
        while (low < pairs && means[low] < shift.low)
            low++;
        while (high < pairs && means[pairs - 1 - high] > shift.high)
            high++;
        if (count < 6)
            continue;
        near_to(means[low], shift.low, 0);
        near_to(means[pairs - 1 - high], shift.high, 0);
        assert_true(low < pairs / 2 && high < pairs / 2);
    }
}

static void intervals_cover_what_they_say(void **state)
{
    (void)state;
    assert_in_range(covered(7, 3), 1880, 1940);
    assert_in_range(covered(15, 3), 1870, 1940);
    assert_in_range(covered(31, 3), 1870, 1940);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nine_are_as_in_r),
        cmocka_unit_test(more_are_as_in_r),
        cmocka_unit_test(every_sign_pattern_is_counted),
        cmocka_unit_test(sixteen_equal_ones_are_as_sure_as_can_be),
        cmocka_unit_test(what_cannot_be_ranked_is_refused),
        cmocka_unit_test(estimates_are_among_the_sorted_means),
        cmocka_unit_test(intervals_cover_what_they_say),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
