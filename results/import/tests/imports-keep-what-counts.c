/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of each kind of entry, field and file that other programs write. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import-rig.h"
#include "results/export.h"

#define ENTRY(name, more)                                                                          \
    "{\"name\": \"" name "\", \"run_name\": \"" name                                               \
    "\", \"run_type\": \"iteration\", \"threads\": 1, \"iterations\": 10, " more "}"
#define TIMES(real) "\"real_time\": " real ", \"cpu_time\": 1, \"time_unit\": \"ns\""
#define FILE_OF(entries)                                                                           \
    "{\"context\": {\"host_name\": \"box\", \"num_cpus\": 2}, \"benchmarks\": [" entries "]}"

static long long count(struct fixture *f, const char *sql)
{
    return fixture_query(f, sql);
}

static void expect_number(struct fixture *f, const char *key, const char *metric, double value)
{
    double is = import_value(f, 1, key, metric);

    if (isnan(value) ? !isnan(is) : !(is >= value && is <= value))
        fail_msg("%s of '%s' is %.17g instead of %.17g", metric, key, is, value);
}

/* ---- Google Benchmark ---- */

static void repetitions_are_one_sample_wherever_they_stand(void **state)
{
    struct fixture *f = *state;
    struct import_rig rig = {.report = {.run = 0}};

    fixture_open(f, FL_STORE_CREATE);
    import_text(f, &rig,
                FILE_OF(ENTRY("a", TIMES("30")) "," ENTRY("b", TIMES("7")) "," ENTRY(
                    "a", TIMES("10")) "," ENTRY("a", TIMES("20"))));
    assert_int_equal(rig.report.cells, 2);
    assert_int_equal(rig.report.samples, 2);
    assert_int_equal(rig.report.rounds, 1);
    expect_number(f, "benchmark=a", "real_time", 20);
    expect_number(f, "benchmark=b", "real_time", 7);
    assert_int_equal(count(f,
                           "SELECT count(*) FROM v_fact WHERE name = 'real_time.repetitions' AND "
                           "value = '30 10 20'"),
                     1);
    /* In the order of the file, not of the names. */
    assert_int_equal(count(f, "SELECT group_concat(key, ' ') = 'benchmark=a benchmark=b' FROM "
                              "(SELECT key FROM run_cell JOIN cell ON id = cell ORDER BY "
                              "position)"),
                     1);
}

static void errors_are_never_fast(void **state)
{
    struct fixture *f = *state;
    struct import_rig rig = {.report = {.run = 0}};

    fixture_open(f, FL_STORE_CREATE);
    import_text(
        f, &rig,
        FILE_OF(
            ENTRY("bad", "\"error_occurred\": true, \"error_message\": \"no\", " TIMES("0")) "," ENTRY(
                "skipped",
                "\"skipped\": true, \"skip_message\": \"later\", " TIMES(
                    "0")) "," ENTRY("half",
                                    TIMES("5")) "," ENTRY("half",
                                                          "\"error_occurred\": true, "
                                                          "\"error_message\": \"broke\", " TIMES(
                                                              "0")) "," ENTRY("half", TIMES("5"))));
    assert_int_equal(rig.report.failed, 3);
    assert_int_equal(count(f, "SELECT count(*) FROM value"), 0);
    assert_int_equal(count(f, "SELECT count(*) FROM v_sample WHERE outcome = 'failed' AND reason "
                              "IN ('no', 'later', '1 of 3 repetitions: broke')"),
                     3);
}

static void zeros_and_no_numbers_are_no_times(void **state)
{
    static const char *const times[] = {"0", "0.0", "-1", "NaN", "Infinity", "-0.0", "-Infinity"};

    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        struct fixture *f;
        struct import_rig rig = {.report = {.run = 0}};
        char text[512];
        assert_int_equal(fixture_set_up((void **)&f), 0);
        fixture_open(f, FL_STORE_CREATE);
        snprintf(text, sizeof(text), FILE_OF(ENTRY("a", TIMES("%s"))), times[i]);
        import_text(f, &rig, text);
        expect_number(f, "benchmark=a", "real_time", (double)NAN);
        expect_number(f, "benchmark=a", "cpu_time", 1);
        assert_int_equal(count(f, "SELECT count(*) FROM v_value WHERE reason LIKE 'the file says "
                                  "%, which is no time'"),
                         1);
        void *done = f;
        assert_int_equal(fixture_tear_down(&done), 0);
    }
    (void)state;
}

static void sums_stand_in_only_for_what_is_not_there(void **state)
{
    struct fixture *f = *state;
    struct import_rig rig = {.report = {.run = 0}};

    fixture_open(f, FL_STORE_CREATE);
    import_text(
        f, &rig,
        FILE_OF(ENTRY(
            "a_mean",
            "\"aggregate_name\": \"mean\", \"run_name\": \"x\", " TIMES(
                "3")) ","
                      "{\"name\": \"b_mean\", \"run_name\": \"b\", \"run_type\": \"aggregate\", "
                      "\"aggregate_name\": \"mean\", " TIMES(
                          "5") "},"
                               "{\"name\": \"b_median\", \"run_name\": \"b\", \"run_type\": "
                               "\"aggregate\", "
                               "\"aggregate_name\": \"median\", " TIMES(
                                   "4") "},"
                                        "{\"name\": \"b_cv\", \"run_name\": \"b\", \"run_type\": "
                                        "\"aggregate\", "
                                        "\"aggregate_name\": \"cv\", \"aggregate_unit\": "
                                        "\"percentage\", " TIMES(
                                            "0.01") "},"
                                                    "{\"name\": \"c_stddev\", \"run_name\": \"c\", "
                                                    "\"run_type\": \"aggregate\", "
                                                    "\"aggregate_name\": \"stddev\", " TIMES(
                                                        "1") "},"
                                                             "{\"name\": \"b_BigO\", \"run_name\": "
                                                             "\"b\", \"run_type\": \"aggregate\", "
                                                             "\"aggregate_name\": \"BigO\", "
                                                             "\"cpu_coefficient\": 1, \"big_o\": "
                                                             "\"N\"}," ENTRY(
                                                                 "d",
                                                                 TIMES("9")) ","
                                                                             "{\"name\": "
                                                                             "\"d_median\", "
                                                                             "\"run_name\": \"d\", "
                                                                             "\"run_type\": "
                                                                             "\"aggregate\", "
                                                                             "\"aggregate_name\": "
                                                                             "\"median\", " TIMES(
                                                                                 "8") "}"));
    assert_int_equal(rig.report.samples, 3);
    expect_number(f, "benchmark=a_mean", "real_time", 3); /* the first run_name counts */
    expect_number(f, "benchmark=b", "real_time", 4);
    expect_number(f, "benchmark=d", "real_time", 9);
    assert_int_equal(count(f, "SELECT count(*) FROM v_fact WHERE name = 'aggregate' AND value IN "
                              "('median', 'mean')"),
                     2);
    assert_int_equal(import_noted(&rig, "sums without a median"), 1);
    assert_int_equal(import_noted(&rig, "complexity"), 1);
}

static void old_files_say_sums_by_names_alone(void **state)
{
    struct fixture *f = *state;
    struct import_rig rig = {.report = {.run = 0}};

    fixture_open(f, FL_STORE_CREATE);
    import_text(
        f, &rig,
        "{\"context\": {\"date\": \"2016-08-02 17:44:46\", \"num_cpus\": 4}, "
        "\"benchmarks\": [{\"name\": \"a/threads:4\", " TIMES(
            "1") "},"
                 "{\"name\": \"a/threads:4\", " TIMES(
                     "3") "},"
                          "{\"name\": \"a/threads:4_mean\", " TIMES(
                              "2") "},"
                                   "{\"name\": \"a/threads:4_stddev\", " TIMES(
                                       "1") "},"
                                            "{\"name\": \"arithmetic_mean\", " TIMES("6") "}]}");
    assert_int_equal(rig.report.samples, 2);
    expect_number(f, "benchmark=a/threads:4 threads=4", "real_time", 2);
    expect_number(f, "benchmark=arithmetic_mean", "real_time", 6);
    assert_int_equal(count(f, "SELECT started_ns / 1000000000 FROM run"), 1470159886);
    assert_int_equal(count(f, "SELECT count(*) FROM v_fact WHERE name = 'time-meaning' AND value "
                              "LIKE 'wall time divided by threads%'"),
                     1);
}

static void fields_win_over_counters_of_their_names(void **state)
{
    struct fixture *f = *state;
    struct import_rig rig = {.report = {.run = 0}};

    fixture_open(f, FL_STORE_CREATE);
    import_text(f, &rig,
                FILE_OF(ENTRY("a", TIMES("5") ", \"real_time\": 1, \"threads\": 9, \"label\": 3, "
                                              "\"mine\": 2, \"mine\": 4, \"label\": \"text\"")));
    expect_number(f, "benchmark=a", "real_time", 5);
    expect_number(f, "benchmark=a", "mine", 2);
    expect_number(f, "benchmark=a", "label", 3);
    assert_int_equal(import_noted(&rig, "'real_time'"), 1);
    assert_int_equal(import_noted(&rig, "'threads'"), 1);
    assert_int_equal(import_noted(&rig, "'mine'"), 1);
    assert_int_equal(
        count(f, "SELECT count(*) FROM v_fact WHERE name = 'label' AND value = 'text'"), 1);
}

static void units_are_scaled_and_kept(void **state)
{
    struct fixture *f = *state;
    struct import_rig rig = {.report = {.run = 0}};

    fixture_open(f, FL_STORE_CREATE);
    import_text(
        f, &rig,
        FILE_OF(ENTRY("ms", "\"real_time\": 2.5, \"cpu_time\": 1, \"time_unit\": \"ms\"") "," ENTRY(
            "s",
            "\"real_time\": 2, \"cpu_time\": 1, \"time_unit\": \"s\"") "," ENTRY("h",
                                                                                 "\"real_time\": "
                                                                                 "2, \"cpu_time\": "
                                                                                 "1, "
                                                                                 "\"time_unit\": "
                                                                                 "\"h\"")));
    expect_number(f, "benchmark=ms", "real_time", 2.5e6);
    expect_number(f, "benchmark=s", "real_time", 2e9);
    assert_int_equal(import_noted(&rig, "unknown unit"), 1);
    assert_int_equal(
        count(f, "SELECT count(*) FROM v_fact WHERE name = 'time_unit' AND value IN ('ms', 's')"),
        2);
}

static bool is_time(const char *metric)
{
    return strcmp(metric, "time") == 0;
}

/* A counter must not change what a metric of ours means. */
static void names_that_are_taken_are_not_taken_over(void **state)
{
    struct fixture *f = *state;
    struct import_rig rig = {.options = {.known = is_time}};

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    import_text(f, &rig, FILE_OF(ENTRY("a", TIMES("5") ", \"gflops\": 3, \"time\": 4")));
    assert_int_equal(count(f, "SELECT count(*) FROM metric WHERE name = 'gflops' AND kind = "
                              "'timed' AND better = 'more'"),
                     1);
    assert_int_equal(count(f, "SELECT count(*) FROM v_value WHERE run = 2 AND name IN "
                              "('gflops (Google Benchmark)', 'time (Google Benchmark)') AND kind = "
                              "'level' AND better = 'none'"),
                     2);
}

/* ---- files ---- */

static void documents_and_files_are_rounds(void **state)
{
    struct fixture *f = *state;
    struct import_rig rig = {.report = {.run = 0}};
    const char *const texts[] = {"Run on (2 X 2000 MHz)\n" FILE_OF(ENTRY("a", TIMES("1"))) FILE_OF(
                                     ENTRY("a", TIMES("2"))) "\n Performance counter stats:\n",
                                 FILE_OF(ENTRY("a", TIMES("3"))), NULL};

    fixture_open(f, FL_STORE_CREATE);
    fixture_ok(f, import_texts(f, &rig, texts));
    assert_int_equal(rig.report.rounds, 3);
    assert_int_equal(rig.report.runs, 1);
    assert_int_equal(count(f, "SELECT count(*) FROM v_value WHERE name = 'real_time' AND value = "
                              "round + 1"),
                     3);
    assert_int_equal(count(f, "SELECT rounds FROM run"), 3);
    assert_int_equal(import_noted(&rig, "other text"), 2);
}

static void failing_imports_leave_nothing(void **state)
{
    static const char *const tables[] = {"run",    "cell",  "machine", "sample",
                                         "metric", "value", "fact",    "environment"};
    struct fixture *f = *state;
    struct import_rig rig = {.report = {.run = 0}};
    const char *const texts[] = {FILE_OF(ENTRY("a", TIMES("1"))), "no result of anything", NULL};
    char sql[64];

    fixture_open(f, FL_STORE_CREATE);
    assert_int_equal(import_texts(f, &rig, texts), -EINVAL);
    assert_int_equal(import_bytes(f, &rig, "{\"benchmarks\": []}", 18), -ENODATA);
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", tables[i]);
        assert_int_equal(count(f, sql), 0);
    }
    /* The store is as usable as before. */
    import_text(f, &rig, texts[0]);
    assert_int_equal(count(f, "SELECT count(*) FROM sample"), 1);
}

static void cut_files_give_what_was_complete(void **state)
{
    static const char whole[] = FILE_OF(
        ENTRY("a", TIMES("1") ", \"x\": 1.5e3, \"label\": \"\\u00e4\"") "," ENTRY("b", TIMES("2")));
    struct fixture *f = *state;
    size_t before = 0;

    fixture_open(f, FL_STORE_CREATE);
    for (size_t length = 1; length < sizeof(whole); length++) {
        struct import_rig rig = {.options = {.format = "gbench"}};
        int status = import_bytes(f, &rig, whole, length);
        assert_true(status == 0 || status == -ENODATA);
        size_t samples = status ? 0 : rig.report.samples;
        assert_true(samples >= before);
        before = samples;
        if (!status)
            assert_int_equal(import_noted(&rig, "ends in the middle"), length < sizeof(whole) - 1);
    }
    assert_int_equal(before, 2);
}

static void documents_behind_a_cut_one_are_rounds_too(void **state)
{
    struct fixture *f = *state;
    struct import_rig rig = {.report = {.run = 0}};

    fixture_open(f, FL_STORE_CREATE);
    import_text(
        f, &rig,
        "{\"context\": {\"host_name\": \"box\", \"num_cpus\": 2},\n\"benchmarks\": [" ENTRY(
            "a", TIMES("1")) ",\n" FILE_OF(ENTRY("a", TIMES("2")) "," ENTRY("b", TIMES("3"))));
    assert_int_equal(rig.report.rounds, 2);
    assert_int_equal(rig.report.samples, 3);
    assert_int_equal(import_noted(&rig, "cut off"), 1);
    assert_int_equal(import_noted(&rig, "ends in the middle"), 1);
}

static void hostile_names_are_only_text(void **state)
{
    static const char text[] = FILE_OF(ENTRY("'; DROP TABLE run; --", TIMES("1")) "," ENTRY(
        "a\\\"b\\\\c\\nz\\u0000e\\u001b[31m`x`<script>",
        TIMES("2") ", \"c\\\"\\n\": 1") "," ENTRY("", TIMES("3")) "," ENTRY("=,#;", TIMES("4")));
    struct fixture *f = *state;
    struct import_rig rig = {.report = {.run = 0}};

    fixture_open(f, FL_STORE_CREATE);
    import_text(f, &rig, text);
    assert_int_equal(rig.report.samples, 3);
    assert_int_equal(import_noted(&rig, "without a name"), 1);
    expect_number(f, "benchmark=\"'; DROP TABLE run; --\"", "real_time", 1);
    expect_number(f, "benchmark=\"=,#;\"", "real_time", 4);
    assert_int_equal(count(f, "SELECT count(*) FROM cell_factor WHERE level = 'a\"b\\c' || "
                              "char(10) || 'z' || char(65533) || 'e' || char(27) || "
                              "'[31m`x`<script>'"),
                     1);
    enum { LONG = 90000 };
    char *long_name = NULL;
    char *xs = malloc(LONG + 1);
    assert_non_null(xs);
    memset(xs, 'x', LONG);
    xs[LONG] = '\0';
    assert_true(asprintf(&long_name,
                         FILE_OF("{\"name\": \"%s\", \"real_time\": 1}," ENTRY("b", TIMES("1"))),
                         xs) > 0);
    free(xs);
    import_text(f, &rig, long_name);
    assert_int_equal(import_noted(&rig, "names longer"), 1);
    assert_int_equal(rig.report.samples, 1);
    free(long_name);
}

/* ---- hyperfine ---- */

static void commands_are_cells_and_their_parameters_factors(void **state)
{
    struct fixture *f = *state;
    struct import_rig rig = {.report = {.run = 0}};

    fixture_open(f, FL_STORE_CREATE);
    import_text(f, &rig,
                "{\"results\": [{\"command\": \"f 1\", \"mean\": 9, \"median\": 9, \"user\": 0.5, "
                "\"system\": 0.0, \"times\": [3, 1, 2], \"memory_usage_byte\": [10, 30, 20], "
                "\"exit_codes\": [0, 0, 0], \"parameters\": {\"n\": \"1\", \"a b\": \"x\"}},"
                "{\"command\": \"old\", \"mean\": 9, \"stddev\": null, \"median\": 8, \"user\": 1, "
                "\"system\": 1, \"min\": 1, \"max\": 2},"
                "{\"command\": \"bad\", \"mean\": 1, \"times\": [1e-9, 1], \"exit_codes\": [127, "
                "null]},"
                "{\"command\": \"zero\", \"times\": [0.0, 1], \"user\": 0.1, \"system\": 0.1}]}");
    assert_int_equal(rig.report.samples, 4);
    assert_int_equal(rig.report.failed, 1);
    expect_number(f, "benchmark=\"f 1\" n=1", "times", 2);
    expect_number(f, "benchmark=\"f 1\" n=1", "memory_usage_byte", 20);
    expect_number(f, "benchmark=\"f 1\" n=1", "system", 0);
    expect_number(f, "benchmark=old", "times", 8);
    expect_number(f, "benchmark=zero", "times", (double)NAN);
    assert_int_equal(count(f, "SELECT count(*) FROM v_sample WHERE outcome = 'failed' AND reason = "
                              "'exit code 127'"),
                     1);
    assert_int_equal(
        count(f, "SELECT count(*) FROM v_fact WHERE name = 'parameter a b' AND value = 'x'"), 1);
    assert_int_equal(count(f, "SELECT count(*) FROM metric WHERE name = 'times' AND unit = 's'"),
                     1);
}

/* ---- perf stat ---- */

static void events_are_metrics(void **state)
{
    static const char csv[] = "# started on Tue\n\n103,,page-faults,1064779,50.00,96.734,K/sec\n"
                              "1.06,msec,task-clock,1064779,100.00,0.654,CPUs utilized\n"
                              "<not supported>,,cycles,0,100.00,,\n"
                              "7,,cpu/event=0x3c,umask=0x1/,1064779,100.00,,\n"
                              ",,,,,1.2,insn per cycle\n";
    struct fixture *f = *state;
    struct import_rig rig = {.options = {.scenario = "prog"}};

    fixture_open(f, FL_STORE_CREATE);
    import_text(f, &rig, csv);
    expect_number(f, "benchmark=prog", "page-faults", 103);
    expect_number(f, "benchmark=prog", "task-clock", 1.06);
    expect_number(f, "benchmark=prog", "cpu/event=0x3c,umask=0x1/", 7);
    expect_number(f, "benchmark=prog", "cycles", (double)NAN);
    assert_int_equal(count(f, "SELECT count(*) FROM value WHERE scale = 2"), 1);
    assert_int_equal(
        count(f, "SELECT count(*) FROM v_value WHERE reason = 'the file says <not supported>'"), 1);
}

static void intervals_add_up_and_outputs_are_rounds(void **state)
{
    static const char intervals[] =
        "  0.02;75;;page-faults;917449;100.00;;\n  0.04;5;;page-faults;917449;100.00;;\n";
    static const char twice[] =
        "{\"counter-value\" : \"48.000000\", \"unit\" : \"\", \"event\" : \"page-faults\"}\n"
        "{\"counter-value\" : \"49.000000\", \"unit\" : \"\", \"event\" : \"page-faults\"}\n";
    struct fixture *f = *state;
    struct import_rig rig = {.options = {.scenario = "prog", .format = "perf-csv"}};

    fixture_open(f, FL_STORE_CREATE);
    import_text(f, &rig, intervals);
    expect_number(f, "benchmark=prog", "page-faults", 80);
    rig.options.format = NULL;
    import_text(f, &rig, twice);
    assert_int_equal(rig.report.rounds, 2);
    assert_int_equal(count(f, "SELECT sum(value) FROM v_value WHERE run = 2"), 97);
}

/* ---- our own ---- */

static char *export_run(struct fixture *f, int64_t run)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    fixture_ok(f, fl_export_json(f->store, run, out, &f->err));
    fclose(out);
    return text;
}

static void exports_of_ours_come_back_whole(void **state)
{
    static const char *const same[] = {
        "SELECT key, mode, round, seed, outcome, reason, calls, started, duration_ns, cpu, load, "
        "steal_ns FROM v_sample WHERE run = ",
        "SELECT key, v.mode, round, name, unit, kind, better, total, calls, scale, value, state, "
        "reason FROM v_value AS v JOIN cell ON cell.id = v.cell WHERE run = ",
        "SELECT key, name, value FROM v_fact JOIN cell ON cell.id = cell WHERE run = ",
        "SELECT position, key FROM run_cell JOIN cell ON id = cell WHERE run = ",
        "SELECT host, label, scenario, title, scenario_text, seed, settle_ns, window_ns, rounds, "
        "counted_rounds, counted_calls, started_ns, status FROM run WHERE id = ",
        "SELECT name, value FROM environment WHERE name <> 'imported-uuid' AND run = ",
    };
    struct fixture *f = *state;
    struct import_rig rig = {.report = {.run = 0}};
    char sql[1024];

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    fixture_query(f,
                  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) "
                  "INSERT INTO environment SELECT 1, 'fact-' || i, i FROM n RETURNING 1");
    int64_t cell = fixture_cell(f, "192", "stack+malloc", "glibc", NULL);
    (void)fixture_cell(f, "200", "stack+malloc", "glibc", "no such library");
    fixture_timed(f, cell, 0, 1000, 1234.5);
    fixture_timed(f, cell, 1, 1000, 1.0 / 3);
    fixture_counted(f, cell, 0, 200, 112);
    fixture_ok(f, fl_store_set_status(f->store, f->run, FL_RUN_FINISHED, &f->err));
    char *text = export_run(f, f->run);
    import_text(f, &rig, text);
    free(text);
    assert_int_equal(rig.report.run, 2);
    assert_int_equal(rig.report.samples, 3);
    assert_int_equal(rig.report.count, 0);
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        snprintf(sql, sizeof(sql),
                 "SELECT (SELECT count(*) FROM (%s 1 EXCEPT %s 2)) + (SELECT count(*) FROM (%s 2 "
                 "EXCEPT %s 1)) + 100 * ((SELECT count(*) FROM (%s 2)) = 0)",
                 same[i], same[i], same[i], same[i], same[i]);
        assert_int_equal(count(f, sql), 0);
    }
    assert_int_equal(count(f, "SELECT count(*) FROM run JOIN machine ON machine = machine.id WHERE "
                              "origin = 'faultline' AND fingerprint = 'imported "
                              "test-cpu/4096/glibc-2.36'"),
                     1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(repetitions_are_one_sample_wherever_they_stand),
        TEST(errors_are_never_fast),
        cmocka_unit_test(zeros_and_no_numbers_are_no_times),
        TEST(sums_stand_in_only_for_what_is_not_there),
        TEST(old_files_say_sums_by_names_alone),
        TEST(fields_win_over_counters_of_their_names),
        TEST(units_are_scaled_and_kept),
        TEST(names_that_are_taken_are_not_taken_over),
        TEST(documents_and_files_are_rounds),
        TEST(failing_imports_leave_nothing),
        TEST(cut_files_give_what_was_complete),
        TEST(documents_behind_a_cut_one_are_rounds_too),
        TEST(hostile_names_are_only_text),
        TEST(commands_are_cells_and_their_parameters_factors),
        TEST(events_are_metrics),
        TEST(intervals_add_up_and_outputs_are_rounds),
        TEST(exports_of_ours_come_back_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
