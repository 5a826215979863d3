/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A/B runs whose workers are shell scripts: what is taken, in which order and how often, what
 * failures and differences lead to, and that a run goes on where it was.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "machine/measurement-lock.h"
#include "run-rig.h"
#include "runner/ab.h"
#include "runner/tool.h"

/* Takes its calls from --iterations, or says that 40 fill the window; a call takes $per ns and
 * mallocs $mallocs times, with $faults faults. */
#define WORKER                                                                                     \
    "runs=40; mode=time\n"                                                                         \
    "for a; do case $a in --iterations=*) runs=${a#*=};; --mode=*) mode=${a#*=};; esac; done\n"    \
    "echo \"fact path $0\" >&3; echo \"fact padding ${#FAULTLINE_PADDING}\" >&3\n"                 \
    "echo \"window $runs $((runs * per)) $runs\" >&3\n"                                            \
    "echo \"metric malloc-calls ok $((runs * mallocs)) 1\" >&3\n"                                  \
    "echo \"metric minor-faults ok $((runs * faults)) 1\" >&3; echo 'outcome ok ' >&3\n"
#define SETTINGS "per=100; mallocs=2; faults=3; "

struct ab {
    struct rig *rig;
    char head[128], side[160];
    struct fl_scenario scenarios[2];
    struct fl_ab_request request;
    struct fl_ab_result result;
    struct fl_ab_forecast forecast;
    struct fl_ab_standing standing;
    size_t samples, stop_at;
    bool impatient; /* stops rather than wait for the lock */
    volatile sig_atomic_t stop;
};

static void on_begin(void *arg, int64_t run, size_t cells, size_t done, size_t total)
{
    (void)arg, (void)run, (void)cells, (void)done, (void)total;
}

static void on_sample(void *arg, const char *key, size_t done, size_t total,
                      enum fl_outcome outcome, const char *reason)
{
    struct ab *ab = arg;
    (void)key, (void)done, (void)total, (void)outcome, (void)reason;
    if (++ab->samples == ab->stop_at)
        ab->stop = 1;
}

static void on_waiting(void *arg, int holder, double seconds)
{
    struct ab *ab = arg;
    (void)holder, (void)seconds;
    ab->stop = ab->impatient;
}

static void on_text(void *arg, const char *text)
{
    (void)arg, (void)text;
}

static void on_predicted(void *arg, const struct fl_ab_forecast *forecast)
{
    ((struct ab *)arg)->forecast = *forecast;
}

static void on_standing(void *arg, const struct fl_ab_standing *standing)
{
    ((struct ab *)arg)->standing = *standing;
}

static void write_script(const char *path, const char *settings)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n" SETTINGS "%s\n" WORKER, settings);
    fclose(file);
    assert_int_equal(chmod(path, 0755), 0);
}

/* Two cells; the base runs the rig's worker, the head another, with those settings. */
static void set_up(struct ab *ab, struct rig *rig, const char *base, const char *head)
{
    *ab = (struct ab){.rig = rig};
    write_script(rig->worker, base);
    snprintf(ab->head, sizeof ab->head, "%s/a-head-with-a-longer-name", rig->folder);
    snprintf(ab->side, sizeof ab->side, "worker=%s", ab->head);
    write_script(ab->head, head);
    rig_set_scenario(rig, "kernel = null\nrequests = none, 64", "time, malloc-calls, minor-faults");
    ab->request = (struct fl_ab_request){
        .texts = {"", ab->side},
        .store = rig->path,
        .worker = rig->worker,
        .lock = rig->lock,
        .command_line = "test",
        .seed = 7,
        .stop = &ab->stop,
    };
}

static int go(struct ab *ab)
{
    const struct fl_ab_progress progress = {
        .common = {on_begin, on_sample, on_waiting, on_text, on_text, ab},
        .predicted = on_predicted,
        .standing = on_standing,
    };
    struct rig *rig = ab->rig;
    for (int s = 0; s < 2; s++) {
        assert_int_equal(fl_scenario_read("rig.ini", rig->text, strlen(rig->text), false,
                                          &ab->scenarios[s], &rig->err),
                         0);
        ab->request.scenarios[s] = &ab->scenarios[s];
    }
    ab->request.progress = &progress;
    ab->samples = 0;
    ab->stop = 0;
    int rc = fl_ab(&ab->request, &ab->result, &rig->err);
    for (int s = 0; s < 2; s++)
        fl_scenario_release(&ab->scenarios[s]);
    return rc;
}

static void must_go(struct ab *ab)
{
    if (go(ab))
        fail_msg("%s", ab->rig->err.text);
}

static void one_that_lost_nothing_passes_at_the_first_look(void **state)
{
    struct ab ab;
    set_up(&ab, *state, "", "");
    must_go(&ab);
    assert_int_equal(ab.result.cells, 2);
    assert_int_equal(ab.result.open, 0);
    assert_int_equal(ab.standing.decided, 2);
    assert_true(ab.standing.suite);
    assert_int_equal(rig_sql(*state, "SELECT count(*) FROM sample WHERE mode = 'timed'"), 4 * 16);
    assert_int_equal(rig_sql(*state, "SELECT count(*) FROM sample WHERE mode = 'counted'"), 4 * 10);
    assert_int_equal(rig_sql(*state, "SELECT count(*) FROM run WHERE status = 'finished'"), 2);
    assert_int_equal(rig_sql(*state, "SELECT planned FROM pairing"), 2);
}

static void both_samples_of_a_pair_are_neighbours_in_random_order(void **state)
{
    struct ab ab;
    set_up(&ab, *state, "", "");
    must_go(&ab);
    assert_int_equal(
        rig_sql(*state,
                "SELECT count(*) FROM (SELECT run, cell, round, seed, lead(run) OVER w AS other, "
                "lead(cell) OVER w AS c, lead(round) OVER w AS r, lead(seed) OVER w AS s, "
                "row_number() OVER w AS n FROM sample WHERE mode = 'timed' "
                "WINDOW w AS (ORDER BY id)) WHERE n % 2 = 1 AND (run = other OR r <> round OR "
                "s <> seed)"),
        0);
    for (int first = 1; first <= 2; first++) {
        char query[256];
        snprintf(query, sizeof query,
                 "SELECT count(*) FROM (SELECT run, row_number() OVER (ORDER BY id) AS n FROM "
                 "sample WHERE mode = 'timed') WHERE n %% 2 = 1 AND run = %d",
                 first);
        assert_in_range(rig_sql(*state, query), 4, 28); /* of 32: by chance within 1e-5 */
    }
}

static void both_sides_make_the_calls_that_the_slower_ones_pilot_told(void **state)
{
    struct ab ab;
    set_up(&ab, *state, "", "set -- --iterations=25 \"$@\""); /* unless it is told others */
    must_go(&ab);
    assert_int_equal(rig_sql(*state, "SELECT count(*) FROM paired_cell WHERE calls = 25"), 2);
    assert_int_equal(
        rig_sql(*state, "SELECT count(*) FROM sample WHERE mode = 'timed' AND calls <> 25"), 0);
    assert_int_equal(
        rig_sql(*state, "SELECT count(*) FROM sample WHERE mode = 'counted' AND calls <> 5"), 0);
}

static void copies_run_at_paths_of_one_length_and_environments_vary(void **state)
{
    struct ab ab;
    set_up(&ab, *state, "", "");
    must_go(&ab);
    static const char fact[] = "FROM fact f WHERE f.name = ";
    char query[256];
    snprintf(query, sizeof query, "SELECT count(DISTINCT length(f.value)) %s'path'", fact);
    assert_int_equal(rig_sql(*state, query), 1);
    snprintf(query, sizeof query, "SELECT count(DISTINCT f.value) %s'path'", fact);
    assert_int_equal(rig_sql(*state, query), 2);
    snprintf(query, sizeof query, "SELECT count(DISTINCT f.value) > 60 %s'padding'", fact);
    assert_int_equal(rig_sql(*state, query), 1);
    snprintf(query, sizeof query, "SELECT max(0 + f.value) <= 4096 %s'padding'", fact);
    assert_int_equal(rig_sql(*state, query), 1);
}

static void a_loss_is_confirmed_on_fresh_rounds(void **state)
{
    struct ab ab;
    set_up(&ab, *state, "", "case $* in *requests=64*) per=103;; esac");
    must_go(&ab);
    assert_int_equal(ab.result.open, 0);
    /* A candidate at 16, and 16 to confirm; the other cell leaves at 16. */
    assert_int_equal(rig_sql(*state, "SELECT max(round) + 1 FROM sample WHERE mode = 'timed'"), 32);
    assert_int_equal(rig_sql(*state, "SELECT count(*) FROM sample WHERE mode = 'timed'"),
                     2 * 32 + 2 * 16);
}

/* Every other round is a little slower, everywhere: by their own limits all cells pass at once. */
static void decided_cells_stay_while_all_together_are_not(void **state)
{
    struct ab ab;
    set_up(&ab, *state, "",
           "for a; do case $a in --seed=*) per=$((1000 + 24 * (${a#*=} % 2)));; esac; done");
    write_script(ab.rig->worker, "per=1000");
    rig_set_scenario(ab.rig, "kernel = null\nrequests = none, 64, 128, 256, 512", "time");
    strcat(ab.rig->text, "[gate]\nkernel=null : tolerance = 50%, detect = 100%\n");
    must_go(&ab);
    assert_int_equal(rig_sql(*state, "SELECT planned FROM pairing"), 6);
    assert_true(rig_sql(*state, "SELECT max(round) + 1 FROM sample WHERE mode = 'timed'") > 16);
    assert_int_equal(rig_sql(*state,
                             "SELECT count(DISTINCT n) FROM (SELECT count(*) AS n FROM sample "
                             "WHERE mode = 'timed' GROUP BY run, cell)"),
                     1);
}

static void a_side_that_fails_leaves_at_once(void **state)
{
    struct ab ab;
    set_up(&ab, *state,
           "case $* in *--mode=time*requests=64*|*requests=64*--mode=time*) kill -9 $$;; esac", "");
    must_go(&ab);
    assert_int_equal(ab.result.failed, 1);
    assert_int_equal(rig_sql(*state, "SELECT count(*) FROM sample WHERE outcome = 'crashed'"), 1);
    assert_int_equal(rig_sql(*state, "SELECT count(*) FROM sample WHERE mode = 'timed'"),
                     2 + 2 * 16);
    assert_int_equal(rig_sql(*state, "SELECT count(calls) FROM paired_cell"), 2);
}

static void one_that_cannot_run_is_not_measured(void **state)
{
    struct ab ab;
    set_up(&ab, *state, "",
           "case $* in *requests=64*) echo 'outcome unavailable no' >&3; exit;; "
           "esac");
    must_go(&ab);
    assert_int_equal(ab.result.unavailable, 1);
    assert_int_equal(ab.result.failed, 0);
    assert_int_equal(ab.standing.cells, 1);
    assert_true(rig_sql(*state, "SELECT count(*) FROM sample WHERE outcome = 'unavailable'") >= 1);
}

static void counts_that_are_left_open_get_fresh_processes(void **state)
{
    struct ab ab;
    set_up(&ab, *state, "",
           "for a; do case $a in --seed=*) odd=$((${a#*=} % 2));; esac; done\n"
           "case $* in *requests=64*) faults=$((3 + odd));; esac");
    must_go(&ab);
    assert_int_equal(rig_sql(*state,
                             "SELECT count(*) FROM (SELECT cell FROM sample WHERE mode = 'counted' "
                             "GROUP BY run, cell HAVING count(*) = 30)"),
                     2);
    assert_int_equal(rig_sql(*state,
                             "SELECT count(*) FROM (SELECT cell FROM sample WHERE mode = 'counted' "
                             "GROUP BY run, cell HAVING count(*) = 10)"),
                     2);
}

static void rounds_can_be_fixed(void **state)
{
    struct ab ab;
    set_up(&ab, *state, "", "");
    ab.request.rounds = 5;
    must_go(&ab);
    assert_int_equal(rig_sql(*state, "SELECT count(*) FROM sample WHERE mode = 'timed'"), 4 * 5);
    assert_int_equal(rig_sql(*state, "SELECT rounds FROM run WHERE id = 1"), 5);
}

static void a_budget_ends_the_run(void **state)
{
    struct ab ab;
    set_up(&ab, *state, "", "case $* in *mode=time*) sleep 0.2;; esac");
    ab.request.budget = 1;
    must_go(&ab);
    assert_int_equal(ab.result.open, 2);
    assert_true(rig_sql(*state, "SELECT count(*) FROM sample WHERE mode = 'timed'") < 4 * 16);
    assert_int_equal(rig_sql(*state, "SELECT count(*) FROM run WHERE status = 'finished'"), 2);
}

static void times_that_are_not_gated_are_not_taken(void **state)
{
    struct ab ab;
    set_up(&ab, *state, "", "");
    strcat(ab.rig->text, "[gate]\nmetrics = malloc-calls\n");
    must_go(&ab);
    assert_int_equal(rig_sql(*state, "SELECT count(*) FROM sample WHERE mode = 'timed'"), 0);
    assert_int_equal(rig_sql(*state, "SELECT count(*) FROM sample WHERE mode = 'counted'"), 4 * 2);
    assert_int_equal(ab.forecast.cells, 0);
}

static void a_scenario_without_rounds_is_counted_alone(void **state)
{
    struct ab ab;
    set_up(&ab, *state, "", "");
    char *rounds = strstr(ab.rig->text, "rounds = 2");
    assert_non_null(rounds);
    rounds[strlen("rounds = ")] = '0';
    must_go(&ab);
    assert_int_equal(rig_sql(*state, "SELECT count(*) FROM sample WHERE mode = 'timed'"), 0);
    assert_int_equal(rig_sql(*state, "SELECT count(*) FROM sample WHERE mode = 'counted'"), 4 * 10);
}

static void limits_of_cells_are_stored(void **state)
{
    struct ab ab;
    set_up(&ab, *state, "", "");
    strcat(ab.rig->text, "[gate]\ntolerance = 1%\ndetect = 3%\nrequests=64 : detect = 9%\n");
    must_go(&ab);
    assert_int_equal(rig_sql(*state, "SELECT count(*) FROM pairing WHERE tolerance = 1 AND "
                                     "detect = 3"),
                     1);
    assert_int_equal(rig_sql(*state, "SELECT count(*) FROM paired_cell WHERE detect = 9 AND "
                                     "key LIKE '%requests=64%'"),
                     1);
}

/* Two that differ stand for one thing whose second copy leans. */
static void a_bias_that_was_found_raises_the_tolerance(void **state)
{
    struct ab ab;
    set_up(&ab, *state, "", "case $* in *requests=64*) per=103;; esac");
    ab.request.purpose = FL_PAIRING_CALIBRATE;
    ab.request.rounds = 12;
    must_go(&ab);
    ab.request.purpose = FL_PAIRING_AB;
    ab.request.rounds = 0;
    must_go(&ab);
    assert_int_equal(ab.forecast.calibrated, 2);
    assert_int_equal(ab.result.open, 0);
    assert_int_equal(rig_sql(*state, "SELECT round(100 * tolerance) FROM paired_cell WHERE "
                                     "pairing = 2 AND key LIKE '%requests=64%'"),
                     300);
    assert_int_equal(rig_sql(*state, "SELECT round(100 * detect) FROM paired_cell WHERE "
                                     "pairing = 2 AND key LIKE '%requests=64%'"),
                     450);
    assert_int_equal(rig_sql(*state, "SELECT count(*) FROM paired_cell WHERE pairing = 2 AND "
                                     "tolerance = 0.5 AND detect = 2"),
                     1);
    /* So it passes. */
    assert_int_equal(rig_sql(*state, "SELECT max(round) + 1 FROM sample WHERE mode = 'timed' AND "
                                     "run > 2"),
                     16);
}

/* Stops at every fifth sample, so in counting rounds, between and within pairs. */
static void a_stopped_run_goes_on_where_it_was(void **state)
{
    struct ab ab;
    set_up(&ab, *state, "", "");
    ab.request.rounds = 6;
    ab.stop_at = 5;
    must_go(&ab);
    assert_true(ab.result.interrupted);
    ab.request.resume = true;
    for (int i = 0; i < 40 && ab.result.interrupted; i++)
        must_go(&ab);
    assert_false(ab.result.interrupted);
    assert_int_equal(rig_sql(*state, "SELECT count(*) FROM run"), 2);
    assert_int_equal(rig_sql(*state, "SELECT count(*) FROM pairing"), 1);
    assert_int_equal(rig_sql(*state, "SELECT count(*) FROM sample WHERE mode = 'counted'"), 4 * 10);
    /* What was cut within a pair stays half. */
    assert_in_range(rig_sql(*state, "SELECT count(*) FROM sample WHERE mode = 'timed'"), 18, 24);
    assert_int_equal(go(&ab), -ENOENT);
}

static void another_run_is_not_gone_on_with(void **state)
{
    struct ab ab;
    char other[192];
    set_up(&ab, *state, "", "");
    ab.stop_at = 5;
    must_go(&ab);
    ab.request.resume = true;
    ab.stop_at = 0;
    snprintf(other, sizeof other, "%s malloc=glibc", ab.side);
    ab.request.texts[FL_AB_HEAD] = other;
    assert_int_equal(go(&ab), -EINVAL);
    ab.request.texts[FL_AB_HEAD] = ab.side;
    strcat(ab.rig->text, "[gate]\ntolerance = 1%\n");
    assert_int_equal(go(&ab), -EINVAL);
    *strstr(ab.rig->text, "[gate]") = 0;
    write_script(ab.head, "mallocs=2");
    assert_int_equal(go(&ab), -EINVAL);
    assert_int_equal(rig_run(ab.rig, true), -EINVAL); /* nor alone */
    write_script(ab.head, "");
    must_go(&ab);
    assert_false(ab.result.interrupted);
}

static bool keep_waiting(void *arg, int holder, double seconds)
{
    (void)arg, (void)holder, (void)seconds;
    return true;
}

/* Not even what is wrong with a side is found out: to see that, it would have to be built. */
static void sides_are_opened_when_nobody_else_measures(void **state)
{
    struct rig *rig = *state;
    struct fl_measurement_lock lock;
    struct ab ab;
    set_up(&ab, rig, "", "");
    ab.request.texts[1] = "worker=/no/such";
    ab.impatient = true;
    assert_int_equal(fl_measurement_lock_open(&lock, rig->lock, -1, keep_waiting, NULL, &rig->err),
                     0);
    assert_int_equal(go(&ab), -EINTR);
    fl_measurement_lock_close(&lock);
    assert_int_equal(go(&ab), -ENOENT);
}

static void shell(const char *folder, const char *command)
{
    const char *const argv[] = {"sh", "-c", command, NULL};
    const struct fl_tool tool = {.folder = folder, .argv = argv, .timeout = 60};
    struct fl_err err;
    if (fl_tool_run(&tool, NULL, 0, &err))
        fail_msg("%s", err.text);
}

static void a_branch_that_moved_is_not_gone_on_with(void **state)
{
    struct rig *rig = *state;
    struct ab ab;
    set_up(&ab, rig, "", "");
    shell(rig->folder, "git init -q . && git config user.name t && git config user.email t@t && "
                       "git config commit.gpgsign false && cp a-head-with-a-longer-name w && "
                       "git add w && git commit -qm a");
    assert_int_equal(chdir(rig->folder), 0);
    ab.request.texts[1] = "git:HEAD worker=w";
    ab.request.rounds = 6;
    ab.stop_at = 5;
    must_go(&ab);
    assert_true(ab.result.interrupted);
    ab.request.resume = true;
    must_go(&ab);
    shell(rig->folder, "git commit -q --allow-empty -m b");
    assert_int_equal(go(&ab), -EINVAL);
    assert_non_null(strstr(rig->err.text, "cannot resume"));
    assert_int_equal(chdir("/"), 0);
}

static void two_benchmarks_of_one_name_are_refused(void **state)
{
    struct rig *rig = *state;
    struct ab ab;
    char words[160];
    set_up(&ab, rig, "", "");
    FILE *script = fopen(ab.head, "we");
    assert_non_null(script);
    fputs("#!/bin/sh\necho first; echo same; echo same\n", script);
    assert_int_equal(fclose(script), 0);
    snprintf(words, sizeof words, "gbench=%s", ab.head);
    ab.request.texts[0] = ab.request.texts[1] = words;
    assert_int_equal(go(&ab), -EINVAL);
    assert_non_null(strstr(rig->err.text, "'benchmark=same' twice"));
    assert_non_null(strstr(rig->err.text, "filter="));
}

static void sides_without_a_pair_are_refused(void **state)
{
    struct ab ab;
    set_up(&ab, *state, "", "");
    ab.request.texts[FL_AB_HEAD] = "workspace=mmap";
    rig_set_scenario(ab.rig, "kernel = null\nrequests = none, 64\nworkspace = malloc, mmap",
                     "time");
    assert_int_equal(go(&ab), -EINVAL);
    assert_non_null(strstr(ab.rig->err.text, "differ in nothing but what is compared"));
    assert_int_equal(rig_sql(*state, "SELECT count(*) FROM run"), 0);
    ab.request.texts[FL_AB_HEAD] = "workspace";
    assert_int_equal(go(&ab), -EINVAL);
    assert_non_null(strstr(ab.rig->err.text, "head"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define RIG_TEST(name) cmocka_unit_test_setup_teardown(name, rig_set_up, rig_tear_down)
        RIG_TEST(one_that_lost_nothing_passes_at_the_first_look),
        RIG_TEST(both_samples_of_a_pair_are_neighbours_in_random_order),
        RIG_TEST(both_sides_make_the_calls_that_the_slower_ones_pilot_told),
        RIG_TEST(copies_run_at_paths_of_one_length_and_environments_vary),
        RIG_TEST(a_loss_is_confirmed_on_fresh_rounds),
        RIG_TEST(decided_cells_stay_while_all_together_are_not),
        RIG_TEST(a_side_that_fails_leaves_at_once),
        RIG_TEST(one_that_cannot_run_is_not_measured),
        RIG_TEST(counts_that_are_left_open_get_fresh_processes),
        RIG_TEST(rounds_can_be_fixed),
        RIG_TEST(a_budget_ends_the_run),
        RIG_TEST(times_that_are_not_gated_are_not_taken),
        RIG_TEST(a_scenario_without_rounds_is_counted_alone),
        RIG_TEST(limits_of_cells_are_stored),
        RIG_TEST(a_bias_that_was_found_raises_the_tolerance),
        RIG_TEST(a_stopped_run_goes_on_where_it_was),
        RIG_TEST(another_run_is_not_gone_on_with),
        RIG_TEST(sides_are_opened_when_nobody_else_measures),
        RIG_TEST(a_branch_that_moved_is_not_gone_on_with),
        RIG_TEST(two_benchmarks_of_one_name_are_refused),
        RIG_TEST(sides_without_a_pair_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
