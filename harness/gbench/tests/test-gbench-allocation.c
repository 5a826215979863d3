/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the entry of the function to the end of its loop nothing is allocated.
 *
 * The malloc family is replaced by counting wrappers of glibc's, which see the calls of Google
 * Benchmark and of the C++ runtime too. Sanitizers bring a malloc of their own: skipped there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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

EXPORTED void *malloc(size_t bytes)
{
    calls++;
    return __libc_malloc(bytes);
}

EXPORTED void *calloc(size_t count, size_t bytes)
{
    calls++;
    return __libc_calloc(count, bytes);
}

EXPORTED void *realloc(void *memory, size_t bytes)
{
    calls++;
    return __libc_realloc(memory, bytes);
}

EXPORTED void *aligned_alloc(size_t align, size_t bytes)
{
    calls++;
    return __libc_memalign(align, bytes);
}

EXPORTED void free(void *memory)
{
    calls += memory != NULL;
    __libc_free(memory);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_count_sees_allocations),
        cmocka_unit_test(the_window_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
