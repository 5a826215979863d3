/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a run: what becomes rows and columns, marks, notes, width, and hostile text. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "results/show.h"
#include "results/text.h"
#include "store-fixture.h"

static char *show(struct fixture *f, const struct fl_show_options *options)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct fl_summary summary;

    fixture_ok(f, fl_summary_read(f->store, f->run, &summary, &f->err));
    fixture_ok(f, fl_show_run(&summary, options, out, &f->err));
    fl_summary_release(&summary);
    fclose(out);
    return text;
}

/* Everything behind the two lines that hold ids and dates. */
static const char *body(const char *text)
{
    text = strchr(text, '\n') + 1;
    return strchr(text, '\n') + 1;
}

static void measure(struct fixture *f, const char *n, const char *malloc_name, int64_t faults,
                    double ns)
{
    int64_t cell = fixture_cell(f, n, "stack+malloc", malloc_name, NULL);

    fixture_counted(f, cell, 0, 200, faults);
    fixture_timed(f, cell, 0, 10, ns);
}

static void fill(struct fixture *f)
{
    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    measure(f, "144", "glibc", 49, 20);
    measure(f, "144", "jemalloc", 0, 10);
    measure(f, "192", "glibc", 112, 12.5);
    measure(f, "192", "jemalloc", 0, 16);
    measure(f, "200", "glibc", 0, 12.5);
    fixture_cell(f, "200", "stack+malloc", "jemalloc", "libjemalloc.so.2 not found\x1b[31m");
    fixture_ok(f, fl_store_set_status(f->store, f->run, FL_RUN_FINISHED, &f->err));
}

static void expect(struct fixture *f, const struct fl_show_options *options, const char *want)
{
    char *text = show(f, options);

    assert_string_equal(body(text), want);
    free(text);
}

static void cures_stand_side_by_side(void **state)
{
    struct fixture *f = *state;
    const struct fl_show_options options = {.width = 80};

    fill(f);
    expect(f, &options,
           "everywhere: kernel=dgemm workspace=stack+malloc\n"
           "columns: malloc; minor-faults (faults per call), gflops (GFLOP/s); medians, * best of "
           "the row\n"
           "\n"
           "                glibc          jemalloc\n"
           "n     faults  GFLOP/s   faults  GFLOP/s\n"
           "144       49     50.0        0   *100.0\n"
           "192      112    *80.0        0     62.5\n"
           "200        0     80.0      [1]      [1]\n"
           "\n"
           "also measured: time (--metrics shows them)\n"
           "[1] unavailable: libjemalloc.so.2 not found\\x1b[31m\n");
}

static void fill_two_cures(struct fixture *f)
{
    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    measure(f, "192", "glibc", 112, 20);
    measure(f, "192", "pinned", 0, 10);
    int64_t cell = fixture_cell(f, "192", "thread-local", "glibc", NULL);
    fixture_timed(f, cell, 0, 10, 8);
    measure(f, "200", "glibc", 0, 10);
    measure(f, "200", "pinned", 0, 12.5);
    fixture_ok(f, fl_store_set_status(f->store, f->run, FL_RUN_FINISHED, &f->err));
}

static void several_cures_are_combined_where_they_fit(void **state)
{
    struct fixture *f = *state;
    const struct fl_show_options wide = {.width = 100, .metrics = "gflops"};
    const struct fl_show_options narrow = {.width = 66, .metrics = "gflops"};

    fill_two_cures(f);
    expect(f, &wide,
           "everywhere: kernel=dgemm\n"
           "columns: workspace, malloc; gflops (GFLOP/s); medians, * best of the row\n"
           "\n"
           "      stack+malloc   stack+malloc   thread-local\n"
           "             glibc         pinned          glibc\n"
           "n          GFLOP/s        GFLOP/s        GFLOP/s\n"
           "192           50.0          100.0         *125.0\n"
           "200         *100.0           80.0\n"
           "\n"
           "also measured: minor-faults, time (--metrics shows them)\n");
    char *text = show(f, &narrow);
    assert_non_null(strstr(text, "columns: malloc; "));
    assert_non_null(strstr(text, "\n200  stack+malloc    *100.0      80.0\n"));
    free(text);
}

static void what_does_not_vary_has_no_column(void **state)
{
    struct fixture *f = *state;
    const struct fl_show_options options = {.width = 80};
    const struct fl_metric locks = {
        "locks", "locks", "", "", FL_METRIC_EXACT, FL_LESS_IS_BETTER, FL_IN_COUNTING_SAMPLES,
        false};
    const struct fl_value blind[] = {
        {.metric = 4, .state = FL_READING_NOT_OBSERVABLE, .reason = "no symbol"}};

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    int64_t id = 0;
    fixture_ok(f, fl_store_metric(f->store, &locks, &id, &f->err));
    assert_int_equal(id, 4);
    measure(f, "144", "glibc", 7, 20);
    measure(f, "192", "glibc", 7, 10);
    struct fl_sample sample = {.cell = 1,
                               .mode = FL_SAMPLE_COUNTED,
                               .round = 1,
                               .calls = 1,
                               .values = blind,
                               .value_count = 1};
    fixture_ok(f, fixture_add(f, &sample));
    fixture_ok(f, fl_store_set_status(f->store, f->run, FL_RUN_FINISHED, &f->err));
    expect(f, &options,
           "everywhere: kernel=dgemm workspace=stack+malloc malloc=glibc\n"
           "\n"
           "      time    gflops\n"
           "n       ns   GFLOP/s\n"
           "144   20.0      50.0\n"
           "192   10.0     100.0\n"
           "\n"
           "in every cell: minor-faults 7\n"
           "locks: not-observable: no symbol\n");
}

static void a_narrow_terminal_gets_blocks(void **state)
{
    struct fixture *f = *state;
    const struct fl_show_options options = {.width = 30, .metrics = "minor-faults"};

    fill(f);
    expect(f, &options,
           "everywhere: kernel=dgemm workspace=stack+malloc\n"
           "columns: malloc; minor-faults (faults per call); medians, * best of the row\n"
           "\n"
           "       glibc   jemalloc\n"
           "n     faults     faults\n"
           "144       49          0\n"
           "192      112          0\n"
           "200        0        [1]\n"
           "\n"
           "also measured: time, gflops (--metrics shows them)\n"
           "[1] unavailable: libjemalloc.so.2 not found\\x1b[31m\n");
    const struct fl_show_options narrower = {.width = 15, .metrics = "minor-faults"};
    char *text = show(f, &narrower);
    assert_non_null(strstr(text, "       glibc\n"
                                 "n     faults\n"
                                 "144       49\n"
                                 "192      112\n"
                                 "200        0\n"
                                 "\n"
                                 "      jemalloc\n"
                                 "n       faults\n"
                                 "144          0\n"));
    free(text);
}

static void rows_columns_and_metrics_can_be_chosen(void **state)
{
    struct fixture *f = *state;
    const struct fl_show_options options = {
        .rows = "malloc,n", .columns = "metrics", .metrics = "time,minor-faults"};

    fill(f);
    expect(f, &options,
           "everywhere: kernel=dgemm workspace=stack+malloc\n"
           "\n"
           "                time   minor-faults\n"
           "malloc    n       ns         faults\n"
           "glibc     144   20.0             49\n"
           "glibc     192   12.5            112\n"
           "glibc     200   12.5              0\n"
           "jemalloc  144   10.0              0\n"
           "jemalloc  192   16.0              0\n"
           "jemalloc  200    [1]            [1]\n"
           "\n"
           "also measured: gflops (--metrics shows them)\n"
           "[1] unavailable: libjemalloc.so.2 not found\\x1b[31m\n");
}

static void factors_left_over_make_sections(void **state)
{
    struct fixture *f = *state;
    const struct fl_show_options options = {
        .rows = "malloc", .columns = "metrics", .metrics = "time"};

    fill(f);
    char *text = show(f, &options);
    assert_non_null(strstr(text, "\nn=144\n"));
    assert_non_null(strstr(text, "\nn=200\n"));
    free(text);
}

static int try_options(struct fixture *f, const struct fl_show_options *options)
{
    struct fl_summary summary;
    FILE *out = fopen("/dev/null", "w");

    fixture_ok(f, fl_summary_read(f->store, f->run, &summary, &f->err));
    int status = fl_show_run(&summary, options, out, &f->err);
    fl_summary_release(&summary);
    fclose(out);
    return status;
}

static void a_wrong_name_is_refused_with_the_nearest(void **state)
{
    struct fixture *f = *state;
    const struct fl_show_options rows = {.rows = "maloc"}, columns = {.columns = "workspase"};
    const struct fl_show_options metrics = {.metrics = "time,gflop"};
    const struct fl_show_options twice = {.rows = "malloc", .columns = "malloc"};

    fill(f);
    assert_int_equal(try_options(f, &rows), -EINVAL);
    assert_non_null(strstr(f->err.text, "did you mean 'malloc'"));
    assert_int_equal(try_options(f, &columns), -EINVAL);
    assert_non_null(strstr(f->err.text, "did you mean 'workspace'?"));
    assert_int_equal(try_options(f, &metrics), -EINVAL);
    assert_non_null(strstr(f->err.text, "did you mean 'gflops'"));
    assert_int_equal(try_options(f, &twice), -EINVAL);
}

static void the_best_is_bold_on_a_terminal(void **state)
{
    struct fixture *f = *state;
    const struct fl_show_options options = {.width = 80, .colour = true};

    fill(f);
    char *text = show(f, &options);
    assert_non_null(strstr(text, "  \x1b[1m*100.0\x1b[0m\n"));
    free(text);
}

static void hostile_text_is_escaped(void **state)
{
    struct fl_arena arena = {.heap = true};
    /* Right-to-left override, then a C1 control character. */
    const char reordering[] = {'x', '\xe2', '\x80', '\xae', 'y', '\xc2', '\x9b', '\0'};

    (void)state;
    assert_string_equal(fl_text_for_terminal(&arena, "a\x1b[2J\n\x9b\xff\u00e9"),
                        "a\\x1b[2J\\x0a\\x9b\\xff\u00e9");
    assert_string_equal(fl_text_for_terminal(&arena, reordering), "x\\u{202e}y\\u{9b}");
    assert_string_equal(fl_text_for_terminal(&arena, "\xc0\xaf\xed\xa0\x80\xf5"),
                        "\\xc0\\xaf\\xed\\xa0\\x80\\xf5");
    assert_string_equal(fl_text_as_utf8(&arena, "\xe2\x82"), "\ufffd\ufffd");
    assert_int_equal(fl_text_columns("\u00e9\u20ac"), 2);
    fl_arena_release(&arena);
}

static void a_long_reason_is_told_to_its_end(void **state)
{
    struct fixture *f = *state;
    const struct fl_show_options options = {.width = 80};
    char reason[3000];

    memset(reason, 'x', sizeof(reason) - 1);
    memcpy(reason + sizeof(reason) - 5, "end.", 5);
    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    fixture_cell(f, "200", "malloc", "glibc", reason);
    char *text = show(f, &options);
    assert_non_null(strstr(text, "xxxend.\n"));
    free(text);
}

static void an_empty_run_is_no_table(void **state)
{
    struct fixture *f = *state;
    const struct fl_show_options options = {.width = 80};

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    expect(f, &options, "nothing was planned\n");
}

static void runs_and_expectations_are_listed(void **state)
{
    struct fixture *f = *state;
    char *text = NULL;
    size_t size = 0;

    fill(f);
    const struct fl_expectation rows[] = {
        {"n=192 : minor-faults = 112", "minor-faults", NULL, 3, "112", "112", 1},
        {"n=200 : minor-faults = 0", "minor-faults", NULL, 0, "0", NULL, -1},
        {"n=144 : minor-faults = 50", "minor-faults", NULL, 1, "50", "49", 0},
        {"n=144 : gflops = 55.7", "gflops", "some host", 1, "55.7", "31.5", -1},
    };
    fixture_ok(f, fl_store_set_expectations(f->store, f->run, rows, 4, &f->err));
    FILE *out = open_memstream(&text, &size);
    fixture_ok(f, fl_show_runs(f->store, out, &f->err));
    fixture_ok(f, fl_show_expectations(f->store, f->run, false, out, &f->err));
    fclose(out);
    assert_non_null(strstr(text, "finished         6       10  packing-faults  first\n"));
    assert_non_null(strstr(text, "expectations: 1 of 3 held, 1 could not be decided; 1 published "
                                 "figures (--expectations shows them beside ours)\n"
                                 "undecided  n=200 : minor-faults = 0: minor-faults expected 0, "
                                 "measured nothing\n"
                                 "NOT HELD   kernel=dgemm n=144 workspace=stack+malloc "
                                 "malloc=glibc: minor-faults expected 50, measured 49\n"));
    free(text);
    out = open_memstream(&text, &size);
    fixture_ok(f, fl_show_expectations(f->store, f->run, true, out, &f->err));
    fclose(out);
    assert_non_null(strstr(text, "malloc=glibc: gflops on some host 55.7, measured 31.5\n"));
    free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(cures_stand_side_by_side),
        TEST(several_cures_are_combined_where_they_fit),
        TEST(what_does_not_vary_has_no_column),
        TEST(a_narrow_terminal_gets_blocks),
        TEST(rows_columns_and_metrics_can_be_chosen),
        TEST(factors_left_over_make_sections),
        TEST(a_wrong_name_is_refused_with_the_nearest),
        TEST(the_best_is_bold_on_a_terminal),
        TEST(hostile_text_is_escaped),
        TEST(a_long_reason_is_told_to_its_end),
        TEST(an_empty_run_is_no_table),
        TEST(runs_and_expectations_are_listed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
