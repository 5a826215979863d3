/* SPDX-License-Identifier: Apache-2.0 */
/* Medians, their counts, and what is said of cells that were not measured. */
#include <errno.h>
#include <string.h>

#include "results/summary.h"
#include "store-fixture.h"

static void read_summary(struct fixture *f, struct fl_summary *out)
{
    fixture_ok(f, fl_summary_read(f->store, f->run, out, &f->err));
}

static const struct fl_summary_value *value_of(const struct fl_summary *s, size_t cell,
                                               const char *metric)
{
    for (size_t i = 0; i < s->metric_count; i++)
        if (strcmp(s->metrics[i].metric.name, metric) == 0)
            return &s->cells[cell].values[i];
    fail_msg("no metric %s", metric);
    return NULL;
}

static void odd_and_even_medians(void **state)
{
    struct fixture *f = *state;
    struct fl_summary s;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    int64_t odd = fixture_cell(f, "144", "malloc", "glibc", NULL);
    int64_t even = fixture_cell(f, "192", "malloc", "glibc", NULL);
    const double times[] = {9, 1, 4, 100};
    for (int i = 0; i < 3; i++)
        fixture_timed(f, odd, i, 10, times[i]);
    for (int i = 0; i < 4; i++)
        fixture_timed(f, even, i, 10, times[i]);
    fixture_ok(f, fl_store_set_status(f->store, f->run, FL_RUN_FINISHED, &f->err));
    read_summary(f, &s);
    const struct fl_summary_value *value = value_of(&s, 0, "time");
    assert_int_equal(value->count, 3);
    assert_true(fl_number_real(value->median) == 4);
    assert_true(fl_number_real(value->min) == 1);
    assert_true(fl_number_real(value->max) == 9);
    value = value_of(&s, 1, "time");
    assert_int_equal(value->count, 4);
    assert_true(fl_number_real(value->median) == 6.5);
    assert_true(fl_number_real(value->max) == 100);
    value = value_of(&s, 1, "gflops"); /* a rate is not divided by the calls */
    assert_true(fl_number_real(value->max) == 1000);
    assert_string_equal(s.cells[0].status, "ok");
    assert_null(s.cells[0].reason);
    fl_summary_release(&s);
}

static void counts_stay_integers(void **state)
{
    struct fixture *f = *state;
    struct fl_summary s;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    int64_t whole = fixture_cell(f, "192", "malloc", "glibc", NULL);
    int64_t between = fixture_cell(f, "176", "malloc", "glibc", NULL);
    fixture_counted(f, whole, 0, 200, 112);
    fixture_counted(f, whole, 1, 200, 112);
    fixture_counted(f, between, 0, 200, 61);
    fixture_counted(f, between, 1, 200, 62);
    read_summary(f, &s);
    const struct fl_summary_value *value = value_of(&s, 0, "minor-faults");
    assert_false(value->median.is_real);
    assert_int_equal(value->median.integer, 112);
    value = value_of(&s, 1, "minor-faults");
    assert_true(value->median.is_real);
    assert_true(value->median.real == 61.5);
    assert_false(value->max.is_real);
    assert_int_equal(value->max.integer, 62);
    fl_summary_release(&s);
}

static void a_time_taken_while_counting_is_no_time(void **state)
{
    struct fixture *f = *state;
    struct fl_summary s;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    const struct fl_value values[] = {{.metric = f->time, .total = 5}};
    struct fl_sample sample = {.cell = fixture_cell(f, "192", "malloc", "glibc", NULL),
                               .mode = FL_SAMPLE_COUNTED,
                               .calls = 1,
                               .values = values,
                               .value_count = 1};
    fixture_ok(f, fixture_add(f, &sample));
    read_summary(f, &s);
    assert_int_equal(value_of(&s, 0, "time")->count, 0);
    fl_summary_release(&s);
}

/* Waits for mutexes are seen while counting and at no other time. */
static void a_time_that_only_counting_samples_have_is_kept(void **state)
{
    struct fixture *f = *state;
    struct fl_summary s;
    const struct fl_metric wait = {
        "pthread-mutex-wait",   "ns", "", "", FL_METRIC_TIMED, FL_LESS_IS_BETTER,
        FL_IN_COUNTING_SAMPLES, false};

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    fixture_ok(f, fl_store_metric(f->store, &wait, &f->faults, &f->err));
    int64_t cell = fixture_cell(f, "192", "malloc", "glibc", NULL);
    fixture_counted(f, cell, 0, 10, 700);
    fixture_counted(f, cell, 1, 10, 900);
    read_summary(f, &s);
    assert_int_equal(value_of(&s, 0, "pthread-mutex-wait")->count, 2);
    assert_int_equal(value_of(&s, 0, "pthread-mutex-wait")->median.integer, 800);
    fl_summary_release(&s);
}

static void every_hole_has_its_reason(void **state)
{
    struct fixture *f = *state;
    struct fl_summary s;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    int64_t some = fixture_cell(f, "144", "malloc", "glibc", NULL);
    fixture_cell(f, "160", "malloc", "jemalloc", "libjemalloc.so.2 not found");
    fixture_cell(f, "176", "malloc", "glibc", NULL);
    int64_t bad = fixture_cell(f, "192", "malloc", "glibc", NULL);
    const struct fl_value blind[] = {
        {.metric = f->faults, .state = FL_READING_UNAVAILABLE, .reason = "emulated"}};
    struct fl_sample sample = {
        .cell = some, .round = 0, .calls = 1, .values = blind, .value_count = 1};
    fixture_ok(f, fixture_add(f, &sample));
    fixture_timed(f, bad, 0, 10, 3);
    struct fl_sample crash = {
        .cell = bad, .round = 1, .outcome = FL_OUTCOME_CRASHED, .reason = "signal 11"};
    fixture_ok(f, fixture_add(f, &crash));
    fixture_ok(f, fl_store_set_status(f->store, f->run, FL_RUN_INTERRUPTED, &f->err));
    read_summary(f, &s);
    assert_string_equal(s.cells[0].status, "partial");
    assert_string_equal(s.cells[0].reason, "1 of 9 samples, the run is interrupted");
    assert_string_equal(value_of(&s, 0, "minor-faults")->reason, "unavailable: emulated");
    assert_string_equal(s.cells[1].status, "unavailable");
    assert_string_equal(s.cells[1].reason, "libjemalloc.so.2 not found");
    assert_string_equal(s.cells[2].status, "missing");
    assert_string_equal(s.cells[3].status, "crashed");
    assert_string_equal(s.cells[3].reason, "1 of 2 samples: signal 11");
    assert_int_equal(value_of(&s, 3, "time")->count, 1);
    fl_summary_release(&s);
}

static void exact_counts_that_differ_are_flagged(void **state)
{
    struct fixture *f = *state;
    struct fl_summary s;
    const struct fl_metric locks = {
        "pthread-mutex-locks",  "locks", "", "", FL_METRIC_EXACT, FL_LESS_IS_BETTER,
        FL_IN_COUNTING_SAMPLES, false};

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    fixture_ok(f, fl_store_metric(f->store, &locks, &f->faults, &f->err));
    int64_t cell = fixture_cell(f, "144", "malloc", "glibc", NULL);
    fixture_counted(f, cell, 0, 200, 3);
    fixture_counted(f, cell, 1, 200, 4);
    read_summary(f, &s);
    assert_string_equal(value_of(&s, 0, "pthread-mutex-locks")->reason, "samples disagree: 3 to 4");
    fl_summary_release(&s);
}

static void factors_come_in_a_fixed_order(void **state)
{
    struct fixture *f = *state;
    struct fl_summary s;
    const struct fl_stored_level levels[] = {{"zeta", "1", false},
                                             {"malloc", "glibc", false},
                                             {"alpha", "2", true},
                                             {"kernel", "x", false}};
    const struct fl_planned_cell cells[] = {{"other", levels, 4, NULL}};

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    fixture_ok(f, fl_store_plan(f->store, f->run, cells, 1, NULL, &f->err));
    fixture_cell(f, "144", "stack+malloc", "glibc", NULL);
    read_summary(f, &s);
    static const char *const want[] = {"kernel", "n",     "workspace", "malloc",
                                       "isa",    "alpha", "zeta"};
    assert_int_equal(s.factor_count, 7);
    for (size_t i = 0; i < 7; i++)
        assert_string_equal(s.factors[i], want[i]);
    assert_true(s.implied[5]);
    assert_false(s.implied[6]);
    assert_null(s.cells[0].levels[1]);
    assert_string_equal(s.cells[1].levels[2], "stack+malloc");
    fl_summary_release(&s);
    assert_int_equal(fl_summary_read(f->store, 99, &s, &f->err), -ENOENT);
}

static void every_view_answers(void **state)
{
    struct fixture *f = *state;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    int64_t cell = fixture_cell(f, "192", "stack+malloc", "glibc", NULL);
    fixture_timed(f, cell, 0, 200, 7.5);
    fixture_counted(f, cell, 0, 200, 112);
    assert_int_equal(fixture_query(f, "SELECT cells + samples FROM v_run"), 3);
    assert_int_equal(fixture_query(f, "SELECT n FROM v_cell WHERE workspace = 'stack+malloc' AND "
                                      "kernel = 'dgemm' AND malloc = 'glibc' AND isa = 'auto'"),
                     192);
    assert_int_equal(fixture_query(f, "SELECT count(*) FROM v_sample WHERE cpu = 1 AND "
                                      "seed = '18446744073709551615' AND started LIKE '2023-%'"),
                     2);
    assert_int_equal(fixture_query(f, "SELECT value FROM v_value WHERE name = 'minor-faults' AND "
                                      "state = 'ok' AND mode = 'counted'"),
                     112);
    assert_int_equal(
        fixture_query(f, "SELECT median * 10 FROM v_median WHERE name = 'time' AND count = 1"), 75);
    assert_int_equal(fixture_query(f, "SELECT count(*) FROM v_fact WHERE name = 'isa' AND "
                                      "value = 'avx2'"),
                     2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(odd_and_even_medians),
        TEST(counts_stay_integers),
        TEST(a_time_taken_while_counting_is_no_time),
        TEST(a_time_that_only_counting_samples_have_is_kept),
        TEST(every_hole_has_its_reason),
        TEST(exact_counts_that_differ_are_flagged),
        TEST(factors_come_in_a_fixed_order),
        TEST(every_view_answers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
