/* SPDX-License-Identifier: Apache-2.0 */
/* Runs as baselines, and runs against baselines: each verdict of a count. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "results/baseline.h"
#include "store-fixture.h"

#define MALLOC "kernel=dgemm n=100 workspace=malloc malloc=glibc"
#define POOL   "kernel=dgemm n=100 workspace=pool malloc=glibc"

/* Two cells; counting samples of the first alternate between two values, the others are constant.
 */
static void measure(struct fixture *f, int samples, int64_t low, int64_t high, int64_t other)
{
    fixture_begin(f);
    int64_t first = fixture_cell(f, "100", "malloc", "glibc", NULL);
    int64_t second = fixture_cell(f, "100", "pool", "glibc", NULL);

    for (int round = 0; round < samples; round++) {
        fixture_counted(f, first, round, 20, round % 2 ? low : high);
        fixture_counted(f, second, round, 20, other);
    }
    fixture_ok(f, fl_store_set_status(f->store, f->run, FL_RUN_FINISHED, &f->err));
}

static void make(struct fixture *f, struct fl_baseline *out)
{
    fixture_ok(f, fl_baseline_of_run(f->store, f->run, out, &f->err));
}

static void a_run_becomes_lines_by_cell_and_count(void **state)
{
    struct fixture *f = *state;
    struct fl_baseline baseline;

    fixture_open(f, FL_STORE_CREATE);
    measure(f, 10, 61, 62, 3);
    fixture_cell(f, "200", "pool", "glibc", "cannot");
    make(f, &baseline);
    assert_string_equal(baseline.scenario, "packing-faults");
    assert_int_equal(baseline.samples, 10);
    assert_int_equal(baseline.calls, 20);
    assert_int_equal(baseline.left_out, 1);
    assert_int_equal(baseline.count, 2);
    assert_string_equal(baseline.counts[0].cell, MALLOC);
    assert_string_equal(baseline.counts[0].metric, "minor-faults");
    assert_int_equal(baseline.counts[0].value_count, 2);
    assert_true(baseline.counts[0].values[0] == 61 && baseline.counts[0].values[1] == 62);
    assert_int_equal(baseline.counts[0].fact_count, 0); /* all cells share their fields */
    assert_true(baseline.machine_count > 0);
    fl_baseline_release(&baseline);
}

/* The verdict of the cells of a run against those of another. */
static void judge(struct fixture *f, const struct fl_baseline *baseline,
                  const enum fl_verdict expected[2])
{
    static const struct fl_compare_options options;
    struct fl_compare all;

    fixture_ok(f, fl_baseline_compare(baseline, f->store, f->run, &options, &all, &f->err));
    assert_int_equal(all.count, 2);
    for (size_t i = 0; i < 2; i++)
        if (all.rows[i].result.verdict != expected[i])
            fail_msg("row %zu: %s, %s", i, fl_verdict_name(all.rows[i].result.verdict),
                     all.rows[i].result.reason ? all.rows[i].result.reason : "no reason");
    fl_compare_release(&all);
}

static void heads_are_judged_by_legal_values(void **state)
{
    static const struct {
        int samples;
        int64_t low, high, other;
        enum fl_verdict verdicts[2];
    } heads[] = {
        {10, 61, 62, 3, {FL_VERDICT_PASS, FL_VERDICT_PASS}},
        {2, 61, 61, 3, {FL_VERDICT_PASS, FL_VERDICT_PASS}},
        {10, 63, 64, 9, {FL_VERDICT_REGRESSION, FL_VERDICT_REGRESSION}},
        {9, 63, 64, 9, {FL_VERDICT_INCONCLUSIVE, FL_VERDICT_INCONCLUSIVE}},
        {10, 60, 59, 1, {FL_VERDICT_IMPROVEMENT, FL_VERDICT_IMPROVEMENT}},
        {10, 61, 63, 3, {FL_VERDICT_INCONCLUSIVE, FL_VERDICT_PASS}},
        {10, 60, 62, 3, {FL_VERDICT_PASS, FL_VERDICT_PASS}},
    };
    struct fixture *f = *state;
    struct fl_baseline baseline;

    fixture_open(f, FL_STORE_CREATE);
    measure(f, 10, 61, 62, 3);
    make(f, &baseline);
    for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
        measure(f, heads[i].samples, heads[i].low, heads[i].high, heads[i].other);
        judge(f, &baseline, heads[i].verdicts);
    }
    fl_baseline_release(&baseline);
}

static void allow(void *arg, const char *cell, const struct fl_metric *metric,
                  struct fl_verdict_rule *rule)
{
    (void)arg;
    (void)metric;
    rule->slack = strstr(cell, "workspace=pool") ? 6 : 1;
}

static void slack_is_no_loss(void **state)
{
    const struct fl_compare_options options = {.limits = allow};
    struct fixture *f = *state;
    struct fl_baseline baseline;
    struct fl_compare all;

    fixture_open(f, FL_STORE_CREATE);
    measure(f, 10, 61, 62, 3);
    make(f, &baseline);
    measure(f, 10, 63, 64, 9);
    fixture_ok(f, fl_baseline_compare(&baseline, f->store, f->run, &options, &all, &f->err));
    assert_int_equal(all.rows[0].result.verdict, FL_VERDICT_INCONCLUSIVE);
    assert_int_equal(all.rows[1].result.verdict, FL_VERDICT_PASS);
    assert_int_equal(all.verdicts[FL_VERDICT_PASS], 1);
    fl_compare_release(&all);
    fl_baseline_release(&baseline);
}

static void what_differs_or_lacks_is_said(void **state)
{
    static const struct fl_compare_options options;
    struct fixture *f = *state;
    struct fl_baseline baseline;
    struct fl_compare all;
    struct fl_fact fact = {"blocking", "other"};

    fixture_open(f, FL_STORE_CREATE);
    measure(f, 10, 61, 62, 3);
    make(f, &baseline);
    baseline.counts[0].facts = &fact;
    baseline.counts[0].fact_count = 1;
    baseline.counts[1].cell = "kernel=gone";
    fixture_cell(f, "300", "pool", "glibc", "cannot");
    fixture_ok(f, fl_baseline_compare(&baseline, f->store, f->run, &options, &all, &f->err));
    assert_int_equal(all.count, 4);
    assert_int_equal(all.rows[0].result.verdict, FL_VERDICT_NOT_COMPARABLE);
    assert_string_equal(all.rows[0].result.reason, "blocking differs");
    assert_int_equal(all.rows[1].result.verdict, FL_VERDICT_NEW);
    assert_int_equal(all.rows[2].result.verdict, FL_VERDICT_NEW);
    assert_int_equal(all.rows[3].result.verdict, FL_VERDICT_MISSING);
    assert_string_equal(all.rows[3].cell, "kernel=gone");
    fl_compare_release(&all);
    baseline.calls = 7;
    baseline.counts[0].fact_count = 0;
    fixture_ok(f, fl_baseline_compare(&baseline, f->store, f->run, &options, &all, &f->err));
    assert_string_equal(all.rows[0].result.reason, "counted over different numbers of calls");
    fl_compare_release(&all);
    fl_baseline_release(&baseline);
}

static void runs_without_counts_are_no_baseline(void **state)
{
    struct fixture *f = *state;
    struct fl_baseline baseline;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    fixture_timed(f, fixture_cell(f, "100", "malloc", "glibc", NULL), 0, 10, 5);
    assert_int_equal(fl_baseline_of_run(f->store, f->run, &baseline, &f->err), -ENOENT);
    assert_int_equal(baseline.count, 0);
    assert_int_equal(fl_baseline_of_run(f->store, 99, &baseline, &f->err), -ENOENT);
}

static void counts_are_found_by_cell_and_metric(void **state)
{
    struct fixture *f = *state;
    struct fl_baseline baseline;

    fixture_open(f, FL_STORE_CREATE);
    measure(f, 10, 61, 62, 3);
    make(f, &baseline);
    assert_ptr_equal(fl_baseline_find(&baseline, POOL, "minor-faults"), &baseline.counts[1]);
    assert_ptr_equal(fl_baseline_find(&baseline, MALLOC, NULL), &baseline.counts[0]);
    assert_null(fl_baseline_find(&baseline, POOL, "time"));
    assert_null(fl_baseline_find(&baseline, "z", NULL));
    fl_baseline_release(&baseline);
}

#define STORED(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED(a_run_becomes_lines_by_cell_and_count),
        STORED(heads_are_judged_by_legal_values),
        STORED(slack_is_no_loss),
        STORED(what_differs_or_lacks_is_said),
        STORED(runs_without_counts_are_no_baseline),
        STORED(counts_are_found_by_cell_and_metric),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
