/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registration: which runs a benchmark expands to, and what a wrong setter leads to.
 */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gbench-rows.h"

static struct rows rows;

/* What the function saw: its arguments, joined. */
static char seen[1024];

static void note_arguments(struct fl_state *state, void *arg)
{
    (void)arg;
    while (fl_state_next(state))
        ;
    if (fl_state_thread_index(state) != 0)
        return;
    size_t at = strlen(seen);
    for (size_t i = 0; i < fl_state_range_count(state); i++)
        at += (size_t)snprintf(seen + at, sizeof(seen) - at, "%s%lld", i ? "," : "",
                               (long long)fl_state_range(state, i));
    snprintf(seen + at, sizeof(seen) - at, " ");
}

static int set_up(void **state)
{
    (void)state;
    seen[0] = '\0';
    return fl_bench_clear();
}

/* A benchmark `b` that runs its body once per run. */
static struct fl_bench *add(void)
{
    struct fl_bench *bench = NULL;
    assert_int_equal(fl_bench_register("b", note_arguments, NULL, &bench), 0);
    assert_int_equal(fl_bench_iterations(bench, 1), 0);
    return bench;
}

static void assert_runs_with(const char *arguments)
{
    seen[0] = '\0';
    rows_run(&rows, NULL);
    assert_string_equal(seen, arguments);
}

static void without_arguments_it_runs_once(void **state)
{
    (void)state;
    add();
    assert_runs_with(" ");
    assert_string_equal(rows.row[0].run.name, "b/iterations:1");
    assert_string_equal(rows.row[0].run.function_name, "b");
}

static void every_argument_is_a_run(void **state)
{
    (void)state;
    struct fl_bench *bench = add();
    assert_int_equal(fl_bench_arg(bench, 8), 0);
    assert_int_equal(fl_bench_arg(bench, -3), 0);
    assert_int_equal(fl_bench_arg(bench, INT64_MAX), 0);
    assert_runs_with("8 -3 9223372036854775807 ");
    rows_get(&rows, "b/8/iterations:1");
    rows_get(&rows, "b/-3/iterations:1");
}

static void a_list_of_arguments_is_one_run(void **state)
{
    (void)state;
    struct fl_bench *bench = add();
    assert_int_equal(fl_bench_args(bench, (const int64_t[]){1, 2, 3}, 3), 0);
    assert_int_equal(fl_bench_args(bench, (const int64_t[]){4, 5, 6}, 3), 0);
    assert_runs_with("1,2,3 4,5,6 ");
}

static void a_range_runs_at_its_ends_and_the_powers_between(void **state)
{
    (void)state;
    assert_int_equal(fl_bench_range(add(), 1, 1000), 0);
    assert_runs_with("1 8 64 512 1000 ");
    set_up(NULL);
    struct fl_bench *bench = add();
    assert_int_equal(fl_bench_range_multiplier(bench, 2), 0);
    assert_int_equal(fl_bench_range(bench, 8, 64), 0);
    assert_runs_with("8 16 32 64 ");
    set_up(NULL);
    assert_int_equal(fl_bench_range(add(), 5, 5), 0);
    assert_runs_with("5 ");
}

static void several_ranges_run_as_their_product(void **state)
{
    (void)state;
    const struct fl_range ranges[] = {{1, 8}, {100, 100}, {7, 9}};
    assert_int_equal(fl_bench_ranges(add(), ranges, 3), 0);
    rows_run(&rows, NULL);
    assert_int_equal(rows.count, 2 * 1 * 3);
    rows_get(&rows, "b/1/100/7/iterations:1");
    rows_get(&rows, "b/8/100/8/iterations:1");
    rows_get(&rows, "b/8/100/9/iterations:1");
}

static void a_dense_range_runs_at_every_step(void **state)
{
    (void)state;
    assert_int_equal(fl_bench_dense_range(add(), -2, 2, 1), 0);
    assert_runs_with("-2 -1 0 1 2 ");
    set_up(NULL);
    assert_int_equal(fl_bench_dense_range(add(), 0, 10, 4), 0);
    assert_runs_with("0 4 8 ");
}

static void a_product_runs_at_every_combination(void **state)
{
    (void)state;
    const struct fl_list lists[] = {{(const int64_t[]){1, 2}, 2},
                                    {(const int64_t[]){30, 40, 50}, 3}};
    assert_int_equal(fl_bench_args_product(add(), lists, 2), 0);
    rows_run(&rows, NULL);
    assert_int_equal(rows.count, 6);
    for (int a = 1; a <= 2; a++)
        for (int b = 30; b <= 50; b += 10) {
            char name[64];
            snprintf(name, sizeof(name), "b/%d/%d/iterations:1", a, b);
            rows_get(&rows, name);
        }
}

static void names_of_arguments_are_shown(void **state)
{
    (void)state;
    struct fl_bench *bench = add();
    assert_int_equal(fl_bench_arg_names(bench, (const char *const[]){"m", "n"}, 2), 0);
    assert_int_equal(fl_bench_args(bench, (const int64_t[]){3, 4}, 2), 0);
    rows_run(&rows, NULL);
    rows_get(&rows, "b/m:3/n:4/iterations:1");
}

static void thread_counts_are_runs(void **state)
{
    (void)state;
    struct fl_bench *bench = add();
    assert_int_equal(fl_bench_threads(bench, 3), 0);
    rows_run(&rows, NULL);
    assert_int_equal(rows_get(&rows, "b/iterations:1/threads:3")->threads, 3);
    set_up(NULL);
    assert_int_equal(fl_bench_thread_range(add(), 1, 4), 0);
    rows_run(&rows, NULL);
    assert_int_equal(rows.count, 3);
    rows_get(&rows, "b/iterations:1/threads:2");
    set_up(NULL);
    assert_int_equal(fl_bench_dense_thread_range(add(), 1, 5, 3), 0);
    rows_run(&rows, NULL);
    assert_int_equal(rows.count, 3);
    rows_get(&rows, "b/iterations:1/threads:4");
    rows_get(&rows, "b/iterations:1/threads:5");
    set_up(NULL);
    assert_int_equal(fl_bench_thread_per_cpu(add()), 0);
    rows_run(&rows, NULL);
    assert_int_equal(rows.count, 1);
    assert_true(rows.row[0].run.threads >= 1);
}

static void clocks_show_in_the_name(void **state)
{
    (void)state;
    assert_int_equal(fl_bench_real_time(add()), 0);
    assert_int_equal(fl_bench_process_cpu_time(add()), 0);
    rows_run(&rows, NULL);
    rows_get(&rows, "b/iterations:1/real_time");
    rows_get(&rows, "b/iterations:1/process_time");
}

static void the_unit_is_reported_and_times_stay_in_ns(void **state)
{
    (void)state;
    const enum fl_unit units[] = {FL_NANOSECOND, FL_MICROSECOND, FL_MILLISECOND, FL_SECOND};
    for (size_t i = 0; i < 4; i++) {
        set_up(NULL);
        assert_int_equal(fl_bench_unit(add(), units[i]), 0);
        rows_run(&rows, NULL);
        const struct fl_run *run = &rows.row[0].run;
        const double ns = run->real_accumulated_s * 1e9;
        assert_int_equal(run->unit, units[i]);
        assert_true(run->real_ns > 0);
        assert_true(run->real_ns > ns * 0.999 && run->real_ns < ns * 1.001);
    }
}

static void registration_refuses_what_is_missing(void **state)
{
    (void)state;
    struct fl_bench *bench = NULL;
    assert_int_equal(fl_bench_register(NULL, note_arguments, NULL, &bench), -EINVAL);
    assert_int_equal(fl_bench_register("", note_arguments, NULL, &bench), -EINVAL);
    assert_int_equal(fl_bench_register("b", NULL, NULL, &bench), -EINVAL);
    assert_int_equal(fl_bench_register("b", note_arguments, NULL, NULL), -EINVAL);
    assert_null(bench);
    assert_int_equal(fl_bench_run(NULL, &(struct fl_reporter){0}, NULL), -ENOENT);
}

/* Every value that the library would abort on, or count for ever on. */
static void wrong_values_are_refused(void **state)
{
    (void)state;
    struct fl_bench *b = add();
    const int64_t one[] = {1};
    const char *const no_name[] = {NULL};
    assert_int_equal(fl_bench_args(b, NULL, 1), -EINVAL);
    assert_int_equal(fl_bench_args(b, one, 0), -EINVAL);
    assert_int_equal(fl_bench_range(b, 2, 1), -EINVAL);
    assert_int_equal(fl_bench_ranges(b, NULL, 1), -EINVAL);
    assert_int_equal(fl_bench_range_multiplier(b, 1), -EINVAL);
    assert_int_equal(fl_bench_dense_range(b, 2, 1, 1), -EINVAL);
    assert_int_equal(fl_bench_dense_range(b, 1, 2, 0), -EINVAL);
    assert_int_equal(fl_bench_dense_range(b, INT64_MAX - 1, INT64_MAX, 1), -EINVAL);
    assert_int_equal(fl_bench_dense_range(b, INT64_MIN, INT64_MAX - 1, 1), -E2BIG);
    assert_int_equal(fl_bench_args_product(b, &(struct fl_list){one, 0}, 1), -EINVAL);
    assert_int_equal(fl_bench_arg_names(b, NULL, 1), -EINVAL);
    assert_int_equal(fl_bench_arg_names(b, no_name, 1), -EINVAL);
    assert_int_equal(fl_bench_unit(b, (enum fl_unit)4), -EINVAL);
    assert_int_equal(fl_bench_iterations(b, 0), -EINVAL);
    assert_int_equal(fl_bench_min_time(b, 1), -EINVAL);
    assert_int_equal(fl_bench_min_warmup_time(b, 1), -EINVAL);
    assert_int_equal(fl_bench_repetitions(b, 0), -EINVAL);
    assert_int_equal(fl_bench_threads(b, 0), -EINVAL);
    assert_int_equal(fl_bench_thread_range(b, 2, 1), -EINVAL);
    assert_int_equal(fl_bench_dense_thread_range(b, 1, 2, 0), -EINVAL);
    assert_int_equal(fl_bench_dense_thread_range(b, 1, INT_MAX, 1), -EINVAL);
    assert_int_equal(fl_bench_complexity(b, FL_O_LAMBDA), -EINVAL);
    assert_int_equal(fl_bench_complexity_fn(b, NULL), -EINVAL);
}

static void setters_that_exclude_each_other_are_refused(void **state)
{
    (void)state;
    struct fl_bench *b = NULL;
    assert_int_equal(fl_bench_register("b", note_arguments, NULL, &b), 0);
    assert_int_equal(fl_bench_min_time(b, 0), -EINVAL);
    assert_int_equal(fl_bench_min_warmup_time(b, -1), -EINVAL);
    assert_int_equal(fl_bench_min_warmup_time(b, 0), 0);
    assert_int_equal(fl_bench_iterations(b, 1), -EINVAL);
    assert_int_equal(fl_bench_real_time(b), 0);
    assert_int_equal(fl_bench_manual_time(b), -EINVAL);
    assert_int_equal(fl_bench_arg(b, 1), 0);
    assert_int_equal(fl_bench_args(b, (const int64_t[]){1, 2}, 2), -EINVAL);
    assert_int_equal(fl_bench_arg_names(b, (const char *const[]){"m", "n"}, 2), -EINVAL);
    struct fl_bench *c = add();
    assert_int_equal(fl_bench_manual_time(c), 0);
    assert_int_equal(fl_bench_real_time(c), -EINVAL);
    assert_int_equal(fl_bench_arg_names(c, (const char *const[]){"m", "n"}, 2), 0);
    assert_int_equal(fl_bench_arg(c, 1), -EINVAL);
}

static void too_many_argument_lists_are_refused(void **state)
{
    (void)state;
    static int64_t many[1025];
    const struct fl_list lists[] = {{many, 1024}, {many, 1025}};
    assert_int_equal(fl_bench_args_product(add(), lists, 2), -E2BIG);
    const struct fl_range wide = {INT64_MIN + 1, INT64_MAX};
    const struct fl_range ranges[] = {wide, wide, wide, wide, wide, wide};
    assert_int_equal(fl_bench_ranges(add(), ranges, 6), -E2BIG);
}

static void a_benchmark_registered_wrongly_ends_as_an_error_that_says_why(void **state)
{
    (void)state;
    struct fl_bench *bench = add();
    assert_int_equal(fl_bench_threads(bench, -1), -EINVAL);
    assert_int_equal(fl_bench_repetitions(bench, -1), -EINVAL);
    rows_run(&rows, NULL);
    assert_int_equal(rows.count, 1);
    assert_int_equal(rows.row[0].run.status, FL_RUN_ERROR);
    assert_non_null(strstr(rows.row[0].run.message, "fl_bench_threads: wants 1 or more"));
    assert_string_equal(seen, "");
}

static void reads_too_far(struct fl_state *state, void *arg)
{
    int64_t *got = arg;
    *got = fl_state_range(state, 2);
    while (fl_state_next(state))
        *got = -1;
}

static void reading_an_argument_that_is_not_there_is_an_error_outcome(void **state)
{
    (void)state;
    int64_t got = -2;
    struct fl_bench *bench = NULL;
    assert_int_equal(fl_bench_register("b", reads_too_far, &got, &bench), 0);
    assert_int_equal(fl_bench_args(bench, (const int64_t[]){7, 8}, 2), 0);
    rows_run(&rows, NULL);
    assert_int_equal(rows.row[0].run.status, FL_RUN_ERROR);
    assert_non_null(strstr(rows.row[0].run.message, "fl_state_range"));
    assert_int_equal(got, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(without_arguments_it_runs_once, set_up),
        cmocka_unit_test_setup(every_argument_is_a_run, set_up),
        cmocka_unit_test_setup(a_list_of_arguments_is_one_run, set_up),
        cmocka_unit_test_setup(a_range_runs_at_its_ends_and_the_powers_between, set_up),
        cmocka_unit_test_setup(several_ranges_run_as_their_product, set_up),
        cmocka_unit_test_setup(a_dense_range_runs_at_every_step, set_up),
        cmocka_unit_test_setup(a_product_runs_at_every_combination, set_up),
        cmocka_unit_test_setup(names_of_arguments_are_shown, set_up),
        cmocka_unit_test_setup(thread_counts_are_runs, set_up),
        cmocka_unit_test_setup(clocks_show_in_the_name, set_up),
        cmocka_unit_test_setup(the_unit_is_reported_and_times_stay_in_ns, set_up),
        cmocka_unit_test_setup(registration_refuses_what_is_missing, set_up),
        cmocka_unit_test_setup(wrong_values_are_refused, set_up),
        cmocka_unit_test_setup(setters_that_exclude_each_other_are_refused, set_up),
        cmocka_unit_test_setup(too_many_argument_lists_are_refused, set_up),
        cmocka_unit_test_setup(a_benchmark_registered_wrongly_ends_as_an_error_that_says_why,
                               set_up),
        cmocka_unit_test_setup(reading_an_argument_that_is_not_there_is_an_error_outcome, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
