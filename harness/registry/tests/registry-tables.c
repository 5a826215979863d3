/* SPDX-License-Identifier: Apache-2.0 */
/* Every part that was built in is sound, and is found by name; histories and arenas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "faultline/history.h"
#include "faultline/registry.h"

static void every_table_passes_the_validator(void **state)
{
    struct fl_err err = {.text = ""};
    (void)state;
    int rc = fl_registry_check(&err);
    if (rc)
        fail_msg("%s", err.text);
}

static void a_part_of_another_abi_is_refused(void **state)
{
    struct fl_part part = {.name = "x", .summary = "x", .abi = FL_PART_ABI + 1};
    struct fl_err err;
    (void)state;
    assert_int_not_equal(fl_part_check(&part, &err), 0);
    assert_non_null(strstr(err.text, "ABI"));
    part.abi = FL_PART_ABI;
    assert_int_equal(fl_part_check(&part, &err), 0);
    part.summary = "";
    assert_int_not_equal(fl_part_check(&part, &err), 0);
}

static void parts_are_found_with_and_without_options(void **state)
{
    (void)state;
    assert_non_null(fl_registry_workspace("size-class"));
    assert_ptr_equal(fl_registry_workspace("size-class:limit=1M"),
                     fl_registry_workspace("size-class"));
    assert_null(fl_registry_workspace("size-classes"));
    assert_null(fl_registry_workspace(""));
    assert_string_equal(fl_registry_barrier("central")->part.name, "central");
    assert_ptr_equal(fl_registry_wait("spin-futex:50us"), fl_registry_wait("spin-futex"));
    assert_string_equal(fl_registry_kernel("dgemm", "faultline")->part.name, "dgemm");
    const struct fl_kernel_ops *gemm = fl_registry_kernel("dgemm", "blis");
    assert_string_equal(gemm->part.name, "foreign-gemm");
    assert_ptr_equal(gemm, fl_registry_kernel("blas:sgemm_64_", "blis"));
    const struct fl_kernel_ops *small = fl_registry_kernel("sgemm-small-tn", "blis");
    assert_string_equal(small->part.name, "foreign-gemm-small-tn");
    assert_null(fl_registry_kernel("blas:sgemm-small-tn", "blis"));
    assert_string_equal(fl_registry_kernel("ssyrk", "blis")->part.name, "foreign-syrk");
    assert_null(fl_registry_kernel("blas:drotg_", "blis"));
    assert_null(fl_registry_kernel("null", "blis"));
    assert_null(fl_registry_kernel("foreign-gemm", "faultline"));
}

static void metrics_are_found_or_the_nearest_is_named(void **state)
{
    struct fl_metric metric;
    const struct fl_counter_ops *counter;
    struct fl_err err;
    (void)state;
    assert_int_equal(fl_registry_metric("time", &metric, &counter, &err), 0);
    assert_null(counter);
    assert_string_equal(metric.unit, "ns");
    assert_int_equal(fl_registry_metric("minor-faults", &metric, &counter, &err), 0);
    assert_string_equal(counter->part.name, "rusage");
    assert_int_equal(fl_registry_metric("perf:page-faults", &metric, &counter, &err), 0);
    assert_string_equal(counter->part.name, "perf");
    assert_int_not_equal(fl_registry_metric("minor-fault", &metric, &counter, &err), 0);
    assert_non_null(strstr(err.text, "did you mean 'minor-faults'"));
}

static void histories_are_ordered_steps(void **state)
{
    struct fl_history history;
    struct fl_err err;
    (void)state;
    assert_int_equal(fl_history_parse("fresh", &history, &err), 0);
    assert_int_equal(history.count, 0);
    assert_int_equal(fl_history_parse("malloc:32M/dsyrk:448+512:malloc-operands", &history, &err),
                     0);
    assert_int_equal(history.count, 3);
    assert_true(history.steps[0].bytes == 33554432);
    assert_string_equal(history.steps[1].kernel, "dsyrk");
    assert_int_equal(history.steps[1].n, 448);
    assert_int_equal(history.steps[2].n, 512);
    assert_true(history.steps[2].malloc_operands);
}

static void bad_histories_are_refused(void **state)
{
    static const char *const bad[] = {"",          "dsyrk",       "dsyrk:",     ":448",
                                      "dsyrk:0",   "dsyrk:4+",    "dsyrk:4/",   "malloc:x",
                                      "malloc:8G", "dsyrk:4:now", "dsyrk:4+-1", "ascending"};
    struct fl_history history;
    struct fl_err err;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (!fl_history_parse(bad[i], &history, &err))
            fail_msg("'%s' was taken", bad[i]);
}

static void arena_memory_is_zeroed_aligned_and_apart(void **state)
{
    static const size_t aligns[] = {1, 16, 64, 4096, 2097152};
    struct fl_arena arena = {.blocks = NULL};
    unsigned char *last = NULL;
    (void)state;
    for (int heap = 0; heap < 2; heap++) {
        arena.heap = heap;
        for (size_t i = 0; i < sizeof aligns / sizeof *aligns; i++) {
            unsigned char *memory = fl_arena_alloc(&arena, 100000, aligns[i]);
            assert_non_null(memory);
            assert_int_equal((uintptr_t)memory % aligns[i], 0);
            for (size_t j = 0; j < 100000; j++)
                assert_int_equal(memory[j], 0);
            memset(memory, 255, 100000);
            assert_ptr_not_equal(memory, last);
            last = memory;
        }
        fl_arena_release(&arena);
        assert_int_equal(arena.mapped, 0);
    }
    assert_null(fl_arena_alloc(&arena, SIZE_MAX - 4096, 16));
}

static void small_arena_requests_share_a_block(void **state)
{
    struct fl_arena arena = {.blocks = NULL};
    (void)state;
    for (int i = 0; i < 100; i++)
        assert_non_null(fl_arena_alloc(&arena, 1000, 64));
    assert_int_equal(arena.mappings, 1);
    fl_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_table_passes_the_validator),
        cmocka_unit_test(a_part_of_another_abi_is_refused),
        cmocka_unit_test(parts_are_found_with_and_without_options),
        cmocka_unit_test(metrics_are_found_or_the_nearest_is_named),
        cmocka_unit_test(histories_are_ordered_steps),
        cmocka_unit_test(bad_histories_are_refused),
        cmocka_unit_test(arena_memory_is_zeroed_aligned_and_apart),
        cmocka_unit_test(small_arena_requests_share_a_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
