/* SPDX-License-Identifier: Apache-2.0 */
/* Counts: exact ones, sets at both stages, the permutation test against counting one by one, and
 * how often simulated sets cry wolf. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "faultline/random.h"
#include "results/counts.h"

enum { MOST = FL_COUNTS_FIRST + FL_COUNTS_FRESH };

static const struct fl_counts_rule exact = {.exact = true, .planned = 25};
static const struct fl_counts_rule set = {.planned = 25};

static struct fl_counts judge(const struct fl_counts_rule *rule, const double *base,
                              const double *head, size_t count)
{
    const struct fl_counts_values a = {base, count}, b = {head, count};
    struct fl_counts out;

    assert_int_equal(fl_counts_judge(rule, &a, &b, &out), 0);
    return out;
}

static void expect(struct fl_counts got, enum fl_counts_state state, size_t needs)
{
    assert_int_equal(got.state, state);
    assert_int_equal(got.needs, needs);
}

/* `often` at the places that are a multiple of `every`, `else_` at the others. */
static void fill(double *values, double else_, double often, size_t every)
{
    for (size_t i = 0; i < MOST; i++)
        values[i] = i % every ? else_ : often;
}

static void exact_counts_must_agree_and_be_equal(void **state)
{
    const double two[] = {2, 2}, three[] = {3, 3}, near[] = {2.005, 2.005};

    (void)state;
    expect(judge(&exact, two, two, 2), FL_COUNTS_PASS, 0);
    expect(judge(&exact, two, near, 2), FL_COUNTS_REGRESSION, 0);
    expect(judge(&exact, three, two, 2), FL_COUNTS_IMPROVEMENT, 0);
    expect(judge(&exact, two, three, 1), FL_COUNTS_UNDECIDED, 2);
    const struct fl_counts_rule more = {.exact = true, .better = FL_MORE_IS_BETTER, .planned = 1};
    expect(judge(&more, two, three, 2), FL_COUNTS_IMPROVEMENT, 0);
    expect(judge(&more, three, two, 2), FL_COUNTS_REGRESSION, 0);
    const struct fl_counts_rule lax = {.exact = true, .slack = 1, .planned = 1};
    expect(judge(&lax, two, three, 2), FL_COUNTS_PASS, 0);
}

static void exact_counts_that_disagree_are_a_set(void **state)
{
    double base[MOST], head[MOST];

    (void)state;
    fill(base, 2, 3, 5);
    fill(head, 2, 3, 5);
    struct fl_counts got = judge(&exact, base, head, 6);
    expect(got, FL_COUNTS_PASS, 10);
    assert_non_null(got.reason);
    expect(judge(&exact, base, head, 10), FL_COUNTS_PASS, 0);
    fill(head, 7, 8, 5);
    expect(judge(&exact, base, head, 6), FL_COUNTS_UNDECIDED, 10);
    expect(judge(&exact, base, head, 10), FL_COUNTS_REGRESSION, 0);
}

static void sets_alarm_at_once_only_when_apart(void **state)
{
    double base[MOST], head[MOST];

    (void)state;
    fill(base, 61, 62, 3);
    fill(head, 62, 61, 3);
    expect(judge(&set, base, head, 10), FL_COUNTS_PASS, 0);
    fill(head, 63, 64, 3);
    expect(judge(&set, base, head, 9), FL_COUNTS_UNDECIDED, 10);
    expect(judge(&set, base, head, 10), FL_COUNTS_REGRESSION, 0);
    const struct fl_counts_rule lax = {.slack = 2, .planned = 25};
    expect(judge(&lax, base, head, 10), FL_COUNTS_PASS, 0);
    fill(head, 60, 59, 3);
    expect(judge(&set, base, head, 10), FL_COUNTS_IMPROVEMENT, 0);
    fill(head, 62, 60, 3);
    expect(judge(&set, base, head, 9), FL_COUNTS_UNDECIDED, 10);
}

/* 63 was not seen before: twenty fresh ones a side tell a rare legal value from a move. */
static void a_new_value_is_looked_into(void **state)
{
    double base[MOST], head[MOST];

    (void)state;
    fill(base, 61, 62, 3);
    fill(head, 61, 63, 10);
    struct fl_counts got = judge(&set, base, head, 10);
    expect(got, FL_COUNTS_UNDECIDED, 30);
    assert_non_null(got.reason);
    expect(judge(&set, base, head, 29), FL_COUNTS_UNDECIDED, 30);
    got = judge(&set, base, head, 30);
    expect(got, FL_COUNTS_PASS, 0);
    assert_true(got.chance > 0.01);
    for (size_t i = 10; i < MOST; i++)
        head[i] = i % 4 ? 63 : 61;
    got = judge(&set, base, head, 30);
    expect(got, FL_COUNTS_REGRESSION, 0);
    assert_true(got.chance < 0.01 / 25);
    const struct fl_counts_rule many = {.planned = 100000000};
    expect(judge(&many, base, head, 30), FL_COUNTS_PASS, 0);
    const struct fl_counts_rule none = {.planned = 0};
    const struct fl_counts_values side = {base, MOST};
    assert_int_equal(fl_counts_judge(&none, &side, &side, &got), -EINVAL);
}

/* The same two values, but the head nearly always has the worse one. */
static void a_move_within_the_set_is_looked_into(void **state)
{
    double base[MOST], head[MOST];

    (void)state;
    fill(base, 61, 62, 10);
    fill(head, 62, 62, 10);
    expect(judge(&set, base, head, 10), FL_COUNTS_UNDECIDED, 30);
    expect(judge(&set, base, head, 30), FL_COUNTS_REGRESSION, 0);
}

static size_t choices_above(const double *values, size_t count, size_t chosen, double wanted)
{
    size_t above = 0;

    for (unsigned bits = 0; bits < 1U << count; bits++) {
        double sum = 0;
        if ((size_t)__builtin_popcount(bits) != chosen)
            continue;
        for (size_t i = 0; i < count; i++)
            if (bits >> i & 1)
                for (size_t k = 0; k < count; k++)
                    sum += (values[k] < values[i]) + 0.5 * (values[k] == values[i]);
        above += sum >= wanted;
    }
    return above;
}

static void chances_are_those_of_all_choices(void **state)
{
    uint64_t random = 3;

    (void)state;
    for (size_t base_count = 1; base_count <= 6; base_count++) {
        double all[12], wanted = 0, got;
        size_t head_count = 7 - base_count + base_count / 3, count = base_count + head_count;
        for (size_t i = 0; i < count; i++)
            all[i] = (double)fl_random_below(&random, 4);
        for (size_t i = base_count; i < count; i++)
            for (size_t k = 0; k < count; k++)
                wanted += (all[k] < all[i]) + 0.5 * (all[k] == all[i]);
        const struct fl_counts_values a = {all, base_count}, b = {all + base_count, head_count};
        assert_int_equal(fl_counts_chance(&a, &b, &got), 0);
        double expected = (double)choices_above(all, count, head_count, wanted) /
                          (double)choices_above(all, count, head_count, 0);
        assert_true(fabs(got - expected) < 1e-12);
    }
    double apart[40], got;
    for (size_t i = 0; i < 40; i++)
        apart[i] = (double)i;
    const struct fl_counts_values low = {apart, 20}, high = {apart + 20, 20}, none = {apart, 0};
    assert_int_equal(fl_counts_chance(&low, &high, &got), 0);
    assert_true(fabs(got * 137846528820 - 1) < 1e-9);
    assert_int_equal(fl_counts_chance(&high, &low, &got), 0);
    assert_true(got >= 1);
    assert_int_equal(fl_counts_chance(&none, &low, &got), -EINVAL);
}

/* Sets of values that come with any probability, rare ones too. */
static double draw(uint64_t *random, int sort)
{
    static const size_t rare[] = {2, 3, 10, 30, 300};
    size_t one = rare[sort % 5];

    return 61 + (fl_random_below(random, one) == 0) + 2 * (fl_random_below(random, 3 * one) == 0);
}

static void no_change_is_no_alarm(void **state)
{
    uint64_t random = 8;
    int alarms = 0, tried = 0;

    (void)state;
    for (int i = 0; i < 2000; i++) {
        double base[MOST], head[MOST];
        for (size_t k = 0; k < MOST; k++) {
            base[k] = draw(&random, i);
            head[k] = draw(&random, i);
        }
        tried += judge(&set, base, head, 10).needs == 30;
        alarms += judge(&set, base, head, 30).state == FL_COUNTS_REGRESSION;
    }
    assert_in_range(alarms, 0, 1);
    assert_in_range(tried, 100, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_counts_must_agree_and_be_equal),
        cmocka_unit_test(exact_counts_that_disagree_are_a_set),
        cmocka_unit_test(sets_alarm_at_once_only_when_apart),
        cmocka_unit_test(a_new_value_is_looked_into),
        cmocka_unit_test(a_move_within_the_set_is_looked_into),
        cmocka_unit_test(chances_are_those_of_all_choices),
        cmocka_unit_test(no_change_is_no_alarm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
