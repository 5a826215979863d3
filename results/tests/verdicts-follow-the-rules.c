/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts at a fixed number of rounds: each kind of metric, each verdict, each reason. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "results/verdict.h"

enum { MOST = 40 };

static const struct fl_metric time_metric = {.name = "time", .better = FL_LESS_IS_BETTER};
static const struct fl_metric rate = {.name = "gflops", .better = FL_MORE_IS_BETTER};
static const struct fl_metric locks = {.name = "locks", .kind = FL_METRIC_EXACT};
static const struct fl_metric faults = {.name = "minor-faults", .kind = FL_METRIC_SET};
static const struct fl_metric switches = {.name = "switches", .kind = FL_METRIC_NOISY_COUNT};

/* A case whose sides live with it. */
struct made {
    struct fl_round_value base_values[MOST], head_values[MOST];
    struct fl_round_row base_row, head_row;
    struct fl_summary_value base, head;
    struct fl_verdict_case of;
};

static struct fl_number real(double value)
{
    return (struct fl_number){.is_real = true, .real = value};
}

static struct fl_summary_value range(double min, double median, double max)
{
    return (struct fl_summary_value){
        .count = 10, .median = real(median), .min = real(min), .max = real(max)};
}

/* Rounds that swing by 4 % together and by up to 0.3 % apart; head is `factor` of the base. */
static void make_pairs(struct made *m, const struct fl_metric *metric, size_t count, double factor)
{
    *m = (struct made){.base = range(96, 100, 104),
                       .head = range(96 * factor, 100 * factor, 104 * factor)};
    for (size_t i = 0; i < count; i++) {
        double together = 100 + (double)(i * 7 % 9) - 4;
        m->base_values[i] = (struct fl_round_value){(int64_t)i, together};
        m->head_values[i] = (struct fl_round_value){
            (int64_t)i, together * factor * (1 + ((double)(i * 5 % 7) - 3) / 1000)};
    }
    m->base_row = (struct fl_round_row){m->base_values, count};
    m->head_row = (struct fl_round_row){m->head_values, count};
    m->of = (struct fl_verdict_case){
        .metric = metric,
        .base = {.present = true, .value = &m->base, .rounds = &m->base_row},
        .head = {.present = true, .value = &m->head, .rounds = &m->head_row}};
}

static struct fl_comparison decide(const struct made *m, size_t planned)
{
    const struct fl_verdict_rule rule = {
        .tolerance = 0.5, .detect = 2, .slack = 1, .planned = planned};
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
    make_pairs(&m, &time_metric, 24, 1.05);
    expect(&m, FL_VERDICT_REGRESSION, NULL);
    struct fl_comparison got = decide(&m, 1);
    assert_int_equal(got.pairs, 24);
    assert_true(fabs(got.effect - 5) < 0.1 && got.low < got.effect && got.effect < got.high);
    assert_true(got.low > 4.7 && got.high < 5.3);
    make_pairs(&m, &time_metric, 24, 0.95);
    expect(&m, FL_VERDICT_IMPROVEMENT, NULL);
    make_pairs(&m, &time_metric, 24, 1);
    expect(&m, FL_VERDICT_PASS, NULL);
    make_pairs(&m, &time_metric, 24, 1.003);
    expect(&m, FL_VERDICT_PASS, NULL);
    make_pairs(&m, &time_metric, 24, 1.0201);
    expect(&m, FL_VERDICT_REGRESSION, NULL);
}

static void less_of_a_rate_is_worse(void **state)
{
    struct made m;

    (void)state;
    make_pairs(&m, &rate, 24, 0.95);
    expect(&m, FL_VERDICT_REGRESSION, NULL);
    struct fl_comparison got = decide(&m, 1);
    assert_true(fabs(got.effect + 5) < 0.1 && got.low < got.effect && got.effect < got.high);
    make_pairs(&m, &rate, 24, 1.05);
    expect(&m, FL_VERDICT_IMPROVEMENT, NULL);
}

static void fewer_than_sixteen_pairs_decide_nothing(void **state)
{
    struct made m;

    (void)state;
    make_pairs(&m, &time_metric, 15, 3);
    expect(&m, FL_VERDICT_INCONCLUSIVE, "fewer than 16 pairs");
    make_pairs(&m, &time_metric, 16, 3);
    expect(&m, FL_VERDICT_REGRESSION, NULL);
    for (int i = 0; i < 8; i++)
        m.head_values[i].round += 100 - 8 * (i % 2); /* other rounds than the base's */
    expect(&m, FL_VERDICT_INCONCLUSIVE, "fewer than 16 pairs");
    m.of.unpaired = "rounds of two runs are no pairs";
    expect(&m, FL_VERDICT_INCONCLUSIVE, "no pairs");
}

/* 16 pairs are as sure as 2^-16: below 1 % of 500 tests, not of 1000. */
static void the_alarm_is_shared_by_all_tests(void **state)
{
    struct made m;

    (void)state;
    make_pairs(&m, &time_metric, 16, 1.1);
    assert_int_equal(decide(&m, 500).verdict, FL_VERDICT_REGRESSION);
    struct fl_comparison got = decide(&m, 1000);
    assert_int_equal(got.verdict, FL_VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(got.reason, "too few pairs"));
}

static void exact_counts_differ_or_do_not(void **state)
{
    struct made m;

    (void)state;
    make_pairs(&m, &locks, 0, 1);
    m.base = m.head = range(2, 2, 2);
    expect(&m, FL_VERDICT_PASS, NULL);
    m.head = range(2.005, 2.005, 2.005);
    expect(&m, FL_VERDICT_REGRESSION, NULL);
    m.head = range(1, 1, 1);
    expect(&m, FL_VERDICT_IMPROVEMENT, NULL);
    m.head = range(2, 2, 3);
    expect(&m, FL_VERDICT_INCONCLUSIVE, "disagree");
    m.of.differs = "other machine: isa differs";
    expect(&m, FL_VERDICT_NOT_COMPARABLE, "isa");
}

static void sets_must_be_apart(void **state)
{
    struct made m;

    (void)state;
    make_pairs(&m, &faults, 0, 1);
    m.base = range(61, 61, 62);
    m.head = range(62, 62, 63);
    expect(&m, FL_VERDICT_PASS, NULL);
    m.head = range(63, 63, 64);
    expect(&m, FL_VERDICT_REGRESSION, NULL);
    m.base.count = 9;
    expect(&m, FL_VERDICT_INCONCLUSIVE, "fewer than 10");
    m.base.count = 10;
    m.head = range(59, 60, 60);
    expect(&m, FL_VERDICT_IMPROVEMENT, NULL);
    m.head.scaled = true;
    expect(&m, FL_VERDICT_INCONCLUSIVE, "estimated");
}

static void noisy_counts_have_slack(void **state)
{
    struct made m;

    (void)state;
    make_pairs(&m, &switches, 24, 1);
    for (int i = 0; i < 24; i++)
        m.head_values[i].value = m.base_values[i].value + 1.4;
    expect(&m, FL_VERDICT_PASS, NULL);
    for (int i = 0; i < 24; i++)
        m.head_values[i].value = m.base_values[i].value + 1.6;
    expect(&m, FL_VERDICT_REGRESSION, NULL);
    m.base = range(0, 0, 0);
    for (int i = 0; i < 24; i++)
        m.base_values[i].value = 0, m.head_values[i].value = 1.1;
    expect(&m, FL_VERDICT_REGRESSION, NULL);
    m.of.differs = "other machine: threads differs";
    expect(&m, FL_VERDICT_NOT_COMPARABLE, "threads");
}

static void what_has_no_numbers_says_so(void **state)
{
    struct made m;

    (void)state;
    make_pairs(&m, &time_metric, 24, 1);
    m.of.head.failure = "crashed: signal 11";
    expect(&m, FL_VERDICT_ERROR, "signal 11");
    m.of.head.present = false;
    expect(&m, FL_VERDICT_MISSING, NULL);
    m.of.base.present = false;
    expect(&m, FL_VERDICT_NEW, NULL);
    make_pairs(&m, &time_metric, 24, 1);
    m.of.base.failure = "timed out";
    expect(&m, FL_VERDICT_NOT_COMPARABLE, "the base failed");
    make_pairs(&m, &time_metric, 24, 1);
    m.head.count = 0;
    expect(&m, FL_VERDICT_NOT_COMPARABLE, "the head was not measured");
    const struct fl_metric unranked = {.name = "clock", .better = FL_NOT_RANKED};
    make_pairs(&m, &unranked, 24, 2);
    expect(&m, FL_VERDICT_INCONCLUSIVE, "not judged");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_judged_by_their_pairs),
        cmocka_unit_test(less_of_a_rate_is_worse),
        cmocka_unit_test(fewer_than_sixteen_pairs_decide_nothing),
        cmocka_unit_test(the_alarm_is_shared_by_all_tests),
        cmocka_unit_test(exact_counts_differ_or_do_not),
        cmocka_unit_test(sets_must_be_apart),
        cmocka_unit_test(noisy_counts_have_slack),
        cmocka_unit_test(what_has_no_numbers_says_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
