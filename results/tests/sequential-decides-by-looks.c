/* SPDX-License-Identifier: Apache-2.0 */
/* Sequential decisions: when looks are made, worked cases, and how often simulated runs are wrong.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "faultline/random.h"
#include "results/sequential.h"
#include "results/signed-rank.h"
#include "results/suite.h"

static const struct fl_sequential_rule usual = {.tolerance = 0.5, .detect = 2, .planned = 1};

static struct fl_sequential judge(const struct fl_sequential_rule *rule, const double *losses,
                                  size_t count)
{
    struct fl_sequential out;

    assert_int_equal(fl_sequential_judge(rule, losses, count, &out), 0);
    return out;
}

static void expect(const struct fl_sequential *got, enum fl_sequential_state state, size_t used,
                   size_t next)
{
    assert_int_equal(got->state, state);
    assert_int_equal(got->used, used);
    assert_int_equal(got->next, next);
}

static void fill(double *losses, size_t from, size_t until, double loss)
{
    for (size_t i = from; i < until; i++)
        losses[i] = loss;
}

/* About 1 %, between the thresholds, and so wide apart that nothing is ever known of it. */
static void fill_wide(double *losses, size_t from, size_t until)
{
    for (size_t i = from; i < until; i++)
        losses[i] = 0.01 + (double)(i * 37 % 64) / 64 - 31.5 / 64;
}

static void looks_are_where_they_were_promised(void **state)
{
    static const size_t looks[] = {16, 24, 36, 54, 80, 120, 180, 270, 400, 600};
    double losses[FL_SEQUENTIAL_MOST], sum = 0;

    (void)state;
    fill_wide(losses, 0, FL_SEQUENTIAL_MOST);
    struct fl_sequential got = judge(&usual, losses, 0);
    expect(&got, FL_SEQUENTIAL_UNDECIDED, 0, 16);
    for (size_t k = 0; k < FL_SEQUENTIAL_LOOKS; k++) {
        assert_int_equal(fl_sequential_pairs(k), looks[k]);
        got = judge(&usual, losses, looks[k] - 1);
        expect(&got, FL_SEQUENTIAL_UNDECIDED, k ? looks[k - 1] : 0, looks[k]);
        got = judge(&usual, losses, looks[k]);
        assert_int_equal(got.used, looks[k]);
        assert_int_equal(got.looks, k + 1);
        sum += got.level;
        assert_true(fabs(got.level * pow((double)k + 1, 1.1) - 0.003731127238279) < 1e-14);
    }
    assert_true(fabs(sum - 0.01) < 1e-12);
    assert_int_equal(fl_sequential_pairs(FL_SEQUENTIAL_LOOKS), 0);
    got = judge(&usual, losses, FL_SEQUENTIAL_MOST);
    expect(&got, FL_SEQUENTIAL_INCONCLUSIVE, 600, 0);
    assert_int_equal(got.candidate, 0);
}

static void sixteen_equal_pairs_pass_at_once(void **state)
{
    double losses[16] = {0};

    (void)state;
    struct fl_sequential got = judge(&usual, losses, 16);
    expect(&got, FL_SEQUENTIAL_PASS, 16, 0);
    assert_true(fabs(got.miss * 65536 - 1) < 1e-9);
    assert_true(got.worse > 0.99);
}

static void an_alarm_needs_pairs_that_came_after_it(void **state)
{
    double losses[200];

    (void)state;
    fill(losses, 0, 200, 0.05);
    struct fl_sequential got = judge(&usual, losses, 16);
    expect(&got, FL_SEQUENTIAL_UNDECIDED, 16, 32);
    assert_int_equal(got.candidate, 16);
    got = judge(&usual, losses, 200);
    expect(&got, FL_SEQUENTIAL_REGRESSION, 32, 0);
    assert_int_equal(got.from, 16);
    assert_int_equal(got.looks, 2);
    assert_true(fabs(got.level - 0.05 / 3) < 1e-12);
    fill(losses, 16, 200, 0);
    got = judge(&usual, losses, 200);
    expect(&got, FL_SEQUENTIAL_PASS, 32, 0);
    assert_int_equal(got.candidate, 16);
    fill_wide(losses, 16, 200);
    got = judge(&usual, losses, 79);
    expect(&got, FL_SEQUENTIAL_UNDECIDED, 48, 80);
    got = judge(&usual, losses, 200);
    expect(&got, FL_SEQUENTIAL_INCONCLUSIVE, 80, 0);
    assert_int_equal(got.looks, 4);
}

/* 16 pairs are as sure as 2^-16, which is no alarm among 1000 tests; 24 are. */
static void tests_share_the_chance_of_an_alarm(void **state)
{
    const struct fl_sequential_rule many = {0.5, 2, 1000};
    double losses[24];

    (void)state;
    fill(losses, 0, 24, 0.05);
    struct fl_sequential got = judge(&many, losses, 16);
    expect(&got, FL_SEQUENTIAL_UNDECIDED, 16, 24);
    assert_int_equal(got.candidate, 0);
    got = judge(&many, losses, 24);
    expect(&got, FL_SEQUENTIAL_UNDECIDED, 24, 40);
    assert_int_equal(got.candidate, 24);
}

/* A candidate at the last look has 100, 200 and 400 pairs to confirm it: never more than there may
 * be. Until then four tenths of the pairs lose; from there all do. */
static void the_longest_way_has_an_end(void **state)
{
    double losses[FL_SEQUENTIAL_MOST];

    (void)state;
    fill_wide(losses, 0, FL_SEQUENTIAL_MOST);
    fill(losses, 401, 600, 1);
    struct fl_sequential got = judge(&usual, losses, 600);
    expect(&got, FL_SEQUENTIAL_UNDECIDED, 600, 700);
    assert_int_equal(got.candidate, 600);
    got = judge(&usual, losses, FL_SEQUENTIAL_MOST);
    expect(&got, FL_SEQUENTIAL_INCONCLUSIVE, FL_SEQUENTIAL_MOST, 0);
    assert_int_equal(got.looks, FL_SEQUENTIAL_LOOKS + 3);
}

static void wrong_rules_are_refused(void **state)
{
    static const struct fl_sequential_rule wrong[] = {
        {-1, 2, 1}, {2, 2, 1}, {0.5, 2, 0}, {(double)NAN, 2, 1}, {0, (double)NAN, 1}};
    double losses[16] = {0};
    struct fl_sequential out;

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(fl_sequential_judge(&wrong[i], losses, 16, &out), -EINVAL);
    losses[3] = (double)NAN;
    assert_int_equal(fl_sequential_judge(&usual, losses, 16, &out), -EINVAL);
    assert_int_equal(fl_sequential_judge(&usual, losses, 15, &out), 0);
}

/* ---- simulated runs ---- */

static double normal(uint64_t *random)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += (double)(fl_random_next(random) >> 11) / 9007199254740992.0;
    return sum;
}

static void simulate(double *losses, double loss, double spread, uint64_t *random)
{
    for (size_t i = 0; i < FL_SEQUENTIAL_MOST; i++)
        losses[i] = log1p(loss) + spread * normal(random);
}

struct tally {
    int candidates, states[4];
    size_t pairs;
};

static struct tally run(const struct fl_sequential_rule *rule, double loss, double spread,
                        int times)
{
    struct tally tally = {0};
    double losses[FL_SEQUENTIAL_MOST];
    uint64_t random = 11;

    for (int i = 0; i < times; i++) {
        simulate(losses, loss, spread, &random);
        struct fl_sequential got = judge(rule, losses, FL_SEQUENTIAL_MOST);
        tally.candidates += got.candidate > 0;
        tally.states[got.state]++;
        tally.pairs += got.used;
    }
    return tally;
}

/* A loss of exactly the tolerance is the hardest that must not alarm: 1 % may become candidates by
 * the union of the looks' shares, of which one in twenty is confirmed. */
static void the_tolerance_is_not_alarmed(void **state)
{
    struct tally got = run(&usual, 0.005, 0.01, 4000);

    (void)state;
    assert_in_range(got.candidates, 4, 55);
    assert_in_range(got.states[FL_SEQUENTIAL_REGRESSION], 0, 8);
    assert_in_range(got.states[FL_SEQUENTIAL_PASS], 3900, 4000);
}

static void no_loss_passes_soon(void **state)
{
    const struct fl_sequential_rule suite = {0.5, 2, 25};
    struct tally got = run(&suite, 0, 0.01, 1000);

    (void)state;
    assert_int_equal(got.states[FL_SEQUENTIAL_REGRESSION], 0);
    assert_in_range(got.states[FL_SEQUENTIAL_PASS], 998, 1000);
    assert_in_range(got.pairs, 16000, 24000);
}

static void what_is_to_be_detected_is(void **state)
{
    const struct fl_sequential_rule suite = {0.5, 2, 25};
    struct tally got = run(&suite, 0.02, 0.01, 1000);

    (void)state;
    assert_in_range(got.states[FL_SEQUENTIAL_REGRESSION], 950, 1000);
    assert_in_range(got.states[FL_SEQUENTIAL_PASS], 0, 20);
    got = run(&suite, 0.05, 0.02, 1000);
    assert_in_range(got.states[FL_SEQUENTIAL_REGRESSION], 990, 1000);
}

enum { CELLS = 24 };

struct gate {
    bool alarmed, all_passed, caught; /* caught: the first cell */
};

/* One run of 24 cells and all of them together, whose first loses `loss`. Noise of cells is from
 * 0.6 to 2.8 %, and rounds follow each other with a correlation of 0.35, as was measured. */
static struct gate run_gate(double loss, uint64_t *random)
{
    static double losses[CELLS][FL_SEQUENTIAL_MOST], table[FL_SEQUENTIAL_MOST * CELLS];
    const struct fl_sequential_rule rule = {0.5, 2, CELLS + 1};
    double means[FL_SEQUENTIAL_MOST];
    struct gate gate = {.all_passed = true};

    for (size_t c = 0; c < CELLS; c++) {
        double noise = 0;
        for (size_t i = 0; i < FL_SEQUENTIAL_MOST; i++) {
            noise = 0.35 * noise + 0.94 * normal(random);
            losses[c][i] = (c ? 0 : log1p(loss)) + (0.006 + 0.022 * (double)c / CELLS) * noise;
            table[i * CELLS + c] = losses[c][i];
        }
        struct fl_sequential got = judge(&rule, losses[c], FL_SEQUENTIAL_MOST);
        gate.alarmed |= got.state == FL_SEQUENTIAL_REGRESSION;
        gate.caught |= !c && got.state == FL_SEQUENTIAL_REGRESSION;
        gate.all_passed &= got.state == FL_SEQUENTIAL_PASS;
    }
    size_t count = fl_suite_means(table, FL_SEQUENTIAL_MOST, CELLS, means);
    struct fl_sequential suite = judge(&rule, means, count);
    gate.alarmed |= suite.state == FL_SEQUENTIAL_REGRESSION;
    gate.all_passed &= suite.state == FL_SEQUENTIAL_PASS;
    return gate;
}

/* Rounds that follow each other are what the procedure does not suppose: at the tolerance, alarms
 * would be more often than promised; without a loss there are none. */
static void runs_of_many_cells_keep_their_promises(void **state)
{
    uint64_t random = 21;
    int alarms = 0, passed = 0, caught = 0;

    (void)state;
    for (int i = 0; i < 100; i++) {
        struct gate same = run_gate(0, &random), slow = run_gate(0.02, &random);
        alarms += same.alarmed;
        passed += same.all_passed;
        caught += slow.caught;
    }
    assert_int_equal(alarms, 0);
    assert_in_range(passed, 98, 100);
    assert_in_range(caught, 95, 100);
}

/* What is decided does not change with what comes after it. */
static void later_pairs_change_nothing(void **state)
{
    double losses[FL_SEQUENTIAL_MOST];
    uint64_t random = 5;

    (void)state;
    for (int i = 0; i < 50; i++) {
        simulate(losses, 0.01, 0.02, &random);
        struct fl_sequential all = judge(&usual, losses, FL_SEQUENTIAL_MOST), part;
        part = judge(&usual, losses, all.used);
        assert_memory_equal(&all, &part, sizeof(all));
        part = judge(&usual, losses, all.used - 1);
        assert_int_equal(part.state, FL_SEQUENTIAL_UNDECIDED);
        assert_int_equal(part.next, all.used);
    }
}

static void bounds_say_what_was_decided(void **state)
{
    double losses[FL_SEQUENTIAL_MOST];
    struct fl_sequential_bounds bounds;
    uint64_t random = 9;

    (void)state;
    for (int i = 0; i < 60; i++) {
        simulate(losses, i % 3 * 0.01, 0.02, &random);
        for (size_t count = 15; count < 60; count += 9) {
            struct fl_sequential got = judge(&usual, losses, count);
            assert_int_equal(fl_sequential_bound(losses, &got, &bounds), 0);
            assert_int_equal(isnan(bounds.at_least), !got.used);
            assert_int_equal(bounds.at_least > log1p(0.005), got.used && got.worse <= got.level);
            assert_int_equal(bounds.at_most < log1p(0.02), got.miss <= 0.002);
        }
    }
    const struct fl_sequential_rule many = {0.5, 2, 1000};
    struct fl_sequential got = judge(&many, losses, 16);
    assert_int_equal(fl_sequential_bound(losses, &got, &bounds), 0);
    assert_true(isinf(bounds.at_least) && bounds.at_least < 0 && isfinite(bounds.at_most));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_are_where_they_were_promised),
        cmocka_unit_test(sixteen_equal_pairs_pass_at_once),
        cmocka_unit_test(an_alarm_needs_pairs_that_came_after_it),
        cmocka_unit_test(tests_share_the_chance_of_an_alarm),
        cmocka_unit_test(the_longest_way_has_an_end),
        cmocka_unit_test(wrong_rules_are_refused),
        cmocka_unit_test(the_tolerance_is_not_alarmed),
        cmocka_unit_test(no_loss_passes_soon),
        cmocka_unit_test(what_is_to_be_detected_is),
        cmocka_unit_test(runs_of_many_cells_keep_their_promises),
        cmocka_unit_test(later_pairs_change_nothing),
        cmocka_unit_test(bounds_say_what_was_decided),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
