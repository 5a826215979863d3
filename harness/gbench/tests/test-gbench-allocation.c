/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the entry of the function to the end of its loop nothing is allocated; elsewhere, memory
 * that runs out is an error code.
 *
 * The malloc family is replaced by counting wrappers of glibc's, which see the calls of Google
 * Benchmark and of the C++ runtime too. Sanitizers bring a malloc of their own: skipped there.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gbench-rows.h"

#ifdef FL_SANITIZED

int main(void)
{
    fprintf(stderr, "skipped: a sanitizer replaces malloc\n");
    return 77;
}

#else

#define EXPORTED __attribute__((visibility("default")))

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);
void __libc_free(void *memory);

/* Interposer: wrappers have nowhere else to count. Per thread, so that others do not matter. */
static _Thread_local int64_t calls;

/* The how-manieth malloc from now on fails, once; 0: none. */
static _Thread_local int64_t failing;

EXPORTED void *malloc(size_t size)
{
    calls++;
    if (failing > 0 && --failing == 0)
        return NULL;
    return __libc_malloc(size);
}

EXPORTED void *calloc(size_t nmemb, size_t size)
{
    calls++;
    return __libc_calloc(nmemb, size);
}

EXPORTED void *realloc(void *ptr, size_t size)
{
    calls++;
    return __libc_realloc(ptr, size);
}

EXPORTED void *aligned_alloc(size_t alignment, size_t size)
{
    calls++;
    return __libc_memalign(alignment, size);
}

EXPORTED void free(void *ptr)
{
    calls += ptr != NULL;
    __libc_free(ptr);
}

struct window {
    atomic_int_least64_t calls; /* of the malloc family, in the window, all threads */
    atomic_int runs;
};

static struct rows rows;
static struct window window;

static void while_loop(struct fl_state *state, void *arg)
{
    struct window *w = arg;
    const int64_t before = calls;
    while (fl_state_next(state)) {
        (void)fl_state_pause(state);
        (void)fl_state_resume(state);
        fl_state_set_iteration_time(state, 1e-6);
    }
    w->calls += calls - before;
    w->runs++;
}

static void macro_loop(struct fl_state *state, void *arg)
{
    struct window *w = arg;
    const int64_t before = calls;
    FL_FOR_EACH(state)
    FL_CLOBBER_MEMORY();
    w->calls += calls - before;
    w->runs++;
}

static void allocates(struct fl_state *state, void *arg)
{
    struct window *w = arg;
    const int64_t before = calls;
    while (fl_state_next(state)) {
        void *memory = malloc(64);
        FL_HIDE_VALUE(memory);
        free(memory);
    }
    w->calls += calls - before;
    (void)fl_state_counter(state, "a counter of the run", 1, 0, FL_K_1000);
    w->runs += calls - before > w->calls;
}

static void run(fl_bench_fn fn, int threads)
{
    struct fl_bench *bench = NULL;
    window = (struct window){0};
    assert_int_equal(fl_bench_clear(), 0);
    assert_int_equal(fl_bench_register("b", fn, &window, &bench), 0);
    fl_bench_iterations(bench, 1000);
    fl_bench_threads(bench, threads);
    rows_run(&rows, NULL);
    assert_int_equal(rows.row[0].run.status, FL_RUN_OK);
}

static void the_count_sees_allocations(void **state)
{
    (void)state;
    run(allocates, 1);
    assert_int_equal(window.calls, 2000);
    assert_int_equal(window.runs, 1);
}

static void the_window_allocates_nothing(void **state)
{
    (void)state;
    const fl_bench_fn loops[] = {while_loop, macro_loop};
    for (size_t i = 0; i < 2; i++)
        for (int threads = 1; threads <= 3; threads++) {
            run(loops[i], threads);
            assert_int_equal(window.runs, threads);
            assert_int_equal(window.calls, 0);
        }
}

static void idle(struct fl_state *state, void *arg)
{
    (void)arg;
    while (fl_state_next(state))
        ;
}

static int register_one(void)
{
    struct fl_bench *bench = NULL;
    return fl_bench_register("a name too long to be kept in place", idle, NULL, &bench);
}

static int name_arguments(void)
{
    static const char *const names[] = {"a name too long to be kept in place", "n"};
    struct fl_bench *bench = NULL;
    const int64_t spared = failing;
    failing = 0;
    assert_int_equal(fl_bench_register("b", idle, NULL, &bench), 0);
    failing = spared;
    return fl_bench_arg_names(bench, names, 2);
}

static int give_arguments(void)
{
    static const int64_t values[] = {1, 2, 3};
    const struct fl_list lists[] = {{values, 3}, {values, 3}};
    struct fl_bench *bench = NULL;
    const int64_t spared = failing;
    failing = 0;
    assert_int_equal(fl_bench_register("b", idle, NULL, &bench), 0);
    failing = spared;
    return fl_bench_args_product(bench, lists, 2);
}

static int add_context(void)
{
    return fl_bench_add_context("a key too long to be kept in place", "a value as long as the key");
}

/* Lets the first, second, ... malloc of a call fail, until the call needs no more. */
static int64_t fail_each_malloc(int (*call)(void))
{
    for (int64_t nth = 1;; nth++) {
        assert_int_equal(fl_bench_clear(), 0);
        failing = nth;
        const int rc = call();
        const bool was_hit = failing == 0;
        failing = 0;
        assert_int_equal(rc, was_hit ? -ENOMEM : 0);
        if (!was_hit)
            return nth - 1;
    }
}

static void memory_that_runs_out_while_registering_is_an_error_code(void **state)
{
    (void)state;
    assert_true(fail_each_malloc(register_one) >= 3);
    assert_true(fail_each_malloc(name_arguments) >= 2);
    assert_true(fail_each_malloc(give_arguments) >= 3);
    assert_true(fail_each_malloc(add_context) >= 2);
}

static void a_setter_without_memory_marks_its_benchmark(void **state)
{
    (void)state;
    assert_int_equal(fl_bench_clear(), 0);
    failing = 1;
    assert_int_equal(name_arguments(), -ENOMEM);
    assert_int_equal(failing, 0);
    rows_run(&rows, NULL);
    assert_int_equal(rows.row[0].run.status, FL_RUN_ERROR);
    assert_non_null(strstr(rows.row[0].run.message, "out of memory in fl_bench_arg_names"));
}

#define LONG_NAME "a name too long to be kept in place"

struct results {
    int label, counter, bytes, items, label_after;
};

static void runs_out(struct fl_state *state, void *arg)
{
    struct results *r = arg;
    while (fl_state_next(state))
        ;
    failing = 1;
    r->label = fl_state_set_label(state, LONG_NAME);
    failing = 1;
    r->counter = fl_state_counter(state, LONG_NAME, 1, 0, FL_K_1000);
    failing = 1;
    r->bytes = fl_state_set_bytes_processed(state, 1);
    failing = 1;
    r->items = fl_state_set_items_processed(state, 1);
    failing = 0;
    r->label_after = fl_state_set_label(state, "back again");
}

static void memory_that_runs_out_after_the_loop_is_an_error_code(void **state)
{
    (void)state;
    struct results results = {0};
    struct fl_bench *bench = NULL;
    assert_int_equal(fl_bench_clear(), 0);
    assert_int_equal(fl_bench_register("b", runs_out, &results, &bench), 0);
    fl_bench_iterations(bench, 10);
    rows_run(&rows, NULL);
    assert_int_equal(results.label, -ENOMEM);
    assert_int_equal(results.counter, -ENOMEM);
    assert_int_equal(results.bytes, -ENOMEM);
    assert_int_equal(results.items, -ENOMEM);
    assert_int_equal(results.label_after, 0);
    assert_int_equal(rows.row[0].run.status, FL_RUN_OK);
    assert_string_equal(rows.row[0].run.label, "back again");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_count_sees_allocations),
        cmocka_unit_test(the_window_allocates_nothing),
        cmocka_unit_test(memory_that_runs_out_while_registering_is_an_error_code),
        cmocka_unit_test(a_setter_without_memory_marks_its_benchmark),
        cmocka_unit_test(memory_that_runs_out_after_the_loop_is_an_error_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
