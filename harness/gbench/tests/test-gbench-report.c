/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run reports: counters, labels, skips, aggregates, complexity.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gbench-rows.h"

static struct rows rows;

static int set_up(void **state)
{
    (void)state;
    return fl_bench_clear();
}

static struct fl_bench *add(fl_bench_fn fn, void *arg, int64_t iterations)
{
    struct fl_bench *bench = NULL;
    assert_int_equal(fl_bench_register("b", fn, arg, &bench), 0);
    assert_int_equal(fl_bench_iterations(bench, iterations), 0);
    return bench;
}

static void assert_close(double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-9 * fabs(wanted)))
        fail_msg("%.17g is not %.17g", got, wanted);
}

/* Manual time of 1/8 s an iteration: the seconds of a run are exact. */
#define SECONDS_EACH 0.125
#define ITERATIONS   16
#define SECONDS      (SECONDS_EACH * ITERATIONS)

static void timed_by_hand(struct fl_state *state)
{
    while (fl_state_next(state))
        fl_state_set_iteration_time(state, SECONDS_EACH);
}

struct counter {
    double value;
    unsigned flags;
    enum fl_counter_k k;
};

static void sets_counter(struct fl_state *state, void *arg)
{
    const struct counter *c = arg;
    timed_by_hand(state);
    assert_int_equal(fl_state_counter(state, "c", c->value, c->flags, c->k), 0);
}

static double counted(double value, unsigned flags, int threads)
{
    struct counter counter = {value, flags, FL_K_1024};
    set_up(NULL);
    struct fl_bench *bench = add(sets_counter, &counter, ITERATIONS);
    fl_bench_manual_time(bench);
    fl_bench_threads(bench, threads);
    rows_run(&rows, NULL);
    const struct fl_run *run = &rows.row[0].run;
    assert_int_equal(run->status, FL_RUN_OK);
    assert_int_equal(run->counter_count, 1);
    assert_int_equal(run->counters[0].flags, flags);
    assert_int_equal(run->counters[0].k, FL_K_1024);
    return row_counter(run, "c");
}

static void every_counter_flag_gives_its_documented_value(void **state)
{
    (void)state;
    const unsigned rate = FL_COUNTER_RATE, threads = FL_COUNTER_AVG_THREADS;
    const unsigned each = FL_COUNTER_PER_ITERATION, average = FL_COUNTER_AVG_ITERATIONS;
    assert_close(counted(6, FL_COUNTER_PLAIN, 1), 6);
    assert_close(counted(6, FL_COUNTER_PLAIN, 3), 18);
    assert_close(counted(6, rate, 1), 6 / SECONDS);
    assert_close(counted(6, threads, 3), 6);
    assert_close(counted(6, rate | threads, 1), 6 / SECONDS);
    assert_close(counted(6, each, 1), 6 * ITERATIONS);
    assert_close(counted(6, rate | each, 1), 6 / SECONDS_EACH);
    assert_close(counted(6, average, 1), 6.0 / ITERATIONS);
    assert_close(counted(6, rate | average, 1), 6.0 / ITERATIONS / SECONDS);
    assert_close(counted(6, FL_COUNTER_INVERT, 1), 1.0 / 6);
    assert_close(counted(6, rate | FL_COUNTER_INVERT, 1), SECONDS / 6);
    assert_close(counted(6, each | FL_COUNTER_INVERT, 1), 1.0 / (6 * ITERATIONS));
}

static void wrong_counter(struct fl_state *state, void *arg)
{
    int *results = arg;
    while (fl_state_next(state))
        ;
    results[0] = fl_state_counter(state, NULL, 1, 0, FL_K_1000);
    results[1] = fl_state_counter(state, "", 1, 0, FL_K_1000);
    results[2] = fl_state_counter(state, "c", 1, 1 << 5, FL_K_1000);
    results[3] = fl_state_counter(state, "c", 1, 0, (enum fl_counter_k)1001);
}

static void wrong_counters_are_refused(void **state)
{
    (void)state;
    int results[4] = {0};
    add(wrong_counter, results, 1);
    rows_run(&rows, NULL);
    for (int i = 0; i < 4; i++)
        assert_int_equal(results[i], -EINVAL);
    assert_int_equal(rows.row[0].run.counter_count, 0);
}

static void processes(struct fl_state *state, void *arg)
{
    (void)arg;
    timed_by_hand(state);
    assert_int_equal(fl_state_set_bytes_processed(state, 4096), 0);
    assert_int_equal(fl_state_set_items_processed(state, 100), 0);
    assert_int_equal(fl_state_counter(state, "a", 1, 0, FL_K_1000), 0);
}

static void bytes_and_items_are_rates_sorted_among_the_counters(void **state)
{
    (void)state;
    fl_bench_manual_time(add(processes, NULL, ITERATIONS));
    rows_run(&rows, NULL);
    const struct fl_run *run = &rows.row[0].run;
    assert_int_equal(run->counter_count, 3);
    assert_string_equal(run->counters[0].name, "a");
    assert_string_equal(run->counters[1].name, "bytes_per_second");
    assert_string_equal(run->counters[2].name, "items_per_second");
    assert_close(run->counters[1].value, 4096 / SECONDS);
    assert_int_equal(run->counters[1].k, FL_K_1024);
    assert_close(run->counters[2].value, 100 / SECONDS);
    assert_int_equal(run->counters[2].k, FL_K_1000);
    assert_int_equal(run->counters[2].flags, FL_COUNTER_RATE);
}

static void labelled(struct fl_state *state, void *arg)
{
    char label[] = "to be replaced";
    while (fl_state_next(state))
        ;
    assert_int_equal(fl_state_set_label(state, label), 0);
    assert_int_equal(fl_state_set_label(state, arg), 0);
    memset(label, 'x', sizeof(label) - 1);
}

static void the_last_label_is_reported(void **state)
{
    (void)state;
    char label[] = "100 % \"quoted\"";
    add(labelled, label, 1);
    rows_run(&rows, NULL);
    assert_string_equal(rows.row[0].run.label, label);
    assert_string_equal(rows.row[0].run.message, "");
}

struct skip {
    const char *message;
    int64_t after; /* bodies before the skip; 0: before the loop */
    atomic_int_least64_t bodies;
    int64_t iterations;
    int result;
    bool skipped;
    bool is_message;
};

static void do_skip(struct fl_state *state, struct skip *s)
{
    s->result = s->is_message ? fl_state_skip_with_message(state, s->message)
                              : fl_state_skip_with_error(state, s->message);
}

static void skips(struct fl_state *state, void *arg)
{
    struct skip *s = arg;
    assert_false(fl_state_skipped(state));
    if (s->after == 0)
        do_skip(state, s);
    while (fl_state_next(state))
        if (++s->bodies == s->after)
            do_skip(state, s);
    s->iterations = fl_state_iterations(state);
    s->skipped = fl_state_skipped(state);
}

static void a_skip_is_an_error_status_with_its_message(void **state)
{
    (void)state;
    for (int64_t after = 0; after <= 10; after += 5) {
        struct skip skip = {.message = "no such file", .after = after};
        set_up(NULL);
        add(skips, &skip, 10);
        rows_run(&rows, NULL);
        assert_int_equal(rows.count, 1);
        assert_int_equal(rows.row[0].run.status, FL_RUN_ERROR);
        assert_string_equal(rows.row[0].run.message, "no such file");
        assert_int_equal(skip.result, 0);
        assert_true(skip.skipped);
        assert_int_equal(skip.bodies, after);
        assert_int_equal(skip.iterations, after);
    }
}

static void a_skip_without_a_text_is_still_an_error(void **state)
{
    (void)state;
    struct skip skip = {.message = NULL};
    add(skips, &skip, 10);
    rows_run(&rows, NULL);
    assert_int_equal(rows.row[0].run.status, FL_RUN_ERROR);
    assert_string_equal(rows.row[0].run.message, "");
}

static void skips_and_returns(struct fl_state *state, void *arg)
{
    struct skip *s = arg;
    if (fl_state_thread_index(state) == 1) {
        do_skip(state, s);
        return;
    }
    while (fl_state_next(state))
        s->bodies++;
}

static void one_thread_may_skip_while_the_others_run(void **state)
{
    (void)state;
    struct skip skip = {.message = "one of three"};
    fl_bench_threads(add(skips_and_returns, &skip, 10), 3);
    rows_run(&rows, NULL);
    assert_int_equal(rows.row[0].run.status, FL_RUN_ERROR);
    assert_string_equal(rows.row[0].run.message, "one of three");
    assert_int_equal(skip.bodies, 20);
}

static void a_skip_with_a_message_is_no_error_or_not_supported(void **state)
{
    (void)state;
    struct skip skip = {.message = "not on Sundays", .after = 3, .is_message = true};
    add(skips, &skip, 10);
    rows_run(&rows, NULL);
    const struct fl_run *run = &rows.row[0].run;
    if (skip.result == -ENOTSUP) {
        assert_int_equal(run->status, FL_RUN_OK);
        assert_int_equal(skip.bodies, 10);
        assert_false(skip.skipped);
        return;
    }
    assert_int_equal(skip.result, 0);
    assert_int_equal(run->status, FL_RUN_SKIPPED);
    assert_string_equal(run->message, "not on Sundays");
    assert_int_equal(skip.bodies, 3);
}

static void steps(struct fl_state *state, void *arg)
{
    double *seconds = arg;
    while (fl_state_next(state))
        fl_state_set_iteration_time(state, *seconds);
    *seconds += 1;
}

static void repetitions_are_followed_by_their_aggregates(void **state)
{
    (void)state;
    double seconds = 1; /* 1, 2, 3 in the three repetitions */
    struct fl_bench *bench = add(steps, &seconds, 2);
    fl_bench_manual_time(bench);
    fl_bench_repetitions(bench, 3);
    rows_run(&rows, NULL);
    assert_int_equal(rows.count, 3 + 4);
    for (int i = 0; i < 3; i++) {
        const struct fl_run *run = &rows.row[i].run;
        assert_int_equal(run->kind, FL_RUN_ITERATION);
        assert_int_equal(run->repetition_index, i);
        assert_int_equal(run->repetitions, 3);
        assert_close(run->real_ns, (i + 1) * 1e9);
        assert_true(isnan(run->real_share));
    }
    const char *const base = "b/iterations:2/repeats:3/manual_time";
    const struct fl_run *mean = rows_get(&rows, "b/iterations:2/repeats:3/manual_time_mean");
    const struct fl_run *stddev = rows_get(&rows, "b/iterations:2/repeats:3/manual_time_stddev");
    const struct fl_run *cv = rows_get(&rows, "b/iterations:2/repeats:3/manual_time_cv");
    assert_int_equal(mean->kind, FL_RUN_AGGREGATE);
    assert_string_equal(mean->run_name, base);
    assert_string_equal(mean->aggregate_name, "mean");
    assert_int_equal(mean->repetition_index, -1);
    assert_close(mean->real_ns, 2e9);
    assert_close(stddev->real_ns, 1e9);
    assert_close(cv->real_share, 0.5);
    assert_true(isnan(cv->real_ns));
}

static void aggregates_only_leaves_the_repetitions_out(void **state)
{
    (void)state;
    double seconds = 1;
    struct fl_bench *bench = add(steps, &seconds, 2);
    fl_bench_manual_time(bench);
    fl_bench_repetitions(bench, 3);
    fl_bench_report_aggregates_only(bench, true);
    rows_run(&rows, NULL);
    assert_int_equal(rows.count, 4);
    fl_bench_report_aggregates_only(bench, false);
    rows_run(&rows, NULL);
    assert_int_equal(rows.count, 7);
    fl_bench_display_aggregates_only(bench, true);
    rows_run(&rows, NULL);
    assert_int_equal(rows.count, 4);
}

static void linear(struct fl_state *state, void *arg)
{
    (void)arg;
    const int64_t n = fl_state_range(state, 0);
    while (fl_state_next(state))
        fl_state_set_iteration_time(state, 3e-6 * (double)n);
    fl_state_set_complexity_n(state, n);
}

static struct fl_bench *add_linear(void)
{
    struct fl_bench *bench = add(linear, NULL, 1);
    fl_bench_manual_time(bench);
    fl_bench_range(bench, 8, 4096);
    return bench;
}

static void assert_fit(const char *rms_name, const char *fit_name, enum fl_big_o order)
{
    rows_run(&rows, NULL);
    const struct fl_run *fit = rows_get(&rows, fit_name);
    const struct fl_run *rms = rows_get(&rows, rms_name);
    assert_int_equal(fit->kind, FL_RUN_COMPLEXITY);
    assert_int_equal(fit->complexity, order);
    assert_close(fit->real_ns, 3000);
    assert_int_equal(rms->kind, FL_RUN_RMS);
    assert_true(fabs(rms->real_share) < 1e-9);
    assert_true(isnan(rms->real_ns));
    assert_int_equal(rows.row[0].run.complexity_n, 8);
}

static void a_linear_benchmark_fits_a_linear_order_exactly(void **state)
{
    (void)state;
    fl_bench_complexity(add_linear(), FL_O_N);
    assert_fit("b/iterations:1/manual_time_RMS", "b/iterations:1/manual_time_BigO", FL_O_N);
}

static void a_linear_benchmark_fits_no_other_order(void **state)
{
    (void)state;
    const enum fl_big_o others[] = {FL_O_1, FL_O_N_SQUARED, FL_O_N_CUBED, FL_O_LOG_N, FL_O_N_LOG_N};
    for (size_t i = 0; i < 5; i++) {
        set_up(NULL);
        fl_bench_complexity(add_linear(), others[i]);
        rows_run(&rows, NULL);
        const struct fl_run *fit = rows_get(&rows, "b/iterations:1/manual_time_BigO");
        assert_int_equal(fit->complexity, others[i]);
        assert_true(rows_get(&rows, "b/iterations:1/manual_time_RMS")->real_share > 0.01);
    }
    set_up(NULL);
    fl_bench_complexity(add_linear(), FL_O_NONE);
    rows_run(&rows, NULL);
    assert_int_equal(rows.count, 4); /* 8, 64, 512, 4096 and no fit */
}

static double identity(int64_t n)
{
    return (double)n;
}

static void a_function_of_ones_own_is_fitted(void **state)
{
    (void)state;
    fl_bench_complexity_fn(add_linear(), identity);
    assert_fit("b/iterations:1/manual_time_RMS", "b/iterations:1/manual_time_BigO", FL_O_LAMBDA);
}

static void an_automatic_order_ends_as_one_of_the_orders(void **state)
{
    (void)state;
    fl_bench_complexity(add_linear(), FL_O_AUTO);
    rows_run(&rows, NULL);
    const struct fl_run *fit = rows_get(&rows, "b/iterations:1/manual_time_BigO");
    assert_in_range(fit->complexity, FL_O_1, FL_O_N_LOG_N);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_counter_flag_gives_its_documented_value, set_up),
        cmocka_unit_test_setup(wrong_counters_are_refused, set_up),
        cmocka_unit_test_setup(bytes_and_items_are_rates_sorted_among_the_counters, set_up),
        cmocka_unit_test_setup(the_last_label_is_reported, set_up),
        cmocka_unit_test_setup(a_skip_is_an_error_status_with_its_message, set_up),
        cmocka_unit_test_setup(a_skip_without_a_text_is_still_an_error, set_up),
        cmocka_unit_test_setup(one_thread_may_skip_while_the_others_run, set_up),
        cmocka_unit_test_setup(a_skip_with_a_message_is_no_error_or_not_supported, set_up),
        cmocka_unit_test_setup(repetitions_are_followed_by_their_aggregates, set_up),
        cmocka_unit_test_setup(aggregates_only_leaves_the_repetitions_out, set_up),
        cmocka_unit_test_setup(a_linear_benchmark_fits_a_linear_order_exactly, set_up),
        cmocka_unit_test_setup(a_linear_benchmark_fits_no_other_order, set_up),
        cmocka_unit_test_setup(a_function_of_ones_own_is_fitted, set_up),
        cmocka_unit_test_setup(an_automatic_order_ends_as_one_of_the_orders, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
