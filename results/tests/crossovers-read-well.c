/* SPDX-License-Identifier: Apache-2.0 */
/* Crossovers of a stored run: brackets, noise, ends, predictions, losses, holes, hostile text. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/crossovers.h"
#include "store-fixture.h"

static int64_t plan(struct fixture *f, const char *kernel, const char *n, const char *rule,
                    const char *unavailable)
{
    char key[256];
    int64_t id = 0;
    const struct fl_stored_level levels[] = {
        {"kernel", kernel, false}, {"n", n, false}, {"isa", "auto", true}, {"rule", rule, false}};
    struct fl_planned_cell cell = {key, levels, 4, unavailable};

    snprintf(key, sizeof(key), "kernel=%s n=%s rule=%s", kernel, n, rule);
    fixture_ok(f, fl_store_plan(f->store, f->run, &cell, 1, &id, &f->err));
    return id;
}

/* Three rounds, each twice as slow as the one before; `predicted` NULL: does not say. */
static void measure(struct fixture *f, const char *kernel, double n, const char *rule, double ns,
                    const char *predicted)
{
    const struct fl_fact fact = {"crossover-bytes", predicted};
    char level[32];

    snprintf(level, sizeof(level), "%.0f", n);
    int64_t cell = plan(f, kernel, level, rule, NULL);
    for (int i = 0; i < 3; i++) {
        const struct fl_value value = {
            .metric = f->time, .is_real = true, .real = ns * 10 * (1 << i)};
        const struct fl_sample sample = {.cell = cell,
                                         .mode = FL_SAMPLE_TIMED,
                                         .round = i,
                                         .calls = 10,
                                         .facts = &fact,
                                         .fact_count = predicted ? 1 : 0,
                                         .values = &value,
                                         .value_count = 1};
        fixture_ok(f, fixture_add(f, &sample));
    }
}

/* The two levels at a place: `ratio` is the first's time over the second's. */
static void compare(struct fixture *f, const char *kernel, double n, double ratio)
{
    measure(f, kernel, n, "one", 100 * ratio, NULL);
    measure(f, kernel, n, "all", 100, NULL);
}

static void begin(struct fixture *f)
{
    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
}

static void finish(struct fixture *f)
{
    fixture_ok(f, fl_store_set_status(f->store, f->run, FL_RUN_FINISHED, &f->err));
}

/* 8 bytes an element; a kernel called `mute` does not say. */
static double traffic(void *arg, const char *key, const char *level)
{
    (void)arg;
    return strstr(key, "kernel=mute") ? 0 : 8 * strtod(level, NULL);
}

static const struct fl_crossover_query usual = {
    .search = "n",
    .compare = "rule",
    .levels = {"one", "all"},
    .predictor = "calibrated",
    .predicted = "crossover-bytes",
    .from = 1000,
    .to = 100000,
    .step = 1.05,
    .traffic = traffic,
};

static void read_all(struct fixture *f, struct fl_crossovers *out)
{
    fixture_ok(f, fl_crossovers_read(f->store, f->run, &usual, out, &f->err));
}

static char *print(struct fixture *f, const struct fl_crossover_query *query)
{
    struct fl_crossovers crossovers;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    fixture_ok(f, fl_crossovers_read(f->store, f->run, query, &crossovers, &f->err));
    fixture_ok(f, fl_crossovers_print(&crossovers, 0, out, &f->err));
    fl_crossovers_release(&crossovers);
    fclose(out);
    return text;
}

/* dot crosses between 10000 and 10500; axpy is beyond the end; asum below the beginning. */
static void fill(struct fixture *f)
{
    begin(f);
    compare(f, "dot", 10500, 1.1);
    compare(f, "dot", 1000, 0.5);
    compare(f, "dot", 10000, 1 / 1.1);
    compare(f, "dot", 100000, 1.8);
    measure(f, "dot", 1000, "calibrated", 50, "1000");
    measure(f, "dot", 10000, "calibrated", 115, "90000");
    measure(f, "dot", 100000, "calibrated", 105, "500000");
    compare(f, "axpy", 1000, 0.1);
    compare(f, "axpy", 100000, 0.9);
    measure(f, "axpy", 100000, "calibrated", 90, "never");
    compare(f, "asum", 1000, 1.5);
    measure(f, "asum", 1000, "calibrated", 100, "80000");
}

static void a_run_reads_as_a_table(void **state)
{
    struct fixture *f = *state;

    fill(f);
    finish(f);
    char *text = print(f, &usual);
    assert_string_equal(
        text,
        "packing-faults, run 1: where rule=all becomes faster than rule=one\n"
        "\n"
        "         one to   all from      crossover   traffic   predicted   measured /      within\n"
        "kernel        n          n              n     bytes       bytes    predicted   0.75-1.33\n"
        "dot       10000      10500          10247     81976       90000         0.91         yes\n"
        "axpy     100000          -   above 100000   >800000       never            -   same side\n"
        "asum          -       1000     below 1000     <8000       80000        <0.10          no\n"
        "\n"
        "1 of 3 crossovers lie inside the search, 1 of them within 0.75-1.33 of what 'calibrated' "
        "predicted; 1 beyond an end, as predicted\n"
        "\n"
        "'calibrated' against the better of 'one' and 'all': 1 of 5 places lose more than 10 %, "
        "1 of them with the whole interval\n"
        "                 better   ratio   95 % from      to   rounds\n"
        "kernel  n\n"
        "dot     10000       one   1.265       1.265   1.265        3\n"
        "dot     100000      all   1.050       1.050   1.050        3\n"
        "dot     1000        one   1.000       1.000   1.000        3\n"
        "axpy    100000      one   1.000       1.000   1.000        3\n"
        "asum    1000        all   1.000       1.000   1.000        3\n");
    free(text);
}

static void noise_misjudges_as_few_places_as_can_be(void **state)
{
    struct fixture *f = *state;
    struct fl_crossovers all;

    begin(f);
    compare(f, "dot", 1000, 0.5);
    compare(f, "dot", 2000, 1.01); /* noise */
    compare(f, "dot", 3000, 0.6);
    compare(f, "dot", 4000, 0.8);
    compare(f, "dot", 4100, 1.25);
    compare(f, "dot", 5000, 0.99); /* noise */
    compare(f, "dot", 9000, 2);
    compare(f, "tie", 1000, 0.5);
    compare(f, "tie", 2000, 1.3); /* either this one is noise */
    compare(f, "tie", 3000, 0.9); /* or that, which contradicts less */
    compare(f, "tie", 4000, 1.5);
    finish(f);
    read_all(f, &all);
    assert_int_equal(all.count, 2);
    assert_int_equal(all.groups[0].place, FL_CROSSOVER_BETWEEN);
    assert_int_equal(all.groups[0].misjudged, 2);
    assert_int_equal(all.groups[0].points, 7);
    assert_float_equal(all.groups[0].low, 4000, 0);
    assert_float_equal(all.groups[0].high, 4100, 0);
    assert_float_equal(all.groups[0].at, sqrt(4000.0 * 4100), 0.01);
    assert_int_equal(all.groups[1].misjudged, 1);
    assert_float_equal(all.groups[1].low, 1000, 0);
    assert_float_equal(all.groups[1].high, 2000, 0);
    fl_crossovers_release(&all);
    char *text = print(f, &usual);
    assert_non_null(strstr(text, "[1] 4050 "));
    assert_non_null(strstr(text, "\n[1] 2 of 7 places on the wrong side: noise\n"));
    free(text);
}

static void a_search_that_did_not_end_says_so(void **state)
{
    struct fixture *f = *state;

    begin(f);
    compare(f, "wide", 1000, 0.5);
    compare(f, "wide", 100000, 2);
    compare(f, "start", 1000, 0.5);
    compare(f, "late", 3000, 2);
    plan(f, "none", "1000", "one", "cannot \x1b[31mrun");
    measure(f, "half", 1000, "one", 10, NULL);
    finish(f);
    char *text = print(f, &usual);
    assert_non_null(strstr(text, "[1] 10000 "));
    assert_non_null(strstr(text, "[3] above 1000 "));
    assert_non_null(strstr(text, "[4] below 3000 "));
    assert_non_null(strstr(text, "\n[1] the search did not end: its neighbours are further apart "
                                 "than its steps\n"
                                 "[2] no sample of the predictor has the fact\n"));
    assert_non_null(strstr(text, "the search did not come to 100000\n"));
    assert_non_null(strstr(text, "the search did not come to 1000\n"));
    assert_non_null(strstr(text, "no place has both levels measured\n"));
    assert_null(strchr(text, '\x1b'));
    free(text);
}

static void neighbours_among_small_numbers_are_near_enough(void **state)
{
    struct fixture *f = *state;

    begin(f);
    compare(f, "dot", 7, 0.5);
    compare(f, "dot", 8, 2);
    finish(f);
    char *text = print(f, &usual);
    assert_null(strstr(text, "did not end"));
    free(text);
}

static void the_predictor_nearest_to_the_crossover_counts(void **state)
{
    struct fixture *f = *state;
    struct fl_crossovers all;

    fill(f);
    measure(f, "axpy", 1000, "calibrated", 10, "5");
    compare(f, "mute", 1000, 0.5);
    compare(f, "mute", 1050, 1.5);
    measure(f, "mute", 9000, "calibrated", 10, "777");
    finish(f);
    read_all(f, &all);
    assert_float_equal(all.groups[0].predicted, 90000, 0);
    assert_true(isinf(all.groups[1].predicted));
    assert_float_equal(all.groups[3].predicted, 777, 0);
    assert_int_equal(fl_crossover_match(&all.groups[3]), FL_CROSSOVER_UNMATCHED);
    fl_crossovers_release(&all);
}

static void matches_know_what_is_out_of_reach(void **state)
{
    static const struct {
        struct fl_crossover crossover;
        enum fl_crossover_match match;
    } cases[] = {
        {{.place = FL_CROSSOVER_BETWEEN, .bytes = 75, .predicted = 100}, FL_CROSSOVER_WITHIN},
        {{.place = FL_CROSSOVER_BETWEEN, .bytes = 133, .predicted = 100}, FL_CROSSOVER_WITHIN},
        {{.place = FL_CROSSOVER_BETWEEN, .bytes = 74, .predicted = 100}, FL_CROSSOVER_OUTSIDE},
        {{.place = FL_CROSSOVER_BETWEEN, .bytes = 134, .predicted = 100}, FL_CROSSOVER_OUTSIDE},
        {{.place = FL_CROSSOVER_BETWEEN, .bytes = 9, .predicted = (double)INFINITY},
         FL_CROSSOVER_OUTSIDE},
        {{.place = FL_CROSSOVER_BELOW, .bytes = 100, .predicted = 90}, FL_CROSSOVER_SAME_SIDE},
        {{.place = FL_CROSSOVER_BELOW, .bytes = 100, .predicted = 120}, FL_CROSSOVER_OPEN},
        {{.place = FL_CROSSOVER_BELOW, .bytes = 100, .predicted = 140}, FL_CROSSOVER_OUTSIDE},
        {{.place = FL_CROSSOVER_ABOVE, .bytes = 100, .predicted = 110}, FL_CROSSOVER_SAME_SIDE},
        {{.place = FL_CROSSOVER_ABOVE, .bytes = 100, .predicted = 80}, FL_CROSSOVER_OPEN},
        {{.place = FL_CROSSOVER_ABOVE, .bytes = 100, .predicted = 70}, FL_CROSSOVER_OUTSIDE},
        {{.place = FL_CROSSOVER_BETWEEN, .predicted = 70}, FL_CROSSOVER_UNMATCHED},
        {{.place = FL_CROSSOVER_BETWEEN, .bytes = 70}, FL_CROSSOVER_UNMATCHED},
        {{.place = FL_CROSSOVER_NOWHERE, .bytes = 1, .predicted = 1}, FL_CROSSOVER_UNMATCHED},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (fl_crossover_match(&cases[i].crossover) != cases[i].match)
            fail_msg("case %zu", i);
}

static void cells_without_the_compared_factor_make_no_row(void **state)
{
    struct fixture *f = *state;
    struct fl_crossovers all;
    static const struct fl_stored_level levels[] = {
        {"kernel", "foreign", false}, {"n", "1000", false}, {"library", "other", false}};
    const struct fl_planned_cell cell = {"kernel=foreign n=1000", levels, 3, NULL};

    fill(f);
    fixture_ok(f, fl_store_plan(f->store, f->run, &cell, 1, NULL, &f->err));
    finish(f);
    read_all(f, &all);
    assert_int_equal(all.count, 3);
    assert_int_equal(all.factor_count, 1); /* what only such cells have tells no row apart */
    assert_string_equal(all.factors[0], "kernel");
    fl_crossovers_release(&all);
}

static void without_a_predictor_there_is_the_crossover(void **state)
{
    struct fl_crossover_query query = usual;
    struct fixture *f = *state;

    fill(f);
    finish(f);
    query.predictor = query.predicted = "";
    char *text = print(f, &query);
    assert_non_null(strstr(text, "kernel        n          n              n     bytes\n"
                                 "dot       10000      10500          10247     81976\n"));
    assert_null(strstr(text, "lose"));
    assert_null(strstr(text, "within"));
    free(text);
}

static int try_query(struct fixture *f, const char *search, const char *compare, int64_t run)
{
    struct fl_crossover_query query = usual;
    struct fl_crossovers crossovers;

    query.search = search;
    query.compare = compare;
    int rc = fl_crossovers_read(f->store, run, &query, &crossovers, &f->err);
    assert_true(rc && !crossovers.count && !crossovers.arena.blocks);
    return rc;
}

static void what_is_not_there_is_refused(void **state)
{
    struct fixture *f = *state;

    fill(f);
    finish(f);
    assert_int_equal(try_query(f, "k", "rule", f->run), -EINVAL);
    assert_non_null(strstr(f->err.text, "the run has no such factor"));
    assert_int_equal(try_query(f, "n", "rules", f->run), -EINVAL);
    assert_non_null(strstr(f->err.text, "did you mean 'rule'"));
    assert_int_equal(try_query(f, "n", "rule", 99), -ENOENT);
}

static void levels_that_no_cell_has_leave_every_group_nowhere(void **state)
{
    struct fl_crossover_query query = usual;
    struct fixture *f = *state;

    fill(f);
    finish(f);
    query.levels[0] = "none";
    char *text = print(f, &query);
    assert_non_null(strstr(text, "\n[1] no place has both levels measured\n"));
    assert_non_null(strstr(text, "\n0 of 3 crossovers lie inside the search, 0 of them "));
    free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_run_reads_as_a_table),
        TEST(noise_misjudges_as_few_places_as_can_be),
        TEST(a_search_that_did_not_end_says_so),
        TEST(neighbours_among_small_numbers_are_near_enough),
        TEST(the_predictor_nearest_to_the_crossover_counts),
        TEST(matches_know_what_is_out_of_reach),
        TEST(cells_without_the_compared_factor_make_no_row),
        TEST(without_a_predictor_there_is_the_crossover),
        TEST(what_is_not_there_is_refused),
        TEST(levels_that_no_cell_has_leave_every_group_nowhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
