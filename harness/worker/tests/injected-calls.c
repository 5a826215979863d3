/* SPDX-License-Identifier: Apache-2.0 */
/* Every Nth call is made twice: counted by the kernel itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "faultline/injection.h"
#include "injector.h"

struct counts {
    uint64_t runs, checks, closes;
};

static int run(void *state, const struct fl_workspace *workspace)
{
    (void)workspace;
    ((struct counts *)state)->runs++;
    return 0;
}

static int check(void *state, const struct fl_workspace *workspace, struct fl_err *err)
{
    (void)workspace, (void)err;
    ((struct counts *)state)->checks++;
    return 0;
}

static void close(void *state)
{
    ((struct counts *)state)->closes++;
}

static const struct fl_kernel_ops kernel = {.run = run, .check = check, .close = close};

static void open_sample(struct fl_sample *sample, struct counts *counts, const char *level)
{
    char key[128] = "kernel=null inject=";
    *sample = (struct fl_sample){.kernel = &kernel, .kernel_state = counts};
    *counts = (struct counts){0, 0, 0};
    assert_int_equal(fl_cell_parse(&sample->cell, strcat(key, level), NULL), 0);
    assert_int_equal(fl_injector_open(sample, NULL), 0);
}

/* What `calls` calls of a window come to. */
static uint64_t runs_of(struct fl_sample *sample, struct counts *counts, uint64_t calls)
{
    uint64_t before = counts->runs;
    sample->calls = calls;
    fl_injector_restart(sample);
    for (uint64_t i = 0; i < calls; i++)
        assert_int_equal(sample->kernel->run(sample->kernel_state, &sample->workspace), 0);
    return counts->runs - before;
}

static void nothing_stands_before_a_kernel_without_injection(void **state)
{
    struct fl_sample sample;
    struct counts counts;
    (void)state;
    open_sample(&sample, &counts, "0");
    assert_ptr_equal(sample.kernel, &kernel);
    assert_ptr_equal(sample.kernel_state, &counts);
    assert_int_equal(runs_of(&sample, &counts, 1000), 1000);
    char key[256];
    assert_int_equal(fl_cell_key(&sample.cell, key, sizeof key), 0);
    assert_null(strstr(key, "inject"));
    fl_arena_release(&sample.arena);
}

static void every_nth_call_of_counting_windows_is_made_twice(void **state)
{
    struct fl_sample sample;
    struct counts counts;
    (void)state;
    open_sample(&sample, &counts, "50");
    sample.request = (struct fl_sample_request){.counting = true, .seed = 17};
    assert_int_equal(runs_of(&sample, &counts, 1000), 1020);
    assert_int_equal(runs_of(&sample, &counts, 99), 100);
    assert_int_equal(runs_of(&sample, &counts, 49), 49);
    assert_int_equal(runs_of(&sample, &counts, 150), 153);
    assert_int_equal(fl_injector_facts(&sample), 0);
    assert_string_equal(fl_facts_get(&sample.facts, "injected"), "3 of 150");
    fl_arena_release(&sample.arena);
}

/* 75 calls are one or two injections of every 50th: over all seeds, 1.5. */
static void timed_windows_inject_the_right_share_on_average(void **state)
{
    struct fl_sample sample;
    struct counts counts;
    uint64_t runs = 0;
    (void)state;
    open_sample(&sample, &counts, "50");
    for (uint64_t seed = 0; seed < 50; seed++) {
        sample.request.seed = 1000 + seed;
        runs += runs_of(&sample, &counts, 75);
    }
    assert_int_equal(runs, 50 * 75 + 75);
    assert_int_equal(fl_injector_facts(&sample), 0);
    assert_int_equal(sample.facts.count, 0);
    fl_arena_release(&sample.arena);
}

static void short_timed_windows_are_refused(void **state)
{
    struct fl_sample sample;
    struct counts counts;
    struct fl_err err;
    (void)state;
    open_sample(&sample, &counts, "200");
    sample.calls = 199;
    assert_int_not_equal(fl_injector_check_calls(&sample, &err), 0);
    assert_non_null(strstr(err.text, "needs windows of 200 calls, this one has 199"));
    sample.request.counting = true;
    assert_int_equal(fl_injector_check_calls(&sample, &err), 0);
    sample.request.counting = false;
    sample.calls = 200;
    assert_int_equal(fl_injector_check_calls(&sample, &err), 0);
    fl_arena_release(&sample.arena);
}

static void faults_and_locks_make_no_calls(void **state)
{
    static const char *const levels[] = {"faults:10", "locks:10"};
    struct fl_sample sample;
    struct counts counts;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        open_sample(&sample, &counts, levels[i]);
        sample.request.counting = true;
        assert_int_equal(runs_of(&sample, &counts, 100), 100);
        assert_int_equal(fl_injector_facts(&sample), 0);
        assert_string_equal(fl_facts_get(&sample.facts, "injected"), "10 of 100");
        fl_arena_release(&sample.arena);
    }
}

static void checks_and_closes_reach_the_kernel_once(void **state)
{
    struct fl_sample sample;
    struct counts counts;
    (void)state;
    open_sample(&sample, &counts, "1");
    assert_int_equal(sample.kernel->check(sample.kernel_state, &sample.workspace, NULL), 0);
    sample.kernel->close(sample.kernel_state);
    assert_int_equal(counts.checks, 1);
    assert_int_equal(counts.closes, 1);
    assert_int_equal(counts.runs, 0);
    fl_arena_release(&sample.arena);
}

static void what_cannot_be_injected_is_refused(void **state)
{
    static const char *const bad[] = {"",       "-1",      "x",        "1.5",      "1000001",
                                      "faults", "faults:", "faults:0", "locks:-1", "locks:1 "};
    struct fl_injection injection;
    struct fl_err err;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_not_equal(fl_injection_parse(bad[i], &injection, &err), 0);
        assert_non_null(strstr(err.text, "faults:N, locks:N"));
    }
    assert_int_equal(fl_injection_parse("locks:1000000", &injection, &err), 0);
    assert_int_equal(injection.kind, FL_INJECT_LOCKS);
    assert_int_equal(injection.every, 1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_stands_before_a_kernel_without_injection),
        cmocka_unit_test(every_nth_call_of_counting_windows_is_made_twice),
        cmocka_unit_test(timed_windows_inject_the_right_share_on_average),
        cmocka_unit_test(short_timed_windows_are_refused),
        cmocka_unit_test(faults_and_locks_make_no_calls),
        cmocka_unit_test(checks_and_closes_reach_the_kernel_once),
        cmocka_unit_test(what_cannot_be_injected_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
