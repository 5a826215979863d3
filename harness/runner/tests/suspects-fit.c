/* SPDX-License-Identifier: Apache-2.0 */
/* Which suspects a cell has, in which order, and the scenario that measures them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "faultline/registry.h"
#include "runner/explain.h"
#include "runner/plan.h"
#include "runner/suspects.h"

static struct fl_err err;

static void plan_of(const char *cell, struct fl_explain_plan *plan)
{
    if (fl_explain_plan_make(cell, plan, &err))
        fail_msg("%s", err.text);
}

/* The changes of a cell are these, in this order. */
static void must_be_tried(const char *cell, const char *const *changes)
{
    struct fl_explain_plan plan;
    size_t i = 0;
    plan_of(cell, &plan);
    for (; changes[i]; i++) {
        if (i == plan.count)
            fail_msg("%s is not tried", changes[i]);
        assert_string_equal(plan.variants[i].change, changes[i]);
    }
    if (i < plan.count)
        fail_msg("%s is tried, too", plan.variants[i].change);
    fl_explain_plan_release(&plan);
}

static bool tries(const char *cell, const char *change)
{
    struct fl_explain_plan plan;
    bool found = false;
    plan_of(cell, &plan);
    for (size_t i = 0; i < plan.count; i++)
        found |= !strcmp(plan.variants[i].change, change);
    fl_explain_plan_release(&plan);
    return found;
}

static void packing_buffers_suspect_thresholds_before_all_else(void **state)
{
    static const char *const changes[] = {
        "malloc=glibc-pinned", "malloc=glibc-mmap-only",
        "history=malloc:16M",  "malloc=jemalloc",
        "malloc=mimalloc",     "malloc=tcmalloc",
        "thp=system",          "workspace=thread-local",
        "workspace=null",      NULL,
    };
    (void)state;
    must_be_tried("kernel=dgemm n=192 workspace=stack+malloc malloc=glibc", changes);
    must_be_tried("kernel=dgemm n=192 workspace=stack+malloc:limit=64K malloc=glibc", changes);
}

static void memory_that_is_kept_leaves_little_to_suspect(void **state)
{
    static const char *const changes[] = {"thp=system", "workspace=null", NULL};
    (void)state;
    must_be_tried("kernel=dgemm n=192 workspace=thread-local malloc=glibc", changes);
    must_be_tried("kernel=dgemm n=192 workspace=thread-local malloc=jemalloc", changes);
}

static void what_is_removed_is_not_tried_again(void **state)
{
    (void)state;
    assert_false(
        tries("kernel=dgemm n=8 workspace=malloc malloc=glibc-pinned", "malloc=glibc-pinned"));
    assert_false(tries("kernel=dgemm n=8 workspace=null malloc=glibc", "workspace=null"));
    assert_true(tries("kernel=dgemm n=8 malloc=glibc-trim-only", "malloc=glibc-pinned"));
    assert_true(tries("kernel=dgemm n=8 history=malloc:1M", "history=fresh"));
    assert_false(tries("kernel=dgemm n=8 history=malloc:1M", "history=malloc:16M"));
}

static void pools_suspect_their_mutex(void **state)
{
    static const char *const changes[] = {
        "thp=system",
        "workspace=slots-lock",
        "workspace=slots-hint",
        "workspace=slots-percpu",
        "workspace=thread-local",
        "workspace=null",
        NULL,
    };
    (void)state;
    must_be_tried("kernel=dgemm-small-tn k=10 d=3 workspace=slots-mutex:slots=9", changes);
}

static void threads_suspect_how_they_meet_only_where_they_meet(void **state)
{
    const char *one = "kernel=null-region threads=1 wait=futex barrier=ggml-packed pin=none";
    const char *two = "kernel=null-region threads=2 wait=futex barrier=ggml-packed pin=none";
    (void)state;
    assert_true(tries(two, "wait=spin-futex"));
    assert_true(tries(two, "barrier=ggml-fixed"));
    assert_true(tries(two, "barrier=grouped"));
    assert_true(tries(two, "pin=compact"));
    assert_false(tries(two, "wait=spin"));
    assert_false(tries(one, "wait=spin-futex"));
    assert_false(tries(one, "barrier=grouped"));
    assert_true(tries("kernel=null-region threads=2 wait=spin", "wait=spin-yield"));
    assert_true(tries("kernel=null-region threads=2 hogs=1", "hogs=0"));
    assert_true(
        tries("kernel=null-region threads=2 barrier=pthread", "barrier=grouped wait=spin-futex"));
    assert_true(tries("kernel=null-region threads=2 team=openmp barrier=openmp omp-wait=passive",
                      "omp-wait=active"));
    assert_true(tries("kernel=null-region threads=2 team=openmp barrier=openmp",
                      "team=persistent barrier=grouped wait=spin-futex"));
}

static void libraries_suspect_malloc_and_their_locks(void **state)
{
    const char *cell = "kernel=blas:dgemm_ n=64 library=openblas-pthread library-threads=2";
    (void)state;
    assert_true(tries(cell, "library=openblas-openmp"));
    assert_true(tries(cell, "library-threads=1"));
    assert_true(tries(cell, "malloc=glibc-pinned"));
    assert_false(tries(cell, "workspace=null"));
    assert_false(tries("kernel=blas:dgemm_ n=64 library=eigen", "library=openblas-openmp"));
}

static void no_cell_comes_twice(void **state)
{
    struct fl_explain_plan plan;
    (void)state;
    plan_of("kernel=dgemm n=64 threads=2 workspace=malloc malloc=glibc-arena1", &plan);
    for (size_t i = 0; i < plan.count; i++) {
        assert_string_not_equal(plan.variants[i].key, plan.key);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(plan.variants[i].key, plan.variants[j].key);
    }
    fl_explain_plan_release(&plan);
}

static void must_be_a_metric(const char *const *names)
{
    struct fl_metric metric;
    const struct fl_counter_ops *counter;
    for (; *names; names++)
        if (fl_registry_metric(*names, &metric, &counter, &err))
            fail_msg("%s", err.text);
}

static void must_be_levels(const char *text)
{
    char factor[64], level[256];
    int rc;
    while ((rc = fl_cell_split(&text, factor, sizeof factor, level, sizeof level, &err)) > 0)
        if (fl_registry_check_level(factor, level, &err))
            fail_msg("%s", err.text);
    assert_int_equal(rc, 0);
}

/* Names in the table that nothing has any more would silently match nothing. */
static void must_be_conditions(const char *where)
{
    char factor[64], names[512], *rest = names;
    while (fl_cell_split(&where, factor, sizeof factor, names, sizeof names, &err) > 0) {
        factor[strcspn(factor, "!")] = 0;
        for (rest = names; rest;)
            if (fl_registry_check_level(factor, strsep(&rest, "|"), &err))
                fail_msg("%s", err.text);
    }
}

static void the_table_names_what_exists(void **state)
{
    (void)state;
    for (const struct fl_suspect *s = fl_suspects; s->where; s++) {
        must_be_a_metric(s->testimony.convicts);
        must_be_a_metric(s->testimony.also);
        must_be_conditions(s->where);
        assert_non_null(s->removals[0]);
        for (const char *const *change = s->removals; *change; change++)
            must_be_levels(*change);
        assert_true(s->testimony.name && s->testimony.cause && s->testimony.cure);
    }
}

/* Every counter that could testify is measured, and long keys come back whole. */
static void must_be_measured(const char *cell)
{
    struct fl_explain_plan plan;
    struct fl_scenario scenario;
    struct fl_plan cells = {.count = 0};
    char *text = NULL;
    plan_of(cell, &plan);
    if (fl_explain_scenario(&plan, &text, &err) ||
        fl_scenario_read("explain", text, strlen(text), false, &scenario, &err) ||
        fl_plan_make(&scenario, &cells, &err))
        fail_msg("%s", err.text);
    assert_int_equal(cells.count, plan.count + 1);
    char *const *keys = cells.keys;
    if (!keys) {
        fail();
        return; /* for the analyser, which does not see that the line above does not come back */
    }
    assert_string_equal(keys[0], plan.key);
    for (size_t i = 0; i < plan.count; i++) {
        assert_string_equal(keys[i + 1], plan.variants[i].key);
        for (const char *const *c = plan.variants[i].suspect ? plan.variants[i].suspect->convicts
                                                             : (const char *const[]){NULL};
             *c; c++)
            assert_non_null(strstr(text, *c));
    }
    fl_plan_release(&cells);
    fl_scenario_release(&scenario);
    fl_explain_plan_release(&plan);
    free(text);
}

static void the_scenario_measures_every_variant(void **state)
{
    char history[600] = "kernel=dgemm n=640 workspace=malloc history=";
    (void)state;
    must_be_measured("kernel=dgemm n=192 workspace=stack+malloc malloc=glibc");
    must_be_measured("kernel=dgemm-small-tn k=10 d=3 threads=2 workspace=slots-mutex wait=futex");
    must_be_measured("kernel=null-region threads=2 team=openmp barrier=openmp hogs=1 pin=none");
    must_be_measured("kernel=dgemm n=64 threads=2 wait=futex barrier=ggml-packed pin=scatter "
                     "workspace=stack+malloc:limit=64K malloc=glibc-arena1 caller=worker "
                     "blocking=eigen-3.4:l1=32K:l2=1M:mr=12:nr=4 heap-offset=2048");
    for (int i = 0; i < 40; i++)
        strcat(history, i ? "/malloc:1M" : "malloc:1M");
    struct fl_explain_plan plan;
    char *text = NULL;
    plan_of(history, &plan);
    assert_int_equal(fl_explain_scenario(&plan, &text, &err), -E2BIG);
    assert_null(text);
    fl_explain_plan_release(&plan);
}

static void what_is_no_cell_is_refused(void **state)
{
    struct fl_explain_plan plan;
    (void)state;
    assert_int_equal(fl_explain_plan_make("benchmark=BM_x/3", &plan, &err), -EINVAL);
    assert_int_equal(fl_explain_plan_make("kernel=dgemn n=3", &plan, &err), -EINVAL);
    assert_int_equal(fl_explain_plan_make("", &plan, &err), -EINVAL);
    assert_int_equal(fl_explain_plan_make("kernel", &plan, &err), -EINVAL);
    assert_int_equal(plan.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packing_buffers_suspect_thresholds_before_all_else),
        cmocka_unit_test(memory_that_is_kept_leaves_little_to_suspect),
        cmocka_unit_test(what_is_removed_is_not_tried_again),
        cmocka_unit_test(pools_suspect_their_mutex),
        cmocka_unit_test(threads_suspect_how_they_meet_only_where_they_meet),
        cmocka_unit_test(libraries_suspect_malloc_and_their_locks),
        cmocka_unit_test(no_cell_comes_twice),
        cmocka_unit_test(the_table_names_what_exists),
        cmocka_unit_test(the_scenario_measures_every_variant),
        cmocka_unit_test(what_is_no_cell_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
