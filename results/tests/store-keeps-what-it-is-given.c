/* SPDX-License-Identifier: Apache-2.0 */
/* What is written is read back: runs, plans, samples, values, facts, expectations. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "store-fixture.h"

static const char hostile[] = "'; DROP TABLE sample; --\"\\\x1b[31m\xff%s\n";

static int check_run(void *arg, const struct fl_run_record *run)
{
    struct fl_run_info want = fixture_info();

    assert_int_equal(run->id, ((struct fixture *)arg)->run);
    assert_int_equal(strlen(run->uuid), 36);
    assert_int_equal(run->status, FL_RUN_FINISHED);
    assert_true(run->finished_ns >= run->started_ns);
    assert_string_equal(run->info.fingerprint, want.fingerprint);
    assert_string_equal(run->info.host, want.host);
    assert_string_equal(run->info.label, want.label);
    assert_string_equal(run->info.scenario, want.scenario);
    assert_string_equal(run->info.title, want.title);
    assert_string_equal(run->info.scenario_text, want.scenario_text);
    assert_string_equal(run->info.command_line, want.command_line);
    assert_string_equal(run->info.version, want.version);
    assert_string_equal(run->info.build_flags, want.build_flags);
    assert_true(run->info.seed == want.seed);
    assert_int_equal(run->info.settle_ns, want.settle_ns);
    assert_int_equal(run->info.window_ns, want.window_ns);
    assert_int_equal(run->info.counted_calls, want.counted_calls);
    assert_int_equal(run->info.rounds, want.rounds);
    assert_int_equal(run->info.counted_rounds, want.counted_rounds);
    return 77;
}

static int check_first_fact(void *arg, const struct fl_fact *fact)
{
    const struct fl_fact *want = arg;

    assert_string_equal(fact->name, want->name);
    assert_string_equal(fact->value, want->value);
    return 77;
}

static void a_run_is_read_back(void **state)
{
    struct fixture *f = *state;
    struct fl_fact machine = {"page-size", "4096"}, environment = {"governor", "performance"};

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    fixture_ok(f, fl_store_set_status(f->store, f->run, FL_RUN_FINISHED, &f->err));
    fixture_close(f);
    fixture_open(f, FL_STORE_READ);
    assert_int_equal(fl_store_run(f->store, f->run, check_run, f, &f->err), 77);
    assert_int_equal(fl_store_runs(f->store, check_run, f, &f->err), 77);
    assert_int_equal(fl_store_machine_facts(f->store, f->run, check_first_fact, &machine, &f->err),
                     77);
    assert_int_equal(
        fl_store_environment(f->store, f->run, check_first_fact, &environment, &f->err), 77);
    assert_int_equal(fl_store_run(f->store, 99, check_run, f, &f->err), -ENOENT);
}

static int check_cell(void *arg, const struct fl_stored_cell *cell)
{
    int *seen = arg;

    if (*seen == 0) {
        assert_string_equal(cell->key, "kernel=dgemm n=192 workspace=malloc malloc=glibc");
        assert_null(cell->unavailable);
        assert_int_equal(cell->count, 5);
        assert_string_equal(cell->levels[2].factor, "isa");
        assert_string_equal(cell->levels[2].level, "auto");
        assert_true(cell->levels[2].implied);
        assert_false(cell->levels[3].implied);
    } else {
        assert_string_equal(cell->unavailable, "libjemalloc.so.2 not found");
    }
    ++*seen;
    return 0;
}

static void a_plan_keeps_its_order_and_its_reasons(void **state)
{
    struct fixture *f = *state;
    int seen = 0;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    int64_t first = fixture_cell(f, "192", "malloc", "glibc", NULL);
    fixture_cell(f, "144", "malloc", "jemalloc", "libjemalloc.so.2 not found");
    assert_int_equal(fixture_cell(f, "192", "malloc", "glibc", NULL), first);
    fixture_ok(f, fl_store_cells(f->store, f->run, check_cell, &seen, &f->err));
    assert_int_equal(seen, 2);
}

static void a_cell_keeps_its_levels(void **state)
{
    struct fixture *f = *state;
    const struct fl_stored_level old = {"isa", "auto", true}, other = {"isa", "avx2", true};
    struct fl_planned_cell cell = {"kernel=x", &old, 1, NULL};

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    fixture_ok(f, fl_store_plan(f->store, f->run, &cell, 1, NULL, &f->err));
    cell.levels = &other;
    assert_int_equal(fl_store_plan(f->store, f->run, &cell, 1, NULL, &f->err), -EEXIST);
    assert_non_null(strstr(f->err.text, "kernel=x"));
}

struct seen {
    struct fixture *f;
    int samples, values;
};

static int check_value(void *arg, const struct fl_value *value)
{
    struct seen *seen = arg;

    switch (seen->values++) {
    case 0:
        assert_int_equal(value->metric, seen->f->time);
        assert_int_equal(value->state, FL_READING_OK);
        assert_true(value->is_real);
        assert_true(value->real == 0.1 + 0.2); /* to the last bit */
        break;
    case 1:
        assert_int_equal(value->state, FL_READING_UNAVAILABLE);
        assert_string_equal(value->reason, "measured nan, which is not a finite number");
        break;
    default:
        assert_false(value->is_real);
        assert_true(value->total == INT64_MAX);
        assert_true(value->scale == 1.25);
    }
    return 0;
}

static int check_sample(void *arg, const struct fl_stored_sample *s)
{
    struct seen *seen = arg;

    seen->samples++;
    assert_int_equal(s->sample.mode, FL_SAMPLE_COUNTED);
    assert_int_equal(s->sample.round, 3);
    assert_true(s->sample.seed == UINT64_MAX - 3);
    assert_int_equal(s->sample.outcome, FL_OUTCOME_WRONG_RESULT);
    assert_string_equal(s->sample.reason, hostile);
    assert_int_equal(s->sample.calls, 200);
    assert_int_equal(s->sample.cpu, 1);
    assert_true(s->sample.load == 0.5);
    assert_int_equal(s->sample.steal_ns, 0);
    assert_int_equal(s->sample.fact_count, 1);
    assert_string_equal(s->sample.facts[0].name, "library");
    assert_string_equal(s->sample.facts[0].value, hostile);
    fixture_ok(seen->f, fl_store_values(seen->f->store, s->id, check_value, seen, &seen->f->err));
    return 0;
}

static void a_sample_is_read_back_to_the_last_bit(void **state)
{
    struct fixture *f = *state;
    struct seen seen = {.f = f};
    const struct fl_fact facts[] = {{"library", hostile}};

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    const struct fl_value values[] = {
        {.metric = f->faults, .total = INT64_MAX, .scale = 1.25},
        {.metric = f->gflops, .is_real = true, .real = (double)NAN},
        {.metric = f->time, .is_real = true, .real = 0.1 + 0.2},
    };
    struct fl_sample sample = {.cell = fixture_cell(f, "192", hostile, "glibc", NULL),
                               .mode = FL_SAMPLE_COUNTED,
                               .round = 3,
                               .outcome = FL_OUTCOME_WRONG_RESULT,
                               .reason = hostile,
                               .calls = 200,
                               .facts = facts,
                               .fact_count = 1,
                               .values = values,
                               .value_count = 3};
    fixture_ok(f, fixture_add(f, &sample));
    assert_int_equal(fixture_add(f, &sample), -EEXIST);
    sample.cell = 99;
    assert_int_equal(fixture_add(f, &sample), -ENOENT);
    fixture_ok(f, fl_store_samples(f->store, f->run, check_sample, &seen, &f->err));
    assert_int_equal(seen.samples, 1);
    assert_int_equal(seen.values, 3);
}

static void a_refused_sample_leaves_nothing_behind(void **state)
{
    struct fixture *f = *state;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    int64_t cell = fixture_cell(f, "192", "malloc", "glibc", NULL);
    const struct fl_value values[] = {{.metric = f->time, .total = 1}, {.metric = 4242}};
    struct fl_sample sample = {.cell = cell, .calls = 1, .values = values, .value_count = 2};
    assert_int_equal(fixture_add(f, &sample), -ENOENT);
    fixture_timed(f, cell, 0, 10, 5);
    assert_int_equal(fixture_query(f, "SELECT count(*) FROM sample"), 1);
    assert_int_equal(fixture_query(f, "SELECT count(*) FROM value"), 2);
}

static void repeated_facts_and_reasons_are_stored_once(void **state)
{
    struct fixture *f = *state;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    int64_t cell = fixture_cell(f, "192", "malloc", "glibc", NULL);
    for (int round = 0; round < 20; round++) {
        const struct fl_value values[] = {
            {.metric = f->time, .state = FL_READING_NOT_OBSERVABLE, .reason = "no symbol"}};
        struct fl_sample sample = {
            .cell = cell, .round = round, .calls = 1, .values = values, .value_count = 1};
        fixture_ok(f, fixture_add(f, &sample));
    }
    assert_int_equal(fixture_query(f, "SELECT count(*) FROM fact"), 2);
    assert_int_equal(fixture_query(f, "SELECT count(*) FROM fact_set"), 1);
    assert_int_equal(fixture_query(f, "SELECT count(*) FROM reason"), 1);
    assert_int_equal(fixture_query(f, "SELECT count(*) FROM v_fact WHERE name = 'isa'"), 20);
}

static void a_metric_keeps_its_unit(void **state)
{
    struct fixture *f = *state;
    struct fl_metric metric = {
        "time", "s", "other", "other", FL_METRIC_TIMED, FL_LESS_IS_BETTER, FL_IN_EVERY_SAMPLE,
        false};
    int64_t id = 0;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    assert_int_equal(fl_store_metric(f->store, &metric, &id, &f->err), -EEXIST);
    metric.unit = "ns";
    fixture_ok(f, fl_store_metric(f->store, &metric, &id, &f->err));
    assert_int_equal(id, f->time);
}

static void a_run_is_found_by_each_of_its_names(void **state)
{
    struct fixture *f = *state;
    int64_t run = 0;

    fixture_open(f, FL_STORE_CREATE);
    assert_int_equal(fl_store_find_run(f->store, "latest", &run, &f->err), -ENOENT);
    fixture_begin(f);
    fixture_ok(f, fl_store_find_unfinished(f->store, "packing-faults", &run, &f->err));
    assert_int_equal(run, f->run);
    fixture_ok(f, fl_store_set_status(f->store, f->run, FL_RUN_FAILED, &f->err));
    fixture_ok(f, fl_store_find_unfinished(f->store, "packing-faults", &run, &f->err));
    fixture_ok(f, fl_store_set_status(f->store, f->run, FL_RUN_FINISHED, &f->err));
    assert_int_equal(fl_store_find_unfinished(f->store, "packing-faults", &run, &f->err), -ENOENT);
    int64_t first = f->run;
    fixture_begin(f);
    fixture_ok(f, fl_store_find_run(f->store, "latest", &run, &f->err));
    assert_int_equal(run, f->run);
    fixture_ok(f, fl_store_find_run(f->store, "first", &run, &f->err));
    assert_int_equal(run, f->run);
    fixture_ok(f, fl_store_find_run(f->store, "1", &run, &f->err));
    assert_int_equal(run, first);
    assert_int_equal(fl_store_find_run(f->store, hostile, &run, &f->err), -ENOENT);
    assert_int_equal(fl_store_set_status(f->store, 99, FL_RUN_FAILED, &f->err), -ENOENT);
}

static int check_expectation(void *arg, const struct fl_expectation *row, const char *key)
{
    int *seen = arg;

    if ((*seen)++ == 0) {
        assert_string_equal(row->rule, "n=192 : minor-faults = 112");
        assert_string_equal(row->measured, "112");
        assert_string_equal(row->metric, "minor-faults");
        assert_null(row->host);
        assert_int_equal(row->held, 1);
        assert_string_equal(key, "kernel=dgemm n=192 workspace=malloc malloc=glibc");
    } else {
        assert_null(row->measured);
        assert_string_equal(row->host, "a host");
        assert_int_equal(row->held, -1);
        assert_null(key);
    }
    return 0;
}

static void expectations_are_replaced(void **state)
{
    struct fixture *f = *state;
    int seen = 0;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    int64_t cell = fixture_cell(f, "192", "malloc", "glibc", NULL);
    const struct fl_expectation rows[] = {
        {"n=192 : minor-faults = 112", "minor-faults", NULL, cell, "112", "112", 1},
        {"n=7 : gflops = 3", "gflops", "a host", 0, "3", NULL, -1},
    };
    fixture_ok(f, fl_store_set_expectations(f->store, f->run, rows, 2, &f->err));
    fixture_ok(f, fl_store_set_expectations(f->store, f->run, rows, 2, &f->err));
    fixture_ok(f, fl_store_expectations(f->store, f->run, check_expectation, &seen, &f->err));
    assert_int_equal(seen, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_run_is_read_back),
        TEST(a_plan_keeps_its_order_and_its_reasons),
        TEST(a_cell_keeps_its_levels),
        TEST(a_sample_is_read_back_to_the_last_bit),
        TEST(a_refused_sample_leaves_nothing_behind),
        TEST(repeated_facts_and_reasons_are_stored_once),
        TEST(a_metric_keeps_its_unit),
        TEST(a_run_is_found_by_each_of_its_names),
        TEST(expectations_are_replaced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
