/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop: how many bodies run, on which threads, and what misuse of it leads to.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "gbench-rows.h"

#define FIXED 1234

struct tally {
    atomic_int_least64_t bodies;
    atomic_int_least64_t iterations; /* as the state counts them after the loop */
    atomic_int calls;
    atomic_int thread_bits; /* 1 << index of every thread seen */
    atomic_int threads;     /* summed over calls */
    atomic_int_least64_t wanted;
    int64_t stop_at;
    int results[4];
};

static struct rows rows;
static struct tally tally;

static int set_up(void **state)
{
    (void)state;
    memset(&tally, 0, sizeof(tally));
    return fl_bench_clear();
}

static struct fl_bench *add(const char *name, fl_bench_fn fn)
{
    struct fl_bench *bench = NULL;
    assert_int_equal(fl_bench_register(name, fn, &tally, &bench), 0);
    return bench;
}

static const struct fl_run *run_fixed(fl_bench_fn fn, int64_t iterations)
{
    assert_int_equal(fl_bench_iterations(add("b", fn), iterations), 0);
    rows_run(&rows, NULL);
    assert_int_equal(rows.count, 1);
    return &rows.row[0].run;
}

static void leave(struct fl_state *state, struct tally *t, int64_t bodies)
{
    t->calls++;
    t->bodies += bodies;
    t->iterations += fl_state_iterations(state);
    t->thread_bits |= 1 << fl_state_thread_index(state);
    t->threads += fl_state_threads(state);
    t->wanted += fl_state_max_iterations(state);
}

static void while_loop(struct fl_state *state, void *arg)
{
    int64_t bodies = 0;
    while (fl_state_next(state))
        bodies++;
    leave(state, arg, bodies);
}

static void macro_loop(struct fl_state *state, void *arg)
{
    int64_t bodies = 0;
    FL_FOR_EACH(state)
    bodies++;
    leave(state, arg, bodies);
}

static void own_loop(struct fl_state *state, void *arg)
{
    int64_t bodies = 0;
    for (int64_t n = fl_state_take(state); n > 0; n = fl_state_take(state))
        bodies += n;
    leave(state, arg, bodies);
}

static void assert_ran(const struct fl_run *run, int64_t bodies)
{
    assert_int_equal(run->status, FL_RUN_OK);
    assert_int_equal(run->kind, FL_RUN_ITERATION);
    assert_int_equal(run->iterations, bodies);
    assert_int_equal(tally.bodies, bodies);
    assert_int_equal(tally.iterations, bodies);
}

static void fixed_iterations_run_exactly_that_many_bodies_in_one_call(void **state)
{
    (void)state;
    const fl_bench_fn loops[] = {while_loop, macro_loop, own_loop};
    const int64_t counts[] = {1, 2, FIXED};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) {
            set_up(NULL);
            const struct fl_run *run = run_fixed(loops[i], counts[j]);
            assert_ran(run, counts[j]);
            assert_int_equal(tally.calls, 1);
            assert_true(run->real_ns > 0);
        }
}

static void hundreds(struct fl_state *state, void *arg)
{
    int64_t bodies = 0;
    while (fl_state_take_batch(state, 100))
        bodies += 100;
    leave(state, arg, bodies);
}

static void batches_overshoot_and_count_what_they_ran(void **state)
{
    (void)state;
    assert_ran(run_fixed(hundreds, 1000), 1000);
    set_up(NULL);
    assert_ran(run_fixed(hundreds, 1001), 1100);
}

static void empty_batch(struct fl_state *state, void *arg)
{
    (void)arg;
    while (fl_state_take_batch(state, 0))
        ;
}

static void an_empty_batch_is_an_error_outcome(void **state)
{
    (void)state;
    const struct fl_run *run = run_fixed(empty_batch, 10);
    assert_int_equal(run->status, FL_RUN_ERROR);
    assert_non_null(strstr(run->message, "fl_state_take_batch"));
}

static void without_fixed_iterations_the_last_call_is_the_one_reported(void **state)
{
    (void)state;
    assert_int_equal(fl_bench_min_time(add("b", while_loop), 0.002), 0);
    rows_run(&rows, NULL);
    assert_int_equal(rows.count, 1);
    assert_true(tally.calls > 1);
    assert_true(rows.row[0].run.iterations > 1000);
    assert_int_equal(tally.bodies, tally.iterations);
    assert_true(tally.bodies > rows.row[0].run.iterations);
}

static void warm_up_calls_come_on_top(void **state)
{
    (void)state;
    struct fl_bench *bench = add("b", while_loop);
    assert_int_equal(fl_bench_min_time(bench, 0.001), 0);
    assert_int_equal(fl_bench_min_warmup_time(bench, 0.002), 0);
    rows_run(&rows, NULL);
    assert_non_null(strstr(rows.row[0].run.name, "min_warmup_time:0.002"));
    assert_true(tally.calls > 2);
}

static void every_thread_runs_the_bodies(void **state)
{
    (void)state;
    const fl_bench_fn loops[] = {while_loop, macro_loop};
    for (size_t i = 0; i < 2; i++) {
        set_up(NULL);
        struct fl_bench *bench = add("b", loops[i]);
        assert_int_equal(fl_bench_threads(bench, 4), 0);
        assert_int_equal(fl_bench_iterations(bench, FIXED), 0);
        rows_run(&rows, NULL);
        const struct fl_run *run = rows_get(&rows, "b/iterations:1234/threads:4");
        assert_ran(run, INT64_C(4) * FIXED);
        assert_int_equal(run->threads, 4);
        assert_int_equal(tally.calls, 4);
        assert_int_equal(tally.thread_bits, 0xf);
        assert_int_equal(tally.threads, 4 * 4);
        assert_int_equal(tally.wanted, INT64_C(4) * FIXED);
    }
}

/* Time that this thread has run: a busy machine adds nothing to it. */
static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void spin(int64_t ns)
{
    for (const int64_t end = now_ns() + ns; now_ns() < end;)
        ;
}

static void paused_spin(struct fl_state *state, void *arg)
{
    struct tally *t = arg;
    t->results[0] = fl_state_pause(state);
    t->results[1] = fl_state_resume(state);
    while (fl_state_next(state)) {
        t->bodies += fl_state_pause(state) == 0;
        t->results[2] = fl_state_pause(state);
        spin(2000000);
        t->iterations += fl_state_resume(state) == 0;
        t->results[3] = fl_state_resume(state);
    }
}

static void paused_time_does_not_count(void **state)
{
    (void)state;
    const int64_t before = now_ns();
    const struct fl_run *run = run_fixed(paused_spin, 20);
    const double spent = (double)(now_ns() - before) / 20;
    assert_int_equal(tally.bodies, 20);
    assert_int_equal(tally.iterations, 20);
    assert_true(spent >= 2e6);
    assert_true(run->cpu_ns < spent / 2);
    for (int i = 0; i < 4; i++)
        assert_int_equal(tally.results[i], -EINVAL);
}

static void left_paused(struct fl_state *state, void *arg)
{
    int64_t bodies = 0;
    while (fl_state_next(state))
        bodies += fl_state_pause(state) == 0 || bodies > 0;
    leave(state, arg, bodies);
}

static void batches_left_paused(struct fl_state *state, void *arg)
{
    int64_t bodies = 0;
    while (fl_state_take_batch(state, 4)) {
        (void)fl_state_pause(state);
        bodies += 4;
    }
    leave(state, arg, bodies);
}

static void a_loop_left_paused_ends_as_usual(void **state)
{
    (void)state;
    assert_ran(run_fixed(left_paused, 10), 10);
    set_up(NULL);
    assert_ran(run_fixed(batches_left_paused, 10), 12);
}

static void breaks_off(struct fl_state *state, void *arg)
{
    struct tally *t = arg;
    while (fl_state_next(state))
        if (++t->bodies == t->stop_at)
            break;
}

static void breaks_off_macro(struct fl_state *state, void *arg)
{
    struct tally *t = arg;
    FL_FOR_EACH(state)
    if (++t->bodies == t->stop_at)
        break;
}

static void leaving_the_loop_early_is_an_error_outcome(void **state)
{
    (void)state;
    const fl_bench_fn loops[] = {breaks_off, breaks_off_macro};
    for (size_t i = 0; i < 2; i++) {
        set_up(NULL);
        tally.stop_at = 3;
        const struct fl_run *run = run_fixed(loops[i], 10);
        assert_int_equal(run->status, FL_RUN_ERROR);
        assert_non_null(strstr(run->message, "left its loop"));
        assert_int_equal(tally.bodies, 3);
    }
}

static void no_loop(struct fl_state *state, void *arg)
{
    struct tally *t = arg;
    t->calls++;
    t->iterations = fl_state_iterations(state);
}

static void a_function_without_a_loop_is_an_error_outcome(void **state)
{
    (void)state;
    const struct fl_run *run = run_fixed(no_loop, 10);
    assert_int_equal(run->status, FL_RUN_ERROR);
    assert_non_null(strstr(run->message, "no loop"));
    assert_int_equal(tally.calls, 1);
    assert_int_equal(tally.iterations, 0);
}

static void loops_twice(struct fl_state *state, void *arg)
{
    int64_t bodies = 0;
    while (fl_state_next(state))
        bodies++;
    while (fl_state_next(state))
        bodies++;
    FL_FOR_EACH(state)
    bodies++;
    leave(state, arg, bodies);
}

static void a_second_loop_has_no_iterations(void **state)
{
    (void)state;
    assert_ran(run_fixed(loops_twice, 10), 10);
}

static void manual(struct fl_state *state, void *arg)
{
    int64_t bodies = 0;
    while (fl_state_next(state)) {
        fl_state_set_iteration_time(state, 0.25);
        bodies++;
    }
    leave(state, arg, bodies);
}

static void manual_time_is_what_was_given(void **state)
{
    (void)state;
    struct fl_bench *bench = add("m", manual);
    assert_int_equal(fl_bench_manual_time(bench), 0);
    assert_int_equal(fl_bench_iterations(bench, 8), 0);
    rows_run(&rows, NULL);
    const struct fl_run *run = rows_get(&rows, "m/iterations:8/manual_time");
    assert_ran(run, 8);
    assert_true(fabs(run->real_ns - 0.25e9) < 1);
    assert_true(fabs(run->real_accumulated_s - 2.0) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(fixed_iterations_run_exactly_that_many_bodies_in_one_call, set_up),
        cmocka_unit_test_setup(batches_overshoot_and_count_what_they_ran, set_up),
        cmocka_unit_test_setup(an_empty_batch_is_an_error_outcome, set_up),
        cmocka_unit_test_setup(without_fixed_iterations_the_last_call_is_the_one_reported, set_up),
        cmocka_unit_test_setup(warm_up_calls_come_on_top, set_up),
        cmocka_unit_test_setup(every_thread_runs_the_bodies, set_up),
        cmocka_unit_test_setup(paused_time_does_not_count, set_up),
        cmocka_unit_test_setup(a_loop_left_paused_ends_as_usual, set_up),
        cmocka_unit_test_setup(leaving_the_loop_early_is_an_error_outcome, set_up),
        cmocka_unit_test_setup(a_function_without_a_loop_is_an_error_outcome, set_up),
        cmocka_unit_test_setup(a_second_loop_has_no_iterations, set_up),
        cmocka_unit_test_setup(manual_time_is_what_was_given, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
