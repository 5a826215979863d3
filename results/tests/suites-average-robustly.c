/* SPDX-License-Identifier: Apache-2.0 */
/* Suites: what a round's mean leaves out, which rounds have one, and a loss that only all know. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "faultline/random.h"
#include "results/sequential.h"
#include "results/suite.h"

static void near_to(double a, double b)
{
    if (!(fabs(a - b) <= 1e-12))
        fail_msg("%.17g is not %.17g", a, b);
}

static void a_quarter_at_either_end_is_left_out(void **state)
{
    double one[] = {3}, two[] = {1, 5}, three[] = {90, 1, 2}, four[] = {-50, 2, 80, 4};
    double seven[] = {100, 3, -100, 5, 4, 200, -200}, nine[] = {9, 1, 8, 2, 7, 3, 6, 4, 500};

    (void)state;
    near_to(fl_suite_mean(one, 1), 3);
    near_to(fl_suite_mean(two, 2), 3);
    near_to(fl_suite_mean(three, 3), 2);
    near_to(fl_suite_mean(four, 4), 3);
    near_to(fl_suite_mean(seven, 7), 4);
    near_to(fl_suite_mean(nine, 9), (3 + 4 + 6 + 7 + 8) / 5.0);
}

static void rounds_that_lack_a_cell_have_no_mean(void **state)
{
    const double none = (double)NAN;
    double losses[] = {1, 3, none, 3, 5, 7, 2, none}, means[4];

    (void)state;
    assert_int_equal(fl_suite_means(losses, 4, 2, means), 2);
    near_to(means[0], 2);
    near_to(means[1], 6);
    assert_int_equal(fl_suite_means(losses, 4, 0, means), 0);
}

enum { CELLS = 24, ROUNDS = 200 };

/* Each cell loses `loss`, the first one `first`. */
static struct fl_sequential judge(double loss, double first, uint64_t *random)
{
    static double losses[ROUNDS * CELLS];
    const struct fl_sequential_rule rule = {0.5, 2, CELLS + 1};
    double means[ROUNDS];
    struct fl_sequential out;

    for (size_t i = 0; i < ROUNDS * CELLS; i++) {
        double u = ((double)fl_random_below(random, 1 << 20) + 0.5) / (1 << 20);
        losses[i] = log1p(i % CELLS ? loss : first) + 0.006 * log(u / (1 - u));
    }
    size_t count = fl_suite_means(losses, ROUNDS, CELLS, means);
    assert_int_equal(count, ROUNDS);
    assert_int_equal(fl_sequential_judge(&rule, means, count, &out), 0);
    return out;
}

static void all_cells_know_what_none_does(void **state)
{
    uint64_t random = 4;
    int caught = 0, passed = 0, alone = 0;

    (void)state;
    for (int i = 0; i < 100; i++) {
        caught += judge(0.01, 0.01, &random).state == FL_SEQUENTIAL_REGRESSION;
        passed += judge(0, 0, &random).state == FL_SEQUENTIAL_PASS;
        alone += judge(0, 9, &random).state == FL_SEQUENTIAL_PASS;
    }
    assert_in_range(caught, 98, 100);
    assert_int_equal(passed, 100);
    assert_int_equal(alone, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quarter_at_either_end_is_left_out),
        cmocka_unit_test(rounds_that_lack_a_cell_have_no_mean),
        cmocka_unit_test(all_cells_know_what_none_does),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
