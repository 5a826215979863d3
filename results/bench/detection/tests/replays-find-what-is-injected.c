/* SPDX-License-Identifier: Apache-2.0 */
/* Replays of pairs whose noise is known: false alarms, power, budget, and what stands beside. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../coverage.h"
#include "../noise-table.h"
#include "../proportion.h"
#include "../rank-sum.h"
#include "../replay-tally.h"
#include "../unpaired-replay.h"

static const struct fl_noise quiet = {
    .cells = 6, .rounds = 600, .deviation = 1, .drift = 5, .seconds = 0.17, .seed = 3};

static const struct fl_gate_condition usual = {.tolerance = 0.5, .detect = 2, .budget = 600};

static struct fl_pair_table make(struct fl_noise noise)
{
    struct fl_pair_table table;

    assert_int_equal(fl_noise_table(&noise, &table), 0);
    return table;
}

static struct fl_replay_tally replay(const struct fl_pair_table *table,
                                     struct fl_gate_condition condition, size_t gates)
{
    struct fl_replay_tally tally;

    assert_int_equal(fl_replay_tally(table, &condition, 11, gates, NULL, &tally), 0);
    assert_int_equal(tally.gates, gates);
    return tally;
}

static struct fl_gate_condition slower(double percent, size_t cells)
{
    struct fl_gate_condition condition = usual;

    condition.slower = percent;
    condition.slowed = cells;
    return condition;
}

static void equal_sides_pass(void **state)
{
    (void)state;
    struct fl_pair_table table = make(quiet);
    struct fl_replay_tally tally = replay(&table, usual, 400);

    assert_int_equal(tally.false_alarms, 0);
    assert_int_equal(tally.passed, 400);
    assert_true(fl_proportion_upper(tally.false_alarms, tally.gates) < 0.01);
    fl_replay_tally_release(&tally);
    fl_pair_table_release(&table);
}

static void losses_up_to_the_tolerance_raise_no_alarm(void **state)
{
    (void)state;
    struct fl_pair_table table = make(quiet);
    struct fl_replay_tally tally = replay(&table, slower(0.5, 6), 200);

    assert_int_equal(tally.false_alarms, 0);
    assert_int_equal(tally.slowed, 200 * 6);
    fl_replay_tally_release(&tally);
    fl_pair_table_release(&table);
}

static void slowed_cells_are_found_and_no_others(void **state)
{
    (void)state;
    struct fl_pair_table table = make(quiet);
    struct fl_replay_tally tally = replay(&table, slower(2, 1), 120);

    assert_int_equal(tally.slowed, 120);
    assert_true(fl_replay_power(&tally) > 0.95);
    assert_true(fl_replay_worst_power(&tally, table.cells) > 0.8);
    assert_int_equal(tally.false_alarms, 0);
    assert_int_equal(tally.passed + tally.open + tally.alarmed, 120);
    fl_replay_tally_release(&tally);
    fl_pair_table_release(&table);
}

/* What every cell lost shows in the suite, though each of them may pass. */
static void what_all_cells_lost_is_seen_by_the_suite(void **state)
{
    (void)state;
    struct fl_pair_table table = make(quiet);
    struct fl_replay_tally tally = replay(&table, slower(1.2, 6), 60);

    assert_true(tally.suite_alarms > 50);
    assert_true(tally.alarmed >= tally.suite_alarms);
    fl_replay_tally_release(&tally);
    fl_pair_table_release(&table);
}

static void a_budget_ends_a_gate_and_leaves_it_open(void **state)
{
    (void)state;
    struct fl_pair_table table = make(quiet);
    struct fl_gate_condition short_one = usual;

    short_one.budget = 10.1 * 6 * 0.17; /* ten rounds and a pair: no look is made */
    struct fl_replay_tally tally = replay(&table, short_one, 20);
    assert_int_equal(tally.open, 20);
    assert_int_equal(tally.open_cells, 20 * 6);
    assert_true(fabs(tally.seconds - 61 * 0.17) < 1e-9);
    fl_replay_tally_release(&tally);
    fl_pair_table_release(&table);
}

static void nobody_leaves_before_sixteen_rounds(void **state)
{
    (void)state;
    struct fl_noise noise = quiet;
    noise.deviation = 0.01;
    struct fl_pair_table table = make(noise);
    struct fl_replay_tally tally = replay(&table, usual, 10);

    assert_true(fabs(tally.seconds - 16 * 6 * 0.17) < 1e-9);
    fl_replay_tally_release(&tally);
    fl_pair_table_release(&table);
}

/* A head that leans by 3 % on all its pairs: labels drawn anew hide it, as recorded it shows. */
static void labels_hide_what_favours_a_side(void **state)
{
    (void)state;
    struct fl_noise noise = quiet;
    noise.slower = 3;
    struct fl_pair_table table = make(noise);
    struct fl_gate_condition as_recorded = usual;

    as_recorded.as_recorded = true;
    struct fl_replay_tally hidden = replay(&table, usual, 50);
    struct fl_replay_tally shown = replay(&table, as_recorded, 50);
    assert_int_equal(hidden.false_alarms, 0);
    assert_int_equal(shown.false_alarms, 50);
    fl_replay_tally_release(&hidden);
    fl_replay_tally_release(&shown);
    fl_pair_table_release(&table);
}

static void a_seed_gives_the_same_gates(void **state)
{
    (void)state;
    struct fl_noise noise = quiet;
    noise.deviation = 4;
    struct fl_pair_table table = make(noise);
    struct fl_replay_tally one = replay(&table, slower(2, 6), 30);
    struct fl_replay_tally two = replay(&table, slower(2, 6), 30);

    assert_memory_equal(&one.seconds, &two.seconds, sizeof(one.seconds));
    assert_int_equal(one.found, two.found);
    fl_replay_tally_release(&one);
    fl_replay_tally_release(&two);
    fl_pair_table_release(&table);
}

/* Runs that drift apart while nothing changed: one after the other they differ, as pairs they do
 * not. */
static void unpaired_runs_are_flagged_where_the_machine_drifts(void **state)
{
    (void)state;
    struct fl_pair_table table = make(quiet);
    struct fl_unpaired_tally tally;

    assert_int_equal(fl_unpaired_tally(&table, &usual, 20, 5, 300, &tally), 0);
    assert_int_equal(tally.rounds, 20);
    assert_int_equal(tally.cells, 300 * 6);
    assert_true(tally.flagged_runs > 30);
    assert_true(tally.slower_runs <= tally.flagged_runs);
    const struct fl_gate_condition much = slower(30, 1);
    assert_int_equal(fl_unpaired_tally(&table, &much, 20, 5, 60, &tally), 0);
    assert_int_equal(tally.found, 60);
    assert_int_equal(tally.found_slower, 60);
    fl_pair_table_release(&table);
}

static void intervals_cover_what_they_promise(void **state)
{
    (void)state;
    static const size_t pairs[] = {7, 15, 31};
    static const double nominal[] = {0.953, 0.952, 0.952};
    struct fl_noise noise = quiet;
    noise.rounds = 3100;
    struct fl_pair_table table = make(noise);

    for (size_t i = 0; i < 3; i++) {
        struct fl_coverage coverage;
        assert_int_equal(fl_coverage(&table, pairs[i], &coverage), 0);
        assert_true(fabs(coverage.nominal - nominal[i]) < 0.001);
        assert_true(fabs(coverage.share - coverage.nominal) < 4 * coverage.error + 0.005);
        assert_true(coverage.error > 0 && coverage.error < 0.02);
        assert_true(coverage.worst <= coverage.share);
    }
    fl_pair_table_release(&table);
}

/* Known values: 1 - 0.05^(1/n) for none; 10 of 100 gives 0.1637; 5 of 5 no bound. */
static void bounds_of_proportions_are_clopper_and_pearsons(void **state)
{
    (void)state;
    assert_true(fabs(fl_proportion_upper(0, 300) - (1 - pow(0.05, 1 / 300.0))) < 1e-9);
    assert_true(fabs(fl_proportion_upper(10, 100) - 0.16372) < 1e-4);
    assert_true(fabs(fl_proportion_upper(0, 5000) - 5.99e-4) < 1e-6);
    assert_true(fl_proportion_upper(5, 5) >= 1);
    assert_true(fabs(fl_proportion_lower(5, 5) - pow(0.05, 0.2)) < 1e-9);
    assert_true(fl_proportion_lower(0, 5) <= 0);
}

/* U = 0 of 9 and 9: z = (40.5 - 0.5) / sqrt(81 * 19 / 12); with every value alike p is 1. */
static void rank_sums_are_mann_and_whitneys(void **state)
{
    (void)state;
    double low[9], high[9], p;

    for (size_t i = 0; i < 9; i++) {
        low[i] = (double)i;
        high[i] = (double)i + 100;
    }
    assert_int_equal(fl_rank_sum(low, 9, high, 9, &p), 0);
    assert_true(fabs(p - erfc(40 / sqrt(81.0 * 19 / 12) / sqrt(2))) < 1e-12);
    for (size_t i = 0; i < 9; i++)
        low[i] = high[i] = 1;
    assert_int_equal(fl_rank_sum(low, 9, high, 9, &p), 0);
    assert_true(p >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_sides_pass),
        cmocka_unit_test(losses_up_to_the_tolerance_raise_no_alarm),
        cmocka_unit_test(slowed_cells_are_found_and_no_others),
        cmocka_unit_test(what_all_cells_lost_is_seen_by_the_suite),
        cmocka_unit_test(a_budget_ends_a_gate_and_leaves_it_open),
        cmocka_unit_test(nobody_leaves_before_sixteen_rounds),
        cmocka_unit_test(labels_hide_what_favours_a_side),
        cmocka_unit_test(a_seed_gives_the_same_gates),
        cmocka_unit_test(unpaired_runs_are_flagged_where_the_machine_drifts),
        cmocka_unit_test(intervals_cover_what_they_promise),
        cmocka_unit_test(bounds_of_proportions_are_clopper_and_pearsons),
        cmocka_unit_test(rank_sums_are_mann_and_whitneys),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
