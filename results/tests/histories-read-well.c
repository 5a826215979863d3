/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Histories of stores made up here: ratios of pairs and medians of plain runs, their order, what
 * was recorded differently, changes, and stores with next to nothing in them.
 */
#include "results/histories.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/random.h"
#include "results/pairing.h"
#include "store-fixture.h"

static const struct fl_history_options all = {.metric = "time", .tolerance = 0.5};

/* What is different about a run. */
struct made {
    const char *commit, *compiler, *fingerprint, *reference;
    int64_t commit_ns;
    bool rebuilt; /* the reference */
    double ratio; /* head / base of cell 0; NAN: not measured */
};

static void begin(struct fixture *f, const struct made *made, bool base)
{
    const struct fl_fact environment[] = {
        {"faultline.compiler", made->compiler},
        {"load.average", base ? "1" : "2"},
        {"run.worker-hash", base && !made->rebuilt ? "fixed" : made->commit}};
    const struct fl_metric time = {
        "time", "ns", "", "", FL_METRIC_TIMED, FL_LESS_IS_BETTER, FL_IN_EVERY_SAMPLE, false};
    struct fl_run_info info = fixture_info();

    info.environment = environment;
    info.environment_count = 3;
    info.commit_id = base ? NULL : made->commit;
    info.commit_ns = base ? 0 : made->commit_ns;
    if (made->fingerprint)
        info.fingerprint = made->fingerprint;
    fixture_ok(f, fl_store_begin_run(f->store, &info, &f->run, &f->err));
    fixture_ok(f, fl_store_metric(f->store, &time, &f->time, &f->err));
    fixture_ok(f, fl_store_plan_metrics(f->store, f->run, &f->time, 1, &f->err));
}

static int64_t fill(struct fixture *f, const char *n, double level, int rounds)
{
    const int64_t cell = fixture_cell(f, n, "malloc", "glibc", NULL);

    for (int i = 0; i < rounds && !isnan(level); i++) {
        /* Rounds differ widely, the two sides of one hardly. */
        double ns = level * (1 + 0.3 * (i % 4)) * (1 + 0.001 * ((i * 7 + (int)f->run) % 5));
        const struct fl_value value = {.metric = f->time, .is_real = true, .real = 10 * ns};
        const struct fl_sample sample = {
            .cell = cell, .round = i, .calls = 10, .values = &value, .value_count = 1};
        fixture_ok(f, fixture_add(f, &sample));
    }
    return cell;
}

static void finish(struct fixture *f)
{
    fixture_ok(f, fl_store_set_status(f->store, f->run, FL_RUN_FINISHED, &f->err));
}

static void add_plain(struct fixture *f, const struct made *made)
{
    begin(f, made, false);
    fill(f, "64", 100 * made->ratio, 8);
    fill(f, "128", 200, 8);
    finish(f);
}

static void add_pair(struct fixture *f, const struct made *made)
{
    struct fl_pairing pairing = {.purpose = FL_PAIRING_AB,
                                 .base_side = made->reference ? made->reference : "worker=ref",
                                 .head_side = "",
                                 .tolerance = 0.5,
                                 .detect = 2,
                                 .planned = 2};
    int64_t id;

    begin(f, made, true);
    pairing.base = f->run;
    int64_t cells[2] = {fill(f, "64", 100, 8), fill(f, "128", 200, 8)};
    finish(f);
    begin(f, made, false);
    pairing.head = f->run;
    fill(f, "64", 100 * made->ratio, 8);
    fill(f, "128", 200, 8);
    finish(f);
    fixture_ok(f, fl_pairing_add(f->store, &pairing, &id, &f->err));
    const struct fl_paired_cell rows[2] = {{"kernel=dgemm n=64", cells[0], cells[0], 10, 0.5, 2},
                                           {"kernel=dgemm n=128", cells[1], cells[1], 10, 0.5, 2}};
    fixture_ok(f, fl_pairing_add_cells(f->store, id, rows, 2, &f->err));
}

static struct fl_history read_with(struct fixture *f, const struct fl_history_options *options)
{
    struct fl_history history;

    fixture_ok(f, fl_history_read(f->store, options, &history, &f->err));
    fixture_ok(f, fl_history_find_changes(f->store, options, &history, &f->err));
    fixture_ok(f, fl_history_compare(f->store, &history, &f->err));
    return history;
}

static void an_empty_store_has_no_history(void **state)
{
    struct fixture *f = *state;

    fixture_open(f, FL_STORE_CREATE);
    struct fl_history history = read_with(f, &all);
    assert_int_equal(history.count, 0);
    fl_history_release(&history);
}

static void one_run_and_two_are_shown(void **state)
{
    struct fixture *f = *state;

    fixture_open(f, FL_STORE_CREATE);
    add_plain(f, &(struct made){.commit = "aaa", .compiler = "gcc 12", .ratio = 1});
    struct fl_history history = read_with(f, &all);
    assert_int_equal(history.count, 1);
    assert_int_equal(history.series[0].count, 1);
    assert_null(history.series[0].reference);
    assert_int_equal(history.series[0].cell_count, 2);
    assert_true(history.series[0].cells[0].values[0].median > 100);
    assert_true(isnan(history.series[0].cells[0].values[0].ratio));
    fl_history_release(&history);

    add_plain(f, &(struct made){.commit = "bbb", .compiler = "gcc 13", .ratio = (double)NAN});
    history = read_with(f, &all);
    assert_int_equal(history.series[0].count, 2);
    assert_true(isnan(history.series[0].cells[0].values[1].median));
    assert_int_equal(history.series[0].points[1].fields.count, 1); /* neither load nor worker */
    const struct fl_history_field *field = &history.series[0].points[1].fields.items[0];
    assert_string_equal(field->name, "faultline.compiler");
    assert_string_equal(field->before, "gcc 12");
    assert_string_equal(field->after, "gcc 13");
    fl_history_release(&history);
}

static void a_metric_that_nobody_has_is_refused(void **state)
{
    struct fixture *f = *state;
    struct fl_history history;
    const struct fl_history_options options = {.metric = "tome"};

    fixture_open(f, FL_STORE_CREATE);
    add_plain(f, &(struct made){.commit = "aaa", .compiler = "gcc 12", .ratio = 1});
    assert_int_equal(fl_history_read(f->store, &options, &history, &f->err), -EINVAL);
    assert_non_null(strstr(f->err.text, "tome"));
    assert_int_equal(history.count, 0);
}

static void pairs_give_ratios_in_the_order_of_revisions(void **state)
{
    struct fixture *f = *state;

    fixture_open(f, FL_STORE_CREATE);
    add_pair(
        f, &(struct made){.commit = "newer", .compiler = "gcc", .commit_ns = 2000, .ratio = 1.25});
    add_pair(f,
             &(struct made){.commit = "older", .compiler = "gcc", .commit_ns = 1000, .ratio = 0.5});
    struct fl_history history = read_with(f, &all);
    assert_int_equal(history.count, 1);
    const struct fl_history_series *series = &history.series[0];
    assert_true(series->by_commit);
    assert_string_equal(series->reference, "worker=ref");
    assert_int_equal(series->count, 2); /* heads alone */
    assert_string_equal(series->points[0].commit, "older");
    const struct fl_history_cell *cell = &series->cells[0];
    assert_true(fabs(cell->values[0].ratio - 0.5) < 0.01);
    assert_true(fabs(cell->values[1].ratio - 1.25) < 0.02);
    assert_true(cell->values[1].low <= 1.25 + 0.02 && cell->values[1].high >= 1.25 - 0.02);
    fl_history_release(&history);
}

static void another_file_behind_the_reference_is_told(void **state)
{
    struct fixture *f = *state;
    struct made made = {.commit = "a", .compiler = "gcc", .ratio = 1};

    fixture_open(f, FL_STORE_CREATE);
    add_pair(f, &made);
    made.commit = "b";
    add_pair(f, &made);
    made.rebuilt = true;
    add_pair(f, &made);
    struct fl_history history = read_with(f, &all);
    assert_int_equal(history.series[0].points[1].fields.count, 0);
    assert_int_equal(history.series[0].points[2].fields.count, 1);
    assert_string_equal(history.series[0].points[2].fields.items[0].name, "reference worker-hash");
    fl_history_release(&history);
}

static void machines_references_and_plain_runs_are_kept_apart(void **state)
{
    struct fixture *f = *state;

    fixture_open(f, FL_STORE_CREATE);
    const struct made made = {.commit = "a", .compiler = "gcc", .ratio = 1};
    struct made moved = made, other = made;
    moved.fingerprint = "isa=other";
    other.reference = "worker=another";
    add_plain(f, &made);
    add_pair(f, &made);
    add_pair(f, &moved);
    add_pair(f, &other);
    struct fl_history history = read_with(f, &all);
    assert_int_equal(history.count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(history.series[i].count, 1);
    fl_history_release(&history);
}

/* 40 revisions; cell 0 loses 5 % at `at`, where the compiler is another, too. */
static void add_forty(struct fixture *f, int at, int count)
{
    uint64_t random = 5;

    for (int i = 0; i < count; i++) {
        char commit[16];
        snprintf(commit, sizeof(commit), "commit%02d", i);
        const double noise = 0.002 * ((double)fl_random_below(&random, 1000) / 500 - 1);
        add_pair(f, &(struct made){.commit = commit,
                                   .compiler = i < at ? "gcc 12" : "gcc 13",
                                   .commit_ns = 1000 + i,
                                   .ratio = (i < at ? 1 : 1.05) + noise});
    }
}

static char *printed(const struct fl_history *history, enum fl_history_format format, bool changes)
{
    char *text = NULL;
    size_t size;
    struct fl_err err = {.text = ""};
    const struct fl_history_page page = {.format = format, .out = open_memstream(&text, &size)};

    assert_non_null(page.out);
    int rc =
        changes ? fl_changes_print(history, &page, &err) : fl_history_print(history, &page, &err);
    if (rc)
        fail_msg("%s", err.text);
    fclose(page.out);
    return text;
}

static size_t count_lines(const char *text)
{
    size_t lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void a_change_is_found_with_what_changed_there(void **state)
{
    struct fixture *f = *state;

    fixture_open(f, FL_STORE_CREATE);
    add_forty(f, 25, 40);
    struct fl_history history = read_with(f, &all);
    const struct fl_history_series *series = &history.series[0];
    assert_int_equal(history.tests, 2);
    assert_int_equal(series->cells[0].change_count, 1);
    assert_int_equal(series->cells[1].change_count, 0);
    const struct fl_history_change *change = &series->cells[0].changes[0];
    assert_int_equal(change->before, 24);
    assert_int_equal(change->after, 25);
    assert_true(change->found.low < log(1.05) && change->found.high > log(1.05));
    assert_int_equal(change->fields.count, 1);
    assert_string_equal(change->fields.items[0].name, "faultline.compiler");

    char *text = printed(&history, FL_HISTORY_TABLE, true);
    assert_non_null(strstr(text, "commit24..commit25  +"));
    assert_non_null(strstr(text, "worse  packing-faults: kernel=dgemm n=64\n"));
    assert_non_null(strstr(text, "    faultline.compiler: gcc 12 -> gcc 13\n"));
    free(text);
    text = printed(&history, FL_HISTORY_CSV, true);
    assert_int_equal(count_lines(text), 2);
    assert_non_null(strstr(text, "scenario,cell,good,bad,good_run,bad_run,"));
    assert_non_null(strstr(text, "packing-faults,kernel=dgemm n=64,commit24,commit25,50,52,"));
    free(text);
    text = printed(&history, FL_HISTORY_JSON, true);
    assert_int_equal(count_lines(text), 1);
    assert_non_null(strstr(text, "\"good\":\"commit24\",\"bad\":\"commit25\""));
    assert_non_null(strstr(text, "{\"name\":\"faultline.compiler\",\"before\":\"gcc 12\""));
    free(text);
    text = printed(&history, FL_HISTORY_TABLE, false);
    assert_non_null(strstr(text, "faultline.compiler"));
    free(text);
    text = printed(&history, FL_HISTORY_CSV, false);
    assert_int_equal(count_lines(text), 81);
    free(text);
    fl_history_release(&history);
}

static void the_newest_two_points_are_no_change(void **state)
{
    struct fixture *f = *state;

    fixture_open(f, FL_STORE_CREATE);
    add_forty(f, 38, 40);
    struct fl_history history = read_with(f, &all);
    assert_int_equal(history.series[0].cells[0].change_count, 0);
    fl_history_release(&history);
    add_pair(f, &(struct made){
                    .commit = "third", .compiler = "gcc 13", .commit_ns = 2000, .ratio = 1.05});
    history = read_with(f, &all);
    assert_int_equal(history.series[0].cells[0].change_count, 1);
    fl_history_release(&history);
}

static bool wants_64(void *arg, const char *key)
{
    (void)arg;
    return strstr(key, "n=64") != NULL;
}

static void cells_can_be_selected(void **state)
{
    struct fixture *f = *state;
    struct fl_history_options some = all;

    fixture_open(f, FL_STORE_CREATE);
    add_forty(f, 25, 40);
    some.selects = wants_64;
    struct fl_history one = read_with(f, &some), both = read_with(f, &all);
    assert_int_equal(one.series[0].cell_count, 1);
    for (size_t i = 0; i < 40; i++) {
        const struct fl_history_value *a = &one.series[0].cells[0].values[i];
        const struct fl_history_value *b = &both.series[0].cells[0].values[i];
        assert_true(a->ratio == b->ratio && a->median == b->median && a->low == b->low);
    }
    fl_history_release(&one);
    fl_history_release(&both);
    some.scenario = "another";
    one = read_with(f, &some);
    assert_int_equal(one.count, 0);
    char *text = printed(&one, FL_HISTORY_TABLE, false);
    assert_non_null(strstr(text, "no finished run"));
    free(text);
    fl_history_release(&one);
}

static void wrong_results_and_zeros_are_no_times(void **state)
{
    struct fixture *f = *state;
    const struct made made = {.commit = "a", .compiler = "gcc", .ratio = (double)NAN};

    fixture_open(f, FL_STORE_CREATE);
    begin(f, &made, false);
    int64_t cell = fill(f, "64", 0, 4); /* times of 0 */
    int64_t wrong = fill(f, "128", 100, 4);
    const struct fl_sample bad = {.cell = wrong,
                                  .mode = FL_SAMPLE_TIMED,
                                  .round = 4,
                                  .outcome = FL_OUTCOME_WRONG_RESULT,
                                  .reason = "off by one"};
    fixture_ok(f, fixture_add(f, &bad));
    finish(f);
    struct fl_history history = read_with(f, &all);
    assert_int_equal(history.series[0].cells[0].values[0].cell, cell);
    assert_true(isnan(history.series[0].cells[0].values[0].median));
    assert_true(isnan(history.series[0].cells[1].values[0].median));
    fl_history_release(&history);
}

static void hostile_names_are_made_safe(void **state)
{
    struct fixture *f = *state;
    const struct made made = {.commit = "\033[2J,\"x\"", .compiler = "gcc", .ratio = 1};

    fixture_open(f, FL_STORE_CREATE);
    add_plain(f, &made);
    struct fl_history history = read_with(f, &all);
    char *text = printed(&history, FL_HISTORY_TABLE, false);
    assert_null(strchr(text, '\033'));
    free(text);
    text = printed(&history, FL_HISTORY_CSV, false);
    assert_non_null(strstr(text, "[2J,\"\"x\"\"\","));
    free(text);
    fl_history_release(&history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_empty_store_has_no_history, fixture_set_up,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(one_run_and_two_are_shown, fixture_set_up,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(a_metric_that_nobody_has_is_refused, fixture_set_up,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(pairs_give_ratios_in_the_order_of_revisions, fixture_set_up,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(another_file_behind_the_reference_is_told, fixture_set_up,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(machines_references_and_plain_runs_are_kept_apart,
                                        fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(a_change_is_found_with_what_changed_there, fixture_set_up,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(the_newest_two_points_are_no_change, fixture_set_up,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(cells_can_be_selected, fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(wrong_results_and_zeros_are_no_times, fixture_set_up,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(hostile_names_are_made_safe, fixture_set_up,
                                        fixture_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
