/* SPDX-License-Identifier: Apache-2.0 */
/* Two runs that were measured side by side: pairs by round, limits of cells, failures of one side,
 * either order of the sides; and that every verdict can come out. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/compare.h"
#include "results/pairing.h"
#include "store-fixture.h"

enum { ROUNDS = 40, COUNTED = 12, CELLS = 9 };

static const char *const names[CELLS] = {"same",       "slow",         "fast",
                                         "crashes",    "base-crashes", "more-faults",
                                         "unmeasured", "also-same",    "again-same"};

struct sides {
    int64_t runs[2], cells[2][CELLS];
};

/* Both sides of a round are as much slower than those of the round before; the head by `factor`. */
static void measure(struct fixture *f, int64_t cell, double factor, int64_t faults)
{
    for (int round = 0; round < ROUNDS; round++)
        fixture_timed(f, cell, round, 10, 100 * factor * (1 + round % 7));
    for (int round = 0; round < COUNTED; round++)
        fixture_counted(f, cell, round, 10, faults);
}

/* Every third sample. */
static void crash(struct fixture *f, int64_t cell)
{
    for (int round = ROUNDS; round < 2 * ROUNDS; round += 3) {
        const struct fl_sample sample = {
            .cell = cell, .round = round, .outcome = FL_OUTCOME_CRASHED, .reason = "signal 11"};
        fixture_ok(f, fixture_add(f, &sample));
    }
}

static void fill_side(struct fixture *f, struct sides *sides, int side)
{
    const double factors[CELLS] = {1, side ? 1.1 : 1, side ? 0.9 : 1, 1, 1, 1, 1, 1, 1};

    fixture_begin(f);
    sides->runs[side] = f->run;
    for (int i = 0; i < CELLS; i++) {
        int64_t cell = fixture_cell(f, names[i], side ? "pool" : "malloc", "glibc", NULL);
        sides->cells[side][i] = cell;
        if (i != 6)
            measure(f, cell, factors[i], i == 5 && side ? 8 : 3);
        if ((i == 3 && side) || (i == 4 && !side))
            crash(f, cell);
    }
    fixture_ok(f, fl_store_set_status(f->store, f->run, FL_RUN_FINISHED, &f->err));
}

/* The first `count` cells of both sides, with so many planned tests. */
static void join(struct fixture *f, const struct sides *sides, size_t count, size_t planned)
{
    struct fl_paired_cell cells[CELLS];
    const struct fl_pairing pairing = {.base = sides->runs[0],
                                       .head = sides->runs[1],
                                       .base_side = "workspace=malloc",
                                       .head_side = "workspace=pool",
                                       .tolerance = 0.5,
                                       .detect = 2,
                                       .planned = planned};
    int64_t id;

    fixture_ok(f, fl_pairing_add(f->store, &pairing, &id, &f->err));
    for (size_t i = 0; i < count; i++)
        cells[i] = (struct fl_paired_cell){.key = names[i],
                                           .base = sides->cells[0][i],
                                           .head = sides->cells[1][i],
                                           .calls = 10,
                                           .tolerance = 0.5,
                                           .detect = 2};
    fixture_ok(f, fl_pairing_add_cells(f->store, id, cells, count, &f->err));
}

static void fill(struct fixture *f, struct sides *sides)
{
    fixture_open(f, FL_STORE_CREATE);
    fill_side(f, sides, 0);
    fill_side(f, sides, 1);
    join(f, sides, CELLS, 8);
}

static const struct fl_compare_row *row_of(const struct fl_compare *all, const char *cell,
                                           const char *metric)
{
    for (size_t i = 0; i < all->count; i++)
        if (!strcmp(all->rows[i].cell, cell) && !strcmp(all->rows[i].metric, metric))
            return &all->rows[i];
    fail_msg("no row of %s %s", cell, metric);
    return NULL;
}

static void expect(const struct fl_compare *all, const char *cell, const char *metric,
                   enum fl_verdict verdict)
{
    const struct fl_compare_row *row = row_of(all, cell, metric);

    if (row->result.verdict != verdict)
        fail_msg("%s %s is %s: %s", cell, metric, fl_verdict_name(row->result.verdict),
                 row->result.reason ? row->result.reason : "no reason");
}

static const struct fl_compare_options usual;

static void a_pairing_is_judged_by_its_pairs(void **state)
{
    struct fixture *f = *state;
    struct sides sides;
    struct fl_compare all;

    fill(f, &sides);
    fixture_ok(f, fl_compare_pairing(f->store, sides.runs[1], &usual, &all, &f->err));
    assert_true(all.paired);
    assert_int_equal(all.planned, 8);
    assert_string_equal(all.base, "workspace=malloc");
    assert_null(all.warning);
    assert_string_equal(all.head, "workspace=pool");
    expect(&all, "same", "time", FL_VERDICT_PASS);
    expect(&all, "slow", "time", FL_VERDICT_REGRESSION);
    expect(&all, "slow", "gflops", FL_VERDICT_REGRESSION);
    expect(&all, "slow", "minor-faults", FL_VERDICT_PASS);
    expect(&all, "fast", "time", FL_VERDICT_IMPROVEMENT);
    expect(&all, "crashes", "", FL_VERDICT_ERROR);
    expect(&all, "base-crashes", "", FL_VERDICT_NOT_COMPARABLE);
    expect(&all, "more-faults", "time", FL_VERDICT_PASS);
    expect(&all, "more-faults", "minor-faults", FL_VERDICT_REGRESSION);
    expect(&all, "unmeasured", "", FL_VERDICT_NOT_COMPARABLE);
    const struct fl_compare_row *slow = row_of(&all, "slow", "time");
    assert_true(fabs(slow->result.effect - 10) < 1e-9 && slow->gated);
    assert_false(row_of(&all, "slow", "gflops")->gated);
    assert_true(slow->result.bounds.at_least > 9.9);
    assert_string_equal(slow->head_key, "kernel=dgemm n=slow workspace=pool malloc=glibc");
    const struct fl_compare_row *faults = row_of(&all, "more-faults", "minor-faults");
    assert_true(faults->result.base_max <= 3 && faults->result.head_min >= 8);
    assert_int_equal(faults->result.head_count, COUNTED);
    assert_non_null(strstr(row_of(&all, "crashes", "")->result.reason, "14 of 66 samples"));
    assert_true(isnan(row_of(&all, "crashes", "")->result.bounds.at_least));
    assert_true(isnan(row_of(&all, "unmeasured", "")->result.head_max));
    assert_int_equal(row_of(&all, "slow", "time")->place, row_of(&all, "slow", "gflops")->place);
    fl_compare_release(&all);
}

/* Six cells of which one lost and one won: what all share is nothing. */
static void all_cells_together_have_a_row(void **state)
{
    struct fixture *f = *state;
    struct sides sides;
    struct fl_compare all;

    fill(f, &sides);
    fixture_ok(f, fl_compare_runs(f->store, sides.runs[0], sides.runs[1], &usual, &all, &f->err));
    const struct fl_compare_row *suite = row_of(&all, "all cells", "time");
    assert_true(suite->suite && suite->gated);
    assert_int_equal(suite->result.verdict, FL_VERDICT_PASS);
    assert_int_equal(suite->result.pairs, ROUNDS);
    assert_true(fabs(suite->result.effect) < 1e-9);
    fl_compare_release(&all);
}

static void either_side_may_be_the_base(void **state)
{
    struct fixture *f = *state;
    struct sides sides;
    struct fl_compare all;

    fill(f, &sides);
    fixture_ok(f, fl_compare_runs(f->store, sides.runs[1], sides.runs[0], &usual, &all, &f->err));
    assert_true(all.paired);
    assert_string_equal(all.base, "workspace=pool");
    expect(&all, "slow", "time", FL_VERDICT_IMPROVEMENT);
    expect(&all, "fast", "time", FL_VERDICT_REGRESSION);
    expect(&all, "crashes", "", FL_VERDICT_NOT_COMPARABLE);
    expect(&all, "base-crashes", "", FL_VERDICT_ERROR);
    fl_compare_release(&all);
}

static void limits_are_those_of_the_pairing_or_asked_for(void **state)
{
    struct fixture *f = *state;
    struct sides sides;
    struct fl_compare all;

    fill(f, &sides);
    fixture_query(f, "UPDATE paired_cell SET tolerance = 12, detect = 20 WHERE position = 1 "
                     "RETURNING 1");
    fixture_ok(f, fl_compare_pairing(f->store, sides.runs[0], &usual, &all, &f->err));
    expect(&all, "slow", "time", FL_VERDICT_PASS);
    assert_true(row_of(&all, "slow", "time")->tolerance > 11);
    fl_compare_release(&all);
    const struct fl_compare_options strict = {.tolerance = 5, .detect = 8};
    fixture_ok(f, fl_compare_pairing(f->store, sides.runs[0], &strict, &all, &f->err));
    expect(&all, "slow", "time", FL_VERDICT_REGRESSION);
    fl_compare_release(&all);
    const struct fl_compare_options wrong = {.tolerance = (double)NAN, .detect = 0.1};
    assert_int_equal(fl_compare_pairing(f->store, sides.runs[0], &wrong, &all, &f->err), -EINVAL);
    assert_int_equal(all.count, 0);
}

static void what_is_not_final_says_so(void **state)
{
    struct fixture *f = *state;
    struct sides sides;
    struct fl_compare all;

    fill(f, &sides);
    fixture_query(f, "UPDATE pairing SET purpose = 'calibrate' RETURNING 1");
    fixture_ok(f, fl_compare_pairing(f->store, sides.runs[0], &usual, &all, &f->err));
    assert_non_null(strstr(all.warning, "calibration"));
    fl_compare_release(&all);
    fixture_ok(f, fl_store_set_status(f->store, sides.runs[1], FL_RUN_RUNNING, &f->err));
    fixture_ok(f, fl_compare_pairing(f->store, sides.runs[0], &usual, &all, &f->err));
    assert_non_null(strstr(all.warning, "not finished"));
    fl_compare_release(&all);
}

/* A cell that is left early has fewer rounds: its pairs are what there are. */
static void rounds_of_one_side_are_no_pairs(void **state)
{
    struct fixture *f = *state;
    struct sides sides;
    struct fl_compare all;
    char sql[400];

    fill(f, &sides);
    snprintf(sql, sizeof(sql),
             "DELETE FROM value WHERE sample IN (SELECT id FROM sample WHERE run = %lld AND cell = "
             "%lld AND mode = 'timed' AND round > 24) RETURNING 1",
             (long long)sides.runs[0], (long long)sides.cells[0][1]);
    fixture_query(f, sql);
    fixture_ok(f, fl_compare_pairing(f->store, sides.runs[0], &usual, &all, &f->err));
    const struct fl_compare_row *slow = row_of(&all, "slow", "time");
    assert_int_equal(slow->result.pairs, 25);
    assert_int_equal(slow->result.verdict, FL_VERDICT_INCONCLUSIVE);
    assert_int_equal(slow->result.judged.next, 32);
    assert_int_equal(row_of(&all, "all cells", "time")->result.pairs, 25);
    fl_compare_release(&all);
}

static void runs_without_a_pairing_are_none(void **state)
{
    struct fixture *f = *state;
    struct fl_compare all;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    assert_int_equal(fl_compare_pairing(f->store, f->run, &usual, &all, &f->err), -ENOENT);
    assert_non_null(strstr(f->err.text, "no side of an A/B run"));
}

/* The chance of seven new values in twenty fresh processes, of all there are on either side, is
 * C(20, 7) / C(40, 7) = 0.0042: too little to call one of three cells worse, and enough for one
 * that is alone. */
static void count_whose(struct fixture *f, size_t cells, struct sides *sides)
{
    fixture_open(f, FL_STORE_CREATE);
    for (int side = 0; side < 2; side++) {
        fixture_begin(f);
        sides->runs[side] = f->run;
        for (size_t i = 0; i < cells; i++) {
            int64_t cell = fixture_cell(f, names[i], side ? "pool" : "malloc", "glibc", NULL);
            sides->cells[side][i] = cell;
            for (int round = 0; round < 30; round++)
                fixture_counted(f, cell, round, 10,
                                !i && side && (round == 3 || round >= 23) ? 5 : 3);
        }
        fixture_ok(f, fl_store_set_status(f->store, f->run, FL_RUN_FINISHED, &f->err));
    }
    join(f, sides, cells, 1);
}

static void counts_of_many_cells_share_the_chance(void **state)
{
    struct fixture *f = *state;
    struct sides sides;
    struct fl_compare all;

    count_whose(f, 3, &sides);
    fixture_ok(f, fl_compare_runs(f->store, sides.runs[0], sides.runs[1], &usual, &all, &f->err));
    expect(&all, "same", "minor-faults", FL_VERDICT_PASS);
    fl_compare_release(&all);
}

static void a_count_of_one_cell_has_the_chance_alone(void **state)
{
    struct fixture *f = *state;
    struct sides sides;
    struct fl_compare all;

    count_whose(f, 1, &sides);
    fixture_ok(f, fl_compare_runs(f->store, sides.runs[0], sides.runs[1], &usual, &all, &f->err));
    expect(&all, "same", "minor-faults", FL_VERDICT_REGRESSION);
    fl_compare_release(&all);
}

/* A sample of several threads by a library that divides their time, or by one that does not. */
static void time_threads(struct fixture *f, int64_t cell, bool newer)
{
    const struct fl_fact fact = {"time-meaning", newer ? "wall" : "divided"};

    for (int round = 0; round < ROUNDS; round++) {
        const struct fl_value value = {
            .metric = f->time, .is_real = true, .real = newer ? 4000 : 1000};
        const struct fl_sample sample = {.cell = cell,
                                         .round = round,
                                         .calls = 10,
                                         .facts = &fact,
                                         .fact_count = 1,
                                         .values = &value,
                                         .value_count = 1};
        fixture_ok(f, fixture_add(f, &sample));
    }
}

static void what_means_something_else_is_no_part_of_all(void **state)
{
    struct fixture *f = *state;
    struct sides sides;
    struct fl_compare all;

    fixture_open(f, FL_STORE_CREATE);
    for (int side = 0; side < 2; side++) {
        fixture_begin(f);
        sides.runs[side] = f->run;
        for (int i = 0; i < CELLS; i++) {
            int64_t cell = fixture_cell(f, names[i], side ? "pool" : "malloc", "glibc", NULL);
            sides.cells[side][i] = cell;
            if (i < 4)
                time_threads(f, cell, side);
            else
                measure(f, cell, 1, 3);
        }
        fixture_ok(f, fl_store_set_status(f->store, f->run, FL_RUN_FINISHED, &f->err));
    }
    join(f, &sides, CELLS, 10);
    fixture_ok(f, fl_compare_runs(f->store, sides.runs[0], sides.runs[1], &usual, &all, &f->err));
    expect(&all, "same", "time", FL_VERDICT_NOT_COMPARABLE);
    expect(&all, "all cells", "time", FL_VERDICT_PASS);
    assert_true(fabs(row_of(&all, "all cells", "time")->result.effect) < 1e-9);
    fl_compare_release(&all);
}

#define STORED(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED(a_pairing_is_judged_by_its_pairs),
        STORED(all_cells_together_have_a_row),
        STORED(either_side_may_be_the_base),
        STORED(limits_are_those_of_the_pairing_or_asked_for),
        STORED(what_is_not_final_says_so),
        STORED(rounds_of_one_side_are_no_pairs),
        STORED(runs_without_a_pairing_are_none),
        STORED(counts_of_many_cells_share_the_chance),
        STORED(a_count_of_one_cell_has_the_chance_alone),
        STORED(what_means_something_else_is_no_part_of_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
