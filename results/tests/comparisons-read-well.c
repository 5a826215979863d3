/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons of stored runs: order, holes, cells of one side only, hostile names. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/compare.h"
#include "store-fixture.h"

static const struct fl_compare_options options = {.tolerance = 0.5, .detect = 2};

static int64_t measure(struct fixture *f, const char *n, const char *workspace, double ns)
{
    int64_t cell = fixture_cell(f, n, workspace, "glibc", NULL);

    for (int round = 0; round < 40; round++)
        fixture_timed(f, cell, round, 10, ns * (1 + round));
    return cell;
}

static const struct fl_compare_row *row_of(const struct fl_compare *all, const char *cell)
{
    for (size_t i = 0; i < all->count; i++)
        if (strstr(all->rows[i].cell, cell) &&
            (!*all->rows[i].metric || !strcmp(all->rows[i].metric, "time")))
            return &all->rows[i];
    fail_msg("no row of %s", cell);
    return NULL;
}

static void fill(struct fixture *f)
{
    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    measure(f, "100", "malloc", 10);
    measure(f, "100", "pool", 10);
    measure(f, "200", "malloc", 10);
    measure(f, "200", "pool", 30);
    measure(f, "300", "pool", 5);
    measure(f, "\033[31m400", "malloc", 5);
    measure(f, "500", "malloc", 5);
    fixture_cell(f, "500", "pool", "glibc", "cannot");
    measure(f, "600", "stack", 5);
    fixture_ok(f, fl_store_set_status(f->store, f->run, FL_RUN_FINISHED, &f->err));
}

static void levels_are_judged_worst_first(void **state)
{
    struct fixture *f = *state;
    struct fl_compare all;

    fill(f);
    const struct fl_compare_levels levels = {f->run, "workspace", "malloc", "pool"};
    fixture_ok(f, fl_compare_levels(f->store, &levels, &options, &all, &f->err));
    assert_true(all.paired);
    assert_string_equal(all.rows[0].cell, "n=200");
    assert_string_equal(all.rows[0].metric, "time");
    assert_string_equal(all.rows[0].base_key, "kernel=dgemm n=200 workspace=malloc malloc=glibc");
    assert_string_equal(all.rows[0].head_key, "kernel=dgemm n=200 workspace=pool malloc=glibc");
    assert_int_equal(all.rows[0].result.verdict, FL_VERDICT_REGRESSION);
    assert_int_equal(all.rows[0].result.pairs, 40);
    assert_int_equal(all.rows[0].result.judged.used, 32);
    assert_int_equal(all.planned, 2); /* two cells, too few to be judged together */
    assert_int_equal(row_of(&all, "n=100")->result.verdict, FL_VERDICT_PASS);
    assert_int_equal(row_of(&all, "n=300")->result.verdict, FL_VERDICT_NEW);
    assert_int_equal(row_of(&all, "400")->result.verdict, FL_VERDICT_MISSING);
    assert_int_equal(row_of(&all, "n=500")->result.verdict, FL_VERDICT_ERROR);
    for (size_t i = 0; i < all.count; i++)
        assert_null(strstr(all.rows[i].cell, "n=600"));
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fixture_ok(f, fl_compare_print(&all, 0, false, out, &f->err));
    fclose(out);
    assert_non_null(strstr(text, "workspace=pool against malloc"));
    assert_null(strchr(text, '\033'));
    free(text);
    fl_compare_release(&all);
}

static void runs_share_no_rounds(void **state)
{
    struct fixture *f = *state;
    struct fl_compare all;

    fill(f);
    int64_t base = f->run;
    fixture_begin(f);
    measure(f, "100", "malloc", 50);
    measure(f, "700", "malloc", 50);
    fixture_ok(f, fl_compare_runs(f->store, base, f->run, &options, &all, &f->err));
    assert_non_null(all.warning);
    const struct fl_comparison *same = &row_of(&all, "n=100 workspace=malloc")->result;
    assert_int_equal(same->verdict, FL_VERDICT_INCONCLUSIVE);
    assert_int_equal(same->pairs, 0);
    assert_true(same->effect > 399 && same->effect < 401);
    assert_int_equal(row_of(&all, "n=700")->result.verdict, FL_VERDICT_NEW);
    assert_int_equal(row_of(&all, "n=200")->result.verdict, FL_VERDICT_MISSING);
    assert_int_equal(all.verdicts[FL_VERDICT_REGRESSION], 0);
    fl_compare_release(&all);
}

/* Repetitions of other programs follow one another: nothing is near in time. */
static void rounds_of_imported_files_are_no_pairs(void **state)
{
    struct fixture *f = *state;
    struct fl_compare all;

    fill(f);
    fixture_query(f, "UPDATE run SET origin = 'gbench' RETURNING 1");
    const struct fl_compare_levels levels = {f->run, "workspace", "malloc", "pool"};
    fixture_ok(f, fl_compare_levels(f->store, &levels, &options, &all, &f->err));
    assert_false(all.paired);
    assert_non_null(all.warning);
    assert_int_equal(all.verdicts[FL_VERDICT_REGRESSION] + all.verdicts[FL_VERDICT_PASS], 0);
    assert_int_equal(row_of(&all, "n=200")->result.verdict, FL_VERDICT_INCONCLUSIVE);
    fl_compare_release(&all);
    fixture_query(f, "UPDATE run SET origin = 'faultline' RETURNING 1");
    fixture_ok(f, fl_compare_levels(f->store, &levels, &options, &all, &f->err));
    assert_int_equal(row_of(&all, "n=200")->result.verdict, FL_VERDICT_REGRESSION);
    fl_compare_release(&all);
}

/* Metrics that only the head has, and one that is only to be shown. */
static void metrics_of_one_side_are_rows(void **state)
{
    static const struct fl_metric locks = {
        "locks", "locks", "", "", FL_METRIC_EXACT, FL_LESS_IS_BETTER, FL_IN_COUNTING_SAMPLES,
        false};
    static const struct fl_metric clock = {
        "clock", "Hz", "", "", FL_METRIC_TIMED, FL_NOT_RANKED, FL_IN_EVERY_SAMPLE, true};
    struct fixture *f = *state;
    struct fl_compare all;
    int64_t ids[2];

    fill(f);
    int64_t base = f->run;
    fixture_begin(f);
    fixture_ok(f, fl_store_metric(f->store, &locks, &ids[0], &f->err));
    fixture_ok(f, fl_store_metric(f->store, &clock, &ids[1], &f->err));
    fixture_ok(f, fl_store_plan_metrics(f->store, f->run, ids, 2, &f->err));
    int64_t cell = measure(f, "100", "malloc", 10);
    for (int round = 0; round < 4; round++) {
        const struct fl_value values[] = {{.metric = ids[0], .total = 20},
                                          {.metric = ids[1], .total = 7}};
        const struct fl_sample sample = {.cell = cell,
                                         .mode = FL_SAMPLE_COUNTED,
                                         .round = round,
                                         .calls = 10,
                                         .values = values,
                                         .value_count = 2};
        fixture_ok(f, fixture_add(f, &sample));
    }
    const struct fl_compare_options only = {.metric = "locks"};
    fixture_ok(f, fl_compare_runs(f->store, base, f->run, &only, &all, &f->err));
    bool found = false;
    for (size_t i = 0; i < all.count; i++)
        if (!strcmp(all.rows[i].metric, "locks")) {
            found = true;
            assert_int_equal(all.rows[i].result.verdict, FL_VERDICT_NEW);
            assert_true(fabs(all.rows[i].result.head - 2) < 1e-9);
        }
    assert_true(found);
    fl_compare_release(&all);
    fixture_ok(f, fl_compare_runs(f->store, f->run, f->run, &options, &all, &f->err));
    assert_int_equal(all.shown_only, 1); /* the clock */
    assert_int_equal(all.verdicts[FL_VERDICT_REGRESSION], 0);
    fl_compare_release(&all);
}

static void allow_much(void *arg, const char *cell, const struct fl_metric *metric,
                       struct fl_verdict_rule *rule)
{
    assert_string_equal(arg, "limits");
    if (!strcmp(cell, "n=200") && !strcmp(metric->name, "time"))
        rule->tolerance = 300, rule->detect = 400;
}

static void cells_may_have_limits_of_their_own(void **state)
{
    struct fixture *f = *state;
    struct fl_compare all;
    struct fl_compare_options own = options;
    char arg[] = "limits";

    fill(f);
    own.limits = allow_much;
    own.limits_arg = arg;
    const struct fl_compare_levels levels = {f->run, "workspace", "malloc", "pool"};
    fixture_ok(f, fl_compare_levels(f->store, &levels, &own, &all, &f->err));
    assert_int_equal(row_of(&all, "n=200")->result.verdict, FL_VERDICT_PASS);
    assert_int_equal(row_of(&all, "n=200")->kind, FL_METRIC_TIMED);
    assert_int_equal(row_of(&all, "n=200")->better, FL_LESS_IS_BETTER);
    fl_compare_release(&all);
}

static void what_is_not_there_is_refused(void **state)
{
    struct fixture *f = *state;
    struct fl_compare all;

    fill(f);
    const struct fl_compare_levels levels = {f->run, "workspace", "malloc", "heap"};
    assert_int_equal(fl_compare_levels(f->store, &levels, &options, &all, &f->err), -EINVAL);
    assert_int_equal(all.count, 0);
    assert_int_equal(fl_compare_runs(f->store, f->run, 99, &options, &all, &f->err), -ENOENT);
    assert_int_equal(fl_compare_runs(f->store, 99, f->run, &options, &all, &f->err), -ENOENT);
}

#define STORED(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED(levels_are_judged_worst_first),      STORED(runs_share_no_rounds),
        STORED(metrics_of_one_side_are_rows),       STORED(rounds_of_imported_files_are_no_pairs),
        STORED(cells_may_have_limits_of_their_own), STORED(what_is_not_there_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
