/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds: which values are taken, which are paired, and what the pairs come to. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "results/rounds.h"
#include "store-fixture.h"

static void read_time(struct fixture *f, struct fl_summary *summary, struct fl_rounds *rounds)
{
    fixture_ok(f, fl_summary_read(f->store, f->run, summary, &f->err));
    size_t metric = 0;
    while (summary->metrics[metric].id != f->time)
        metric++;
    fixture_ok(f, fl_rounds_read(f->store, summary, metric, rounds, &f->err));
}

static void add_bad(struct fixture *f, int64_t cell, int round, enum fl_outcome outcome)
{
    const struct fl_value value = {.metric = f->time, .is_real = true, .real = 1};
    const struct fl_sample sample = {.cell = cell,
                                     .mode = FL_SAMPLE_TIMED,
                                     .round = round,
                                     .calls = 1,
                                     .outcome = outcome,
                                     .reason = "differs",
                                     .values = &value,
                                     .value_count = 1};

    fixture_ok(f, fixture_add(f, &sample));
}

static void values_are_per_call_and_of_good_timed_samples(void **state)
{
    struct fixture *f = *state;
    struct fl_summary summary;
    struct fl_rounds rounds;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    int64_t second = fixture_cell(f, "200", "malloc", "glibc", NULL);
    int64_t first = fixture_cell(f, "100", "malloc", "glibc", NULL);
    fixture_cell(f, "300", "malloc", "glibc", "cannot");
    fixture_timed(f, first, 2, 10, 30);
    fixture_timed(f, second, 0, 7, 50);
    fixture_timed(f, first, 0, 5, 20);
    add_bad(f, first, 1, FL_OUTCOME_CRASHED);
    int64_t wrong = fixture_cell(f, "400", "malloc", "glibc", NULL);
    fixture_timed(f, wrong, 0, 1, 1);
    add_bad(f, wrong, 1, FL_OUTCOME_WRONG_RESULT);
    fixture_counted(f, first, 0, 10, 3);
    read_time(f, &summary, &rounds);
    assert_int_equal(rounds.cell_count, 4);
    assert_int_equal(summary.cells[0].id, second);
    assert_int_equal(rounds.cells[0].count, 1);
    assert_float_equal(rounds.cells[0].values[0].value, 50, 1e-9);
    assert_int_equal(rounds.cells[1].count, 2);
    assert_int_equal(rounds.cells[1].values[0].round, 0);
    assert_float_equal(rounds.cells[1].values[0].value, 20, 1e-9);
    assert_int_equal(rounds.cells[1].values[1].round, 2);
    assert_float_equal(rounds.cells[1].values[1].value, 30, 1e-9);
    assert_int_equal(rounds.cells[2].count, 0);
    assert_int_equal(rounds.cells[3].count, 0);
    fl_rounds_release(&rounds);
    fl_summary_release(&summary);
}

static struct fl_paired ratio(const struct fl_round_value *a, size_t a_count,
                              const struct fl_round_value *b, size_t b_count)
{
    const struct fl_round_row x = {a, a_count}, y = {b, b_count};
    struct fl_paired paired;

    assert_int_equal(fl_rounds_ratio(&x, &y, &paired), 0);
    return paired;
}

static void only_rounds_that_have_both_are_paired(void **state)
{
    const struct fl_round_value a[] = {{0, 10}, {2, 40}, {3, 5}, {5, 0}, {9, 8}};
    const struct fl_round_value b[] = {{1, 99}, {2, 20}, {3, 10}, {5, 7}, {8, 1}, {9, 0}};
    struct fl_paired paired = ratio(a, 5, b, 6);

    (void)state;
    assert_int_equal(paired.rounds, 2); /* 2 and 0.5; rounds with a 0 have no ratio */
    assert_float_equal(paired.median, 1.25, 1e-12);
    assert_float_equal(paired.low, 0.5, 1e-12);
    assert_float_equal(paired.high, 2, 1e-12);
}

static void too_few_rounds_have_no_interval(void **state)
{
    const struct fl_round_value a[] = {{4, 10}}, b[] = {{4, 40}}, c[] = {{5, 40}};
    struct fl_paired one = ratio(a, 1, b, 1), none = ratio(a, 1, c, 1);

    (void)state;
    assert_int_equal(one.rounds, 1);
    assert_float_equal(one.median, 0.25, 1e-12);
    assert_true(isnan(one.low) && isnan(one.high));
    assert_int_equal(none.rounds, 0);
    assert_true(isnan(none.median));
    assert_int_equal(ratio(a, 0, c, 0).rounds, 0);
}

/*
 * Of seven, the median of a resample is at or below the second least with a chance of 5.4 %, at or
 * below the least with 0.1 %: the percentiles are the second from either end, x2 and x6.
 */
static void the_interval_of_seven_leaves_one_out_on_either_side(void **state)
{
    struct fl_round_value a[7], b[7];
    static const double shuffled[] = {4, 1, 7, 2, 6, 3, 5};

    (void)state;
    for (int i = 0; i < 7; i++) {
        a[i] = (struct fl_round_value){i, shuffled[i] * 3};
        b[i] = (struct fl_round_value){i, 3};
    }
    struct fl_paired paired = ratio(a, 7, b, 7), again = ratio(a, 7, b, 7);
    assert_int_equal(paired.rounds, 7);
    assert_float_equal(paired.median, 4, 1e-12);
    assert_float_equal(paired.low, 2, 1e-12);
    assert_float_equal(paired.high, 6, 1e-12);
    assert_memory_equal(&paired, &again, sizeof(paired));
}

/* Both slow down together: the ratio does not notice, its interval neither. */
static void what_slows_both_down_drops_out(void **state)
{
    struct fl_round_value a[16], b[16];

    (void)state;
    for (int i = 0; i < 16; i++) {
        double slow = 1 + (i * 7 % 16);
        a[i] = (struct fl_round_value){i, 2 * slow};
        b[i] = (struct fl_round_value){i, slow};
    }
    struct fl_paired paired = ratio(a, 16, b, 16);
    assert_float_equal(paired.median, 2, 1e-12);
    assert_float_equal(paired.low, 2, 1e-12);
    assert_float_equal(paired.high, 2, 1e-12);
}

static struct fl_paired of_medians(const struct fl_round_value *a, size_t a_count,
                                   const struct fl_round_value *b, size_t b_count)
{
    const struct fl_round_row first = {a, a_count}, second = {b, b_count};
    struct fl_paired paired;

    assert_int_equal(fl_rounds_medians_ratio(&first, &second, &paired), 0);
    return paired;
}

/* The medians are of different rounds: 30 and 3 of three, where the ratios are 5, 10 and 90. */
static void medians_are_of_each_side(void **state)
{
    const struct fl_round_value a[] = {{0, 10}, {1, 99}, {2, 30}, {3, 90}, {4, 0}};
    const struct fl_round_value b[] = {{0, 2}, {2, 3}, {3, 1}, {4, 7}, {9, 1000}};
    struct fl_paired paired = of_medians(a, 5, b, 5);

    (void)state;
    assert_int_equal(paired.rounds, 3);
    assert_float_equal(paired.median, 15, 1e-12);
    assert_true(isnan(of_medians(a, 5, b, 0).median));
    assert_true(isnan(of_medians(a, 1, b, 1).low));
    assert_float_equal(of_medians(a, 1, b, 1).median, 5, 1e-12);
}

/* Rounds of 1 to 7, the head the same backwards or in the same order: drawn together, the medians
 * of the latter never differ, and those of the former do. */
static void both_sides_are_resampled_by_round(void **state)
{
    struct fl_round_value a[7], b[7], c[7];

    (void)state;
    for (int i = 0; i < 7; i++) {
        a[i] = (struct fl_round_value){i, 2.0 * (i + 1)};
        b[i] = (struct fl_round_value){i, i + 1};
        c[i] = (struct fl_round_value){i, 7 - i};
    }
    struct fl_paired same = of_medians(a, 7, b, 7), against = of_medians(a, 7, c, 7);
    assert_float_equal(same.low, 2, 1e-12);
    assert_float_equal(same.high, 2, 1e-12);
    assert_float_equal(against.median, 2, 1e-12);
    assert_true(fabs(against.low - 4 / 6.0) < 1e-12);
    assert_true(fabs(against.high - 6) < 1e-12);
}

#define STORED(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED(values_are_per_call_and_of_good_timed_samples),
        cmocka_unit_test(only_rounds_that_have_both_are_paired),
        cmocka_unit_test(too_few_rounds_have_no_interval),
        cmocka_unit_test(the_interval_of_seven_leaves_one_out_on_either_side),
        cmocka_unit_test(what_slows_both_down_drops_out),
        cmocka_unit_test(medians_are_of_each_side),
        cmocka_unit_test(both_sides_are_resampled_by_round),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
