/* SPDX-License-Identifier: Apache-2.0 */
/* Ratios of a stored run: groups, order, several factors, holes, refusals, hostile text. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "results/ratios.h"
#include "store-fixture.h"

/* Three rounds, each ten times as slow as the one before. */
static void measure(struct fixture *f, const char *n, const char *workspace, const char *malloc,
                    double ns)
{
    int64_t cell = fixture_cell(f, n, workspace, malloc, NULL);

    fixture_timed(f, cell, 0, 10, ns);
    fixture_timed(f, cell, 1, 10, ns * 10);
    fixture_timed(f, cell, 2, 10, ns * 100);
}

static void fill(struct fixture *f)
{
    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    measure(f, "100", "malloc", "glibc", 40);
    measure(f, "100", "pool", "glibc", 10);
    measure(f, "100", "stack", "glibc", 100);
    measure(f, "200", "pool", "glibc", 30);
    measure(f, "200", "malloc", "glibc", 20);
}

static void finish(struct fixture *f)
{
    fixture_ok(f, fl_store_set_status(f->store, f->run, FL_RUN_FINISHED, &f->err));
}

static char *print(struct fixture *f, const char *by, const char *base, const char *metric)
{
    const struct fl_ratio_options options = {by, base, metric};
    struct fl_ratios ratios;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    fixture_ok(f, fl_ratios_read(f->store, f->run, &options, &ratios, &f->err));
    fixture_ok(f, fl_ratios_print(&ratios, 0, false, out, &f->err));
    fl_ratios_release(&ratios);
    fclose(out);
    return text;
}

static void levels_stand_against_the_base_best_first(void **state)
{
    struct fixture *f = *state;

    fill(f);
    finish(f);
    char *text = print(f, "workspace", "malloc", "time");
    assert_string_equal(text, "packing-faults, run 1: time, ratio to workspace=malloc\n"
                              "everywhere: kernel=dgemm malloc=glibc\n"
                              "\n"
                              "n=100\n"
                              "                     ratio   95 % from      to   rounds\n"
                              "workspace      ns\n"
                              "pool        100.0   *0.250       0.250   0.250        3\n"
                              "malloc      400.0     base\n"
                              "stack        1000    2.500       2.500   2.500        3\n"
                              "\n"
                              "n=200\n"
                              "                    ratio   95 % from      to   rounds\n"
                              "workspace      ns\n"
                              "malloc      200.0   *base\n"
                              "pool        300.0   1.500       1.500   1.500        3\n");
    free(text);
}

static void more_of_a_rate_is_better(void **state)
{
    struct fixture *f = *state;

    fill(f);
    finish(f);
    char *text = print(f, "workspace", "stack", "gflops");
    const char *pool = strstr(text, "*10.00"), *base = strstr(text, "base");
    assert_true(pool && base && pool < base);
    assert_non_null(strstr(text, "the group has no cell of the base"));
    free(text);
}

static void factors_change_together(void **state)
{
    struct fixture *f = *state;

    fill(f);
    measure(f, "100", "pool", "jemalloc", 20);
    finish(f);
    char *text = print(f, "workspace,malloc", "pool,jemalloc", "time");
    assert_non_null(strstr(text, "ratio to workspace,malloc=pool,jemalloc\n"
                                 "everywhere: kernel=dgemm\n\nn=100\n"));
    assert_non_null(strstr(text, "pool       glibc      100.0   *0.500 "));
    assert_non_null(strstr(text, "pool       jemalloc   200.0     base\n"));
    assert_non_null(strstr(text, "malloc     glibc      400.0    2.000 "));
    free(text);
}

/* A cell that has a factor at its fallback, beside cells that do not have it at all. */
static void to_lack_a_fallback_is_no_difference(void **state)
{
    static const struct fl_stored_level levels[] = {
        {"kernel", "dgemm", false},   {"n", "100", false},         {"isa", "auto", true},
        {"runtime", "libgomp", true}, {"workspace", "omp", false}, {"malloc", "glibc", false}};
    struct fl_planned_cell cell = {"kernel=dgemm n=100 workspace=omp malloc=glibc", levels, 6,
                                   NULL};
    struct fixture *f = *state;
    int64_t id = 0;

    fill(f);
    fixture_ok(f, fl_store_plan(f->store, f->run, &cell, 1, &id, &f->err));
    for (int round = 0; round < 3; round++)
        fixture_timed(f, id, round, 10, round == 2 ? 8000 : round ? 800 : 80);
    finish(f);
    char *text = print(f, "workspace", "omp", "time");
    assert_non_null(strstr(text, "pool        100.0   *0.125 "));
    assert_non_null(strstr(text, "omp         800.0     base\n"));
    free(text);
}

/* A cell of a team that has the factor `omp-wait`, which the others have not. */
static void measure_waiting(struct fixture *f, const char *key, const char *wait, bool implied)
{
    const struct fl_stored_level levels[] = {
        {"kernel", "dgemm", false},  {"n", "100", false},        {"workspace", "omp", false},
        {"omp-wait", wait, implied}, {"malloc", "glibc", false},
    };
    const struct fl_planned_cell cell = {key, levels, 5, NULL};
    int64_t id;

    fixture_ok(f, fl_store_plan(f->store, f->run, &cell, 1, &id, &f->err));
    for (int i = 0; i < 3; i++)
        fixture_timed(f, id, i, 10, 80);
}

static void a_fallback_goes_with_no_such_factor(void **state)
{
    struct fixture *f = *state;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    for (int i = 0; i < 3; i++)
        fixture_timed(f, fixture_cell(f, "100", "pool", "glibc", NULL), i, 10, 40);
    measure_waiting(f, "kernel=dgemm n=100 workspace=omp omp-wait=active", "active", false);
    measure_waiting(f, "kernel=dgemm n=100 workspace=omp", "default", true);
    finish(f);
    char *text = print(f, "workspace", "omp", "time");
    assert_non_null(strstr(text, "\nomp-wait=default\n"));
    assert_non_null(strstr(text, "\npool        40.00   *0.500 "));
    assert_null(strstr(text, "the group has no cell of the base"));
    free(text);
}

static void holes_have_reasons(void **state)
{
    struct fixture *f = *state;

    fill(f);
    fixture_cell(f, "100", "slots", "glibc", "no \x1b[31mroom");
    int64_t late = fixture_cell(f, "100", "late", "glibc", NULL);
    fixture_timed(f, late, 7, 10, 1);
    fixture_cell(f, "300", "malloc", "glibc", "too large");
    measure(f, "300", "pool", "glibc", 1);
    finish(f);
    char *text = print(f, "workspace", "malloc", "time");
    assert_non_null(strstr(text, "\n[1] no \\x1b[31mroom\n"
                                 "[2] no round has both above 0\n"
                                 "[3] too large\n"
                                 "[4] the base was not measured\n"));
    free(text);
}

static void one_round_has_no_interval(void **state)
{
    struct fixture *f = *state;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    fixture_timed(f, fixture_cell(f, "100", "a", "glibc", NULL), 0, 1, 10);
    fixture_timed(f, fixture_cell(f, "100", "b", "glibc", NULL), 0, 1, 20);
    finish(f);
    char *text = print(f, "workspace", "b", "time");
    assert_non_null(strstr(text, "\na           10.00   *0.500           -    -        1\n"));
    free(text);
}

static int try_options(struct fixture *f, const struct fl_ratio_options *options)
{
    struct fl_ratios ratios;
    int rc = fl_ratios_read(f->store, f->run, options, &ratios, &f->err);

    assert_true(rc && !ratios.count && !ratios.arena.blocks);
    return rc;
}

static void what_is_not_there_is_refused(void **state)
{
    static const struct fl_metric locks = {
        "locks",         "locks",           "locks taken",          "probe",
        FL_METRIC_EXACT, FL_LESS_IS_BETTER, FL_IN_COUNTING_SAMPLES, false};
    static const struct {
        struct fl_ratio_options options;
        const char *says;
    } cases[] = {
        {{"workspaces", "malloc", "time"}, "did you mean 'workspace'"},
        {{"workspace", "mallok", "time"},
         "no cell of the run has workspace=mallok; did you mean "
         "'malloc'"},
        {{"workspace", "malloc", "tim"}, "did you mean 'time'"},
        {{"workspace,malloc", "malloc", "time"}, "a level for each of 'workspace,malloc'"},
        {{"workspace,malloc", "malloc,x", "time"}, "no cell of the run has workspace,malloc="},
        {{"workspace,workspace,n,n,n,n,n,n,n", "malloc", "time"}, "more than 8 items"},
        {{"", "malloc", "time"}, "no such factor"},
        {{"workspace", "malloc", "locks"}, "counted in samples of its own"},
    };
    struct fixture *f = *state;
    int64_t id;

    fill(f);
    fixture_ok(f, fl_store_metric(f->store, &locks, &id, &f->err));
    fixture_ok(f, fl_store_plan_metrics(f->store, f->run, &id, 1, &f->err));
    finish(f);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(try_options(f, &cases[i].options), -EINVAL);
        if (!strstr(f->err.text, cases[i].says))
            fail_msg("says: %s", f->err.text);
    }
    f->run = 99;
    assert_int_equal(try_options(f, &cases[0].options), -ENOENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(levels_stand_against_the_base_best_first),
        TEST(more_of_a_rate_is_better),
        TEST(factors_change_together),
        TEST(a_fallback_goes_with_no_such_factor),
        TEST(holes_have_reasons),
        TEST(to_lack_a_fallback_is_no_difference),
        TEST(one_round_has_no_interval),
        TEST(what_is_not_there_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
