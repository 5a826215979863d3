/* SPDX-License-Identifier: Apache-2.0 */
/* What pairs of a thing with itself tell: noise, lean and bias, legal counts; for whom that holds;
 * and how many rounds follow from it. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "results/pair-calibration.h"
#include "results/sequential.h"
#include "store-fixture.h"

enum { ROUNDS = 24, COUNTED = 10 };

/* Both sides of a round are as much slower than those of the round before; pairs are off by 1 % in
 * turn to either side, and the head leans by `lean`. */
static void measure(struct fixture *f, int64_t cell, bool head, double lean)
{
    for (int round = 0; round < ROUNDS; round++) {
        double off = 1 + 0.01 * ((round * 7) % ROUNDS - (ROUNDS - 1) / 2.0) / (ROUNDS / 2.0);
        double ns = 100 * (1 + round % 5) * (head ? off * (1 + lean) : 1);
        fixture_timed(f, cell, round, 10, 10 * ns);
    }
    for (int round = 0; round < COUNTED; round++)
        fixture_counted(f, cell, round, 10, 61 + (round % 3 == 2));
}

static int64_t fill(struct fixture *f, enum fl_pairing_purpose purpose, double lean)
{
    int64_t id, runs[2], cells[2][2];
    fixture_open(f, FL_STORE_CREATE);
    for (int s = 0; s < 2; s++) {
        fixture_begin(f);
        runs[s] = f->run;
        cells[s][0] = fixture_cell(f, "8", "malloc", "glibc", NULL);
        cells[s][1] = fixture_cell(f, "16", "malloc", "glibc", NULL);
        measure(f, cells[s][0], s, 0);
        measure(f, cells[s][1], s, lean);
        fixture_ok(f, fl_store_set_status(f->store, f->run, FL_RUN_FINISHED, &f->err));
    }
    const struct fl_pairing pairing = {.base = runs[0],
                                       .head = runs[1],
                                       .purpose = purpose,
                                       .base_side = "",
                                       .head_side = "",
                                       .tolerance = 0.5,
                                       .detect = 2,
                                       .planned = 3};
    fixture_ok(f, fl_pairing_add(f->store, &pairing, &id, &f->err));
    const struct fl_paired_cell rows[2] = {
        {.key = "n=8", .base = cells[0][0], .head = cells[1][0], .tolerance = 0.5, .detect = 2},
        {.key = "n=16", .base = cells[0][1], .head = cells[1][1], .tolerance = 0.5, .detect = 2}};
    fixture_ok(f, fl_pairing_add_cells(f->store, id, rows, 2, &f->err));
    return id;
}

static void noise_and_bias_are_told(void **state)
{
    struct fixture *f = *state;
    struct fl_calibration out;
    int64_t id = fill(f, FL_PAIRING_CALIBRATE, 0.03);
    fixture_ok(f, fl_calibration_read(f->store, id, &out, &f->err));
    assert_int_equal(out.count, 2);
    const struct fl_calibration_cell *even = fl_calibration_cell(&out, "n=8");
    const struct fl_calibration_cell *leaning = fl_calibration_cell(&out, "n=16");
    assert_non_null(even);
    assert_non_null(leaning);
    assert_null(fl_calibration_cell(&out, "n=9"));
    assert_int_equal(even->pairs, ROUNDS);
    /* Even from -1 % to 1 %: half of them within 0.5 %. */
    assert_true(even->spread > 0.006 && even->spread < 0.009);
    assert_true(fabs(even->lean) < 0.1);
    assert_true(even->bias == 0);
    assert_true(fabs(leaning->lean - 3) < 0.1);
    assert_true(leaning->bias > 3 && leaning->bias < 4);
    fl_calibration_release(&out);
}

static void legal_counts_are_listed(void **state)
{
    struct fixture *f = *state;
    struct fl_calibration out;
    int64_t id = fill(f, FL_PAIRING_CALIBRATE, 0);
    fixture_ok(f, fl_calibration_read(f->store, id, &out, &f->err));
    assert_int_equal(out.count_count, 2);
    assert_string_equal(out.counts[0].values, "61 | 62");
    assert_int_equal(out.counts[0].samples, 2 * COUNTED);
    fl_calibration_release(&out);
}

static size_t found(struct fixture *f, const struct fl_calibration_wanted *wanted)
{
    struct fl_calibration out;
    fixture_ok(f, fl_calibration_find(f->store, wanted, &out, &f->err));
    size_t count = out.count;
    fl_calibration_release(&out);
    return count;
}

static void it_holds_for_its_like_alone(void **state)
{
    struct fixture *f = *state;
    fill(f, FL_PAIRING_CALIBRATE, 0);
    const struct fl_run_info info = fixture_info();
    const struct fl_calibration_wanted same = {info.scenario, info.fingerprint, info.host,
                                               info.settle_ns, info.window_ns};
    assert_int_equal(found(f, &same), 2);
    struct fl_calibration_wanted other = same;
    other.fingerprint = "isa=other";
    assert_int_equal(found(f, &other), 0);
    other = same;
    other.host = "elsewhere";
    assert_int_equal(found(f, &other), 0);
    other = same;
    other.window_ns++;
    assert_int_equal(found(f, &other), 0);
    other = same;
    other.scenario = "another";
    assert_int_equal(found(f, &other), 0);
}

static void an_ab_run_is_no_calibration(void **state)
{
    struct fixture *f = *state;
    struct fl_calibration out;
    fill(f, FL_PAIRING_AB, 0);
    const struct fl_run_info info = fixture_info();
    const struct fl_calibration_wanted same = {info.scenario, info.fingerprint, info.host,
                                               info.settle_ns, info.window_ns};
    assert_int_equal(found(f, &same), 0);
    assert_int_equal(fl_calibration_read(f->store, 99, &out, &f->err), -ENOENT);
}

static void noise_asks_for_rounds(void **state)
{
    (void)state;
    assert_int_equal(fl_calibration_rounds(0, 2), FL_SEQUENTIAL_FIRST);
    assert_int_equal(fl_calibration_rounds(0.01, 2), FL_SEQUENTIAL_FIRST);
    assert_int_equal(fl_calibration_rounds(0.02, 2), 24);
    assert_int_equal(fl_calibration_rounds(0.02, 5), FL_SEQUENTIAL_FIRST);
    assert_int_equal(fl_calibration_rounds(0.04, 2), 120);
    assert_int_equal(fl_calibration_rounds(1, 2), 600);
    assert_int_equal(fl_calibration_rounds((double)NAN, 2), 600);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(noise_and_bias_are_told, fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(legal_counts_are_listed, fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(it_holds_for_its_like_alone, fixture_set_up,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(an_ab_run_is_no_calibration, fixture_set_up,
                                        fixture_tear_down),
        cmocka_unit_test(noise_asks_for_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
