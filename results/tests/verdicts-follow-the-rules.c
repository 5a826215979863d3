/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts at a fixed number of rounds: each kind of metric, each verdict, each reason. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "results/verdict.h"

enum { MOST = 60 };

static const struct fl_metric time_metric = {.name = "time", .better = FL_LESS_IS_BETTER};
static const struct fl_metric rate = {.name = "gflops", .better = FL_MORE_IS_BETTER, .ratio = true};
static const struct fl_metric locks = {
    .name = "locks", .kind = FL_METRIC_EXACT, .mode = FL_IN_COUNTING_SAMPLES};
static const struct fl_metric faults = {.name = "minor-faults", .kind = FL_METRIC_SET};
static const struct fl_metric switches = {.name = "switches", .kind = FL_METRIC_NOISY_COUNT};

/* A case whose sides live with it. */
struct made {
    struct fl_round_value base_values[MOST], head_values[MOST];
    struct fl_series base, head;
    struct fl_verdict_case of;
};

/* Rounds that swing by 4 % together and by up to 0.3 % apart; head is `factor` of the base. */
static void make_pairs(struct made *m, const struct fl_metric *metric, size_t count, double factor)
{
    *m = (struct made){.of = {.metric = metric, .base = &m->base, .head = &m->head}};
    for (size_t i = 0; i < count; i++) {
        double together = 100 + (double)(i * 7 % 9) - 4;
        m->base_values[i] = (struct fl_round_value){(int64_t)i, together};
        m->head_values[i] = (struct fl_round_value){
            (int64_t)i, together * factor * (1 + ((double)(i * 5 % 7) - 3) / 1000)};
    }
    m->base.timed = (struct fl_round_row){m->base_values, count};
    m->head.timed = (struct fl_round_row){m->head_values, count};
}

/* Counting samples of 100 calls, all of one value a side. */
static void make_counts(struct made *m, const struct fl_metric *metric, size_t count, double base,
                        double head)
{
    *m = (struct made){.of = {.metric = metric, .base = &m->base, .head = &m->head}};
    for (size_t i = 0; i < count; i++) {
        m->base_values[i] = (struct fl_round_value){(int64_t)i, base};
        m->head_values[i] = (struct fl_round_value){(int64_t)i, head};
    }
    m->base.counted = (struct fl_round_row){m->base_values, count};
    m->head.counted = (struct fl_round_row){m->head_values, count};
    m->base.calls = m->head.calls = 100;
}

static struct fl_comparison decide(const struct made *m, size_t planned)
{
    const struct fl_verdict_rule rule = {.tolerance = 0.5, .detect = 2, .planned = planned};
    struct fl_comparison out;

    assert_int_equal(fl_verdict_decide(&m->of, &rule, &out), 0);
    return out;
}

static void expect(const struct made *m, enum fl_verdict verdict, const char *reason)
{
    struct fl_comparison got = decide(m, 1);

    assert_string_equal(fl_verdict_name(got.verdict), fl_verdict_name(verdict));
    if (reason)
        assert_non_null(strstr(got.reason, reason));
    else
        assert_null(got.reason);
}

static void times_are_judged_by_their_pairs(void **state)
{
    struct made m;

    (void)state;
    make_pairs(&m, &time_metric, 40, 1.05);
    expect(&m, FL_VERDICT_REGRESSION, NULL);
    struct fl_comparison got = decide(&m, 1);
    assert_int_equal(got.pairs, 40);
    assert_int_equal(got.interval, FL_INTERVAL_PAIRS);
    assert_true(fabs(got.effect - 5) < 0.1 && got.low < got.effect && got.effect < got.high);
    assert_true(got.low > 4.7 && got.high < 5.3);
    assert_true(got.base_min >= 96 && got.base_max <= 104 && got.head_count == 40);
    assert_int_equal(got.judged.used, 32);
    assert_true(got.bounds.at_least > 4.5 && got.bounds.at_least < 5);
    make_pairs(&m, &time_metric, 40, 1);
    expect(&m, FL_VERDICT_PASS, NULL);
    make_pairs(&m, &time_metric, 40, 1.003);
    expect(&m, FL_VERDICT_PASS, NULL);
    make_pairs(&m, &time_metric, 40, 1.0201);
    expect(&m, FL_VERDICT_REGRESSION, NULL);
}

static void gains_are_confirmed_or_say_so(void **state)
{
    struct made m;

    (void)state;
    make_pairs(&m, &time_metric, 40, 0.95);
    expect(&m, FL_VERDICT_IMPROVEMENT, NULL);
    make_pairs(&m, &time_metric, 31, 0.95);
    expect(&m, FL_VERDICT_IMPROVEMENT, "not confirmed");
    for (size_t i = 16; i < 31; i++)
        m.head_values[i].value = m.base_values[i].value;
    assert_int_equal(decide(&m, 1).judged.state, FL_SEQUENTIAL_PASS);
}

static void less_of_a_rate_is_worse(void **state)
{
    struct made m;

    (void)state;
    make_pairs(&m, &rate, 40, 0.95);
    expect(&m, FL_VERDICT_REGRESSION, NULL);
    struct fl_comparison got = decide(&m, 1);
    assert_true(fabs(got.effect + 5) < 0.1 && got.low < got.effect && got.effect < got.high);
    assert_true(got.bounds.at_least > 0);
    make_pairs(&m, &rate, 40, 1.05);
    expect(&m, FL_VERDICT_IMPROVEMENT, NULL);
}

static void pairs_that_decide_nothing_say_why(void **state)
{
    struct made m;

    (void)state;
    make_pairs(&m, &time_metric, 15, 3);
    expect(&m, FL_VERDICT_INCONCLUSIVE, "fewer than 16 pairs");
    make_pairs(&m, &time_metric, 31, 3);
    expect(&m, FL_VERDICT_INCONCLUSIVE, "have not confirmed yet");
    assert_int_equal(decide(&m, 1).judged.next, 32);
    for (int i = 0; i < 16; i++)
        m.head_values[i].round += 100 - 16 * (i % 2); /* other rounds than the base's */
    expect(&m, FL_VERDICT_INCONCLUSIVE, "fewer than 16 pairs");
    make_pairs(&m, &time_metric, 16, 1.1);
    struct fl_comparison got = decide(&m, 1000);
    assert_int_equal(got.verdict, FL_VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(got.reason, "too few pairs"));
    make_pairs(&m, &time_metric, 60, 1.01);
    for (int i = 0; i < 60; i++)
        m.head_values[i].value *= 1 + ((double)(i * 37 % 60) - 29.5) / 100;
    expect(&m, FL_VERDICT_INCONCLUSIVE, "neither clearly");
    make_pairs(&m, &time_metric, 0, 1);
    expect(&m, FL_VERDICT_NOT_COMPARABLE, "not measured");
}

static void rounds_that_are_no_pairs_are_shown_only(void **state)
{
    struct made m;

    (void)state;
    make_pairs(&m, &time_metric, 40, 3);
    m.of.unpaired = "rounds of two runs are no pairs";
    expect(&m, FL_VERDICT_INCONCLUSIVE, "no pairs");
    struct fl_comparison got = decide(&m, 1);
    assert_int_equal(got.pairs, 0);
    assert_int_equal(got.interval, FL_INTERVAL_RATIOS);
    assert_true(fabs(got.effect - 200) < 1 && got.low < 200 && got.high > 200);
    assert_int_equal(got.judged.used, 0);
    make_pairs(&m, &switches, 40, 3);
    m.of.unpaired = "rounds of two runs are no pairs";
    expect(&m, FL_VERDICT_INCONCLUSIVE, "no pairs");
}

static void intervals_may_be_resampled(void **state)
{
    const struct fl_verdict_rule rule = {
        .tolerance = 0.5, .detect = 2, .planned = 1, .bootstrap = true};
    struct fl_comparison got;
    struct made m;

    (void)state;
    make_pairs(&m, &time_metric, 40, 1.05);
    assert_int_equal(fl_verdict_decide(&m.of, &rule, &got), 0);
    assert_int_equal(got.interval, FL_INTERVAL_BOOTSTRAP);
    assert_int_equal(got.verdict, FL_VERDICT_REGRESSION);
    assert_true(got.low > 4.6 && got.low <= got.effect && got.effect <= got.high);
    m.of.unpaired = "no pairs";
    assert_int_equal(fl_verdict_decide(&m.of, &rule, &got), 0);
    assert_int_equal(got.interval, FL_INTERVAL_BOOTSTRAP);
    assert_true(got.low < 4 && got.high > 6 && got.pairs == 0);
}

static void exact_counts_differ_or_do_not(void **state)
{
    struct made m;

    (void)state;
    make_counts(&m, &locks, 2, 2, 2);
    expect(&m, FL_VERDICT_PASS, NULL);
    make_counts(&m, &locks, 2, 2, 2.005);
    expect(&m, FL_VERDICT_REGRESSION, NULL);
    assert_true(fabs(decide(&m, 1).effect - 0.25) < 1e-9);
    make_counts(&m, &locks, 2, 2, 1);
    expect(&m, FL_VERDICT_IMPROVEMENT, NULL);
    make_counts(&m, &locks, 1, 2, 1);
    expect(&m, FL_VERDICT_INCONCLUSIVE, "fewer than 2");
    assert_int_equal(decide(&m, 1).needs, 2);
    m.of.differs = "isa differs";
    expect(&m, FL_VERDICT_NOT_COMPARABLE, "isa");
}

/* Values of timed samples hang on how many calls a window had: they are no part of it. */
static void sets_are_judged_by_counting_samples_alone(void **state)
{
    struct made m;

    (void)state;
    make_counts(&m, &faults, 10, 61, 63);
    expect(&m, FL_VERDICT_REGRESSION, NULL);
    make_counts(&m, &faults, 10, 61, 61);
    const struct fl_round_value timed[] = {{0, 500}, {1, 700}};
    m.head.timed = (struct fl_round_row){timed, 2};
    expect(&m, FL_VERDICT_PASS, NULL);
    assert_int_equal(decide(&m, 1).head_count, 10);
    make_counts(&m, &faults, 9, 61, 63);
    expect(&m, FL_VERDICT_INCONCLUSIVE, "fewer than 10");
    m.head = (struct fl_series){.timed = {timed, 2}};
    expect(&m, FL_VERDICT_NOT_COMPARABLE, "no counting samples");
    m.head = (struct fl_series){.absent = "unavailable: no perf"};
    expect(&m, FL_VERDICT_NOT_COMPARABLE, "no perf");
    make_counts(&m, &faults, 10, 61, 63);
    m.head.scaled = true;
    expect(&m, FL_VERDICT_INCONCLUSIVE, "estimated");
}

/* What happens once in a window is rarer per call in a longer one. */
static void other_numbers_of_calls_do_not_compare(void **state)
{
    struct made m;

    (void)state;
    make_counts(&m, &faults, 10, 0.02, 0.01);
    m.head.calls = 200;
    expect(&m, FL_VERDICT_NOT_COMPARABLE, "numbers of calls");
    make_counts(&m, &faults, 10, 61, 61);
    m.head.calls = 200;
    expect(&m, FL_VERDICT_PASS, NULL);
}

static void noisy_counts_have_slack(void **state)
{
    struct made m;

    (void)state;
    make_pairs(&m, &switches, 40, 1);
    for (int i = 0; i < 40; i++)
        m.head_values[i].value = m.base_values[i].value + 0.9;
    expect(&m, FL_VERDICT_PASS, NULL);
    for (int i = 0; i < 40; i++)
        m.head_values[i].value = m.base_values[i].value + 1.1;
    expect(&m, FL_VERDICT_REGRESSION, NULL);
    for (int i = 0; i < 40; i++)
        m.base_values[i].value = 0, m.head_values[i].value = 0.6;
    expect(&m, FL_VERDICT_REGRESSION, NULL);
    for (int i = 0; i < 40; i++)
        m.head_values[i].value = 0.4;
    expect(&m, FL_VERDICT_PASS, NULL);
    m.of.differs = "threads differs";
    expect(&m, FL_VERDICT_NOT_COMPARABLE, "threads");
}

static void what_has_no_numbers_says_so(void **state)
{
    const struct fl_metric unranked = {.name = "clock", .better = FL_NOT_RANKED};
    struct made m;

    (void)state;
    make_pairs(&m, &time_metric, 24, 1);
    m.of.head = NULL;
    expect(&m, FL_VERDICT_NOT_COMPARABLE, "the head was not measured");
    make_pairs(&m, &time_metric, 24, 1);
    m.of.base = NULL;
    expect(&m, FL_VERDICT_NEW, "no such metric");
    make_pairs(&m, &unranked, 24, 2);
    expect(&m, FL_VERDICT_INCONCLUSIVE, "not judged");
    assert_true(decide(&m, 1).shown_only);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_judged_by_their_pairs),
        cmocka_unit_test(gains_are_confirmed_or_say_so),
        cmocka_unit_test(less_of_a_rate_is_worse),
        cmocka_unit_test(pairs_that_decide_nothing_say_why),
        cmocka_unit_test(rounds_that_are_no_pairs_are_shown_only),
        cmocka_unit_test(intervals_may_be_resampled),
        cmocka_unit_test(exact_counts_differ_or_do_not),
        cmocka_unit_test(sets_are_judged_by_counting_samples_alone),
        cmocka_unit_test(other_numbers_of_calls_do_not_compare),
        cmocka_unit_test(noisy_counts_have_slack),
        cmocka_unit_test(what_has_no_numbers_says_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
