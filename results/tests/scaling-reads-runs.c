/* SPDX-License-Identifier: Apache-2.0 */
/* Scaling of a stored run: groups, resolved levels, rates and times, holes, refusals, hostile text.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "results/scaling.h"
#include "store-fixture.h"

struct level {
    const char *threads, *workspace;
};

static int64_t plan(struct fixture *f, struct level at, const char *unavailable)
{
    char key[256];
    int64_t id = 0;
    const struct fl_stored_level levels[] = {{"kernel", "small", false},
                                             {"workspace", at.workspace, false},
                                             {"isa", "auto", true},
                                             {"threads", at.threads, false}};
    struct fl_planned_cell cell = {key, levels, 4, unavailable};

    snprintf(key, sizeof(key), "kernel=small workspace=%s threads=%s", at.workspace, at.threads);
    fixture_ok(f, fl_store_plan(f->store, f->run, &cell, 1, &id, &f->err));
    return id;
}

/* A sample whose process resolved its level to `threads` (NULL: does not say). */
static void add(struct fixture *f, int64_t cell, int round, double ns, const char *threads)
{
    const struct fl_fact facts[] = {{"isa", "avx2"}, {"threads", threads}};
    const struct fl_value values[] = {
        {.metric = f->time, .is_real = true, .real = ns * 10},
        {.metric = f->gflops, .is_real = true, .real = 1000 / ns},
    };
    struct fl_sample sample = {.cell = cell,
                               .mode = FL_SAMPLE_TIMED,
                               .round = round,
                               .calls = 10,
                               .facts = facts,
                               .fact_count = threads ? 2 : 1,
                               .values = values,
                               .value_count = 2};

    fixture_ok(f, fixture_add(f, &sample));
}

static void measure(struct fixture *f, const char *workspace, const char *threads, double ns)
{
    add(f, plan(f, (struct level){threads, workspace}, NULL), 0, ns, NULL);
}

/* Two workspaces: one that queues, alpha 0.5, and one that scales, gamma 1e6 and 2e6 a second. */
static void fill(struct fixture *f)
{
    static const char *const threads[] = {"8", "1", "2", "4"};
    static const double counts[] = {8, 1, 2, 4};

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    for (size_t i = 0; i < 4; i++) {
        measure(f, "mutex", threads[i], 1000 * (1 + 0.5 * (counts[i] - 1)) / counts[i]);
        measure(f, "own", threads[i], 500 / counts[i]);
    }
}

static void finish(struct fixture *f)
{
    fixture_ok(f, fl_store_set_status(f->store, f->run, FL_RUN_FINISHED, &f->err));
}

static char *print(struct fixture *f, const char *metric)
{
    const struct fl_scaling_options options = {"threads", metric};
    struct fl_scaling scaling;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    fixture_ok(f, fl_scaling_read(f->store, f->run, &options, &scaling, &f->err));
    fixture_ok(f, fl_scaling_print(&scaling, 0, out, &f->err));
    fl_scaling_release(&scaling);
    fclose(out);
    return text;
}

static void cells_that_differ_in_threads_make_a_group(void **state)
{
    struct fixture *f = *state;

    fill(f);
    finish(f);
    char *text = print(f, "time");
    assert_string_equal(
        text, "packing-faults, run 1: time\n"
              "everywhere: kernel=small\n"
              "\n"
              "workspace=mutex\n"
              "          throughput   speed-up   efficiency    fitted   residual\n"
              "threads          1/s                       %       1/s          %\n"
              "1            1000000       1.00        100.0   1000000       +0.0\n"
              "2            1333333       1.33         66.7   1333333       +0.0\n"
              "4            1600000       1.60         40.0   1600000       +0.0\n"
              "8            1777778       1.78         22.2   1777778       +0.0\n"
              "\n"
              "workspace=own\n"
              "          throughput   speed-up   efficiency     fitted   residual\n"
              "threads          1/s                       %        1/s          %\n"
              "1            2000000       1.00        100.0    2000000       +0.0\n"
              "2            4000000       2.00        100.0    4000000       +0.0\n"
              "4            8000000       4.00        100.0    8000000       +0.0\n"
              "8           16000000       8.00        100.0   16000000       +0.0\n"
              "\n"
              "                   alpha   beta     gamma    peak at       peak     R^2\n"
              "fit                                   1/s    threads        1/s\n"
              "workspace=mutex   0.5000      0   1000000   infinite    2000000   1.000\n"
              "workspace=own          0      0   2000000   infinite   infinite   1.000\n");
    free(text);
}

static void a_rate_is_a_throughput_as_it_is(void **state)
{
    struct fixture *f = *state;

    fill(f);
    finish(f);
    char *text = print(f, "gflops");
    assert_non_null(strstr(text, "packing-faults, run 1: gflops\n"));
    assert_non_null(strstr(text, "threads      GFLOP/s "));
    assert_non_null(strstr(text, "\n8              16.00       8.00        100.0 "));
    free(text);
}

static void words_have_the_number_that_samples_resolved(void **state)
{
    struct fixture *f = *state;

    fill(f);
    int64_t twice = plan(f, (struct level){"2*nproc", "own"}, NULL);
    add(f, twice, 0, 500.0 / 16, "16");
    const struct fl_fact other = {"threads", "3"};
    const struct fl_sample crashed = {.cell = twice,
                                      .round = 1,
                                      .outcome = FL_OUTCOME_CRASHED,
                                      .reason = "signal 11",
                                      .facts = &other,
                                      .fact_count = 1};
    fixture_ok(f, fixture_add(f, &crashed));
    int64_t torn = plan(f, (struct level){"nproc", "own"}, NULL);
    add(f, torn, 0, 500, "2");
    add(f, torn, 1, 500, "3");
    add(f, plan(f, (struct level){"auto", "own"}, NULL), 0, 500, NULL);
    add(f, plan(f, (struct level){"all", "own"}, NULL), 0, 500, "many\x1b[2J");
    finish(f);
    char *text = print(f, "time");
    assert_non_null(strstr(text, "\n16 (2*nproc)     32000000      16.00        100.0 "));
    assert_non_null(strstr(text, "\nnproc                 [1]\n"));
    assert_non_null(strstr(text, "\nauto                  [2]\n"));
    assert_non_null(strstr(text, "\nall                   [2]\n"));
    assert_non_null(strstr(text, "\n[1] its samples had different numbers of threads\n"
                                 "[2] no sample says what number this level stood for\n"));
    free(text);
}

static void holes_have_reasons(void **state)
{
    struct fixture *f = *state;

    fill(f);
    plan(f, (struct level){"16", "own"}, "more threads than\x1b[31m slots");
    struct fl_sample wrong = {.cell = plan(f, (struct level){"16", "mutex"}, NULL),
                              .mode = FL_SAMPLE_TIMED,
                              .outcome = FL_OUTCOME_WRONG_RESULT,
                              .reason = "differs by 1"};
    fixture_ok(f, fixture_add(f, &wrong));
    add(f, wrong.cell, 1, 10, NULL);
    finish(f);
    char *text = print(f, "time");
    assert_non_null(strstr(text, "\n16               [1]\n\nworkspace=own\n"));
    assert_non_null(strstr(text, "\n16               [2]\n\n"));
    assert_non_null(strstr(text, "\n[1] 1 of 2 samples: differs by 1\n"
                                 "[2] more threads than\\x1b[31m slots\n"));
    free(text);
}

static void threads_beyond_the_processors_are_marked(void **state)
{
    static const struct fl_fact usable = {"cpu.usable-threads", "2"};
    struct fixture *f = *state;
    struct fl_run_info info = fixture_info();

    fill(f);
    info.environment = &usable;
    info.environment_count = 1;
    fixture_ok(f, fl_store_begin_run(f->store, &info, &f->run, &f->err));
    measure(f, "own", "2", 300);
    measure(f, "own", "4", 300);
    finish(f);
    char *text = print(f, "time");
    assert_non_null(strstr(text, "\n2            3333333 "));
    assert_non_null(strstr(text, "\n4 [1]        3333333 "));
    assert_non_null(strstr(text, "\n[1] more threads than the 2 processors that the run could use: "
                                 "they take turns\n"));
    free(text);
}

static void few_points_are_shown_without_a_fit(void **state)
{
    struct fixture *f = *state;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    measure(f, "own", "2", 300);
    measure(f, "own", "4", 100);
    finish(f);
    char *text = print(f, "time");
    assert_string_equal(text, "packing-faults, run 1: time\n"
                              "everywhere: kernel=small workspace=own\n"
                              "\n"
                              "          throughput   speed-up   efficiency   fitted   residual\n"
                              "threads          1/s                       %      1/s          %\n"
                              "2            3333333       1.00        100.0\n"
                              "4           10000000       3.00        150.0\n"
                              "\n"
                              "      alpha   beta   gamma   peak at   peak   R^2\n"
                              "fit                    1/s   threads    1/s\n"
                              "all     [1]\n"
                              "\n"
                              "[1] no fit: three parameters take 3 or more different numbers of "
                              "threads, and there are 2\n");
    free(text);
}

static void three_points_are_not_called_a_good_fit(void **state)
{
    struct fixture *f = *state;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    measure(f, "own", "1", 300);
    measure(f, "own", "2", 200);
    measure(f, "own", "4", 150);
    finish(f);
    char *text = print(f, "time");
    assert_non_null(strstr(text, "[1]\n\n[1] 3 different numbers of threads make a curve, and "
                                 "leave nothing to judge it by\n"));
    free(text);
}

static int try_options(struct fixture *f, int64_t run, const char *by, const char *metric)
{
    const struct fl_scaling_options options = {by, metric};
    struct fl_scaling scaling;
    int rc = fl_scaling_read(f->store, run, &options, &scaling, &f->err);

    assert_true(rc && !scaling.count && !scaling.arena.blocks);
    return rc;
}

static void what_is_not_there_is_refused(void **state)
{
    struct fixture *f = *state;

    fill(f);
    finish(f);
    assert_int_equal(try_options(f, f->run, "thread", "time"), -EINVAL);
    assert_non_null(strstr(f->err.text, "no such factor; did you mean 'threads'"));
    assert_int_equal(try_options(f, f->run, "threads", "times"), -EINVAL);
    assert_non_null(strstr(f->err.text, "did you mean 'time'"));
    assert_int_equal(try_options(f, f->run, "threads", "minor-faults"), -EINVAL);
    assert_non_null(strstr(f->err.text, "neither a time nor a rate"));
    assert_int_equal(try_options(f, 99, "threads", "time"), -ENOENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(cells_that_differ_in_threads_make_a_group),   TEST(a_rate_is_a_throughput_as_it_is),
        TEST(words_have_the_number_that_samples_resolved), TEST(holes_have_reasons),
        TEST(threads_beyond_the_processors_are_marked),    TEST(few_points_are_shown_without_a_fit),
        TEST(three_points_are_not_called_a_good_fit),      TEST(what_is_not_there_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
