/* SPDX-License-Identifier: Apache-2.0 */
/* What one process says about its benchmark becomes a time, counters or a reason. */
#include "runner/gbench-entry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The entry of benchmark `name` in this JSON. */
static struct fl_gbench_result read_entry(const char *json, const char *name)
{
    struct fl_gbench_text text = {.length = 0};
    struct fl_gbench_result result = {.failure = ""};
    struct fl_err err;
    char *lines = strdup(json), *save = NULL;
    for (char *line = strtok_r(lines, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        fl_gbench_text_line(&text, line);
    assert_int_equal(fl_gbench_entry_read(&text, name, &result, &err), 0);
    free(lines);
    free(text.bytes);
    return result;
}

static void a_row_is_a_time_and_counters(void **state)
{
    (void)state;
    struct fl_gbench_result r = read_entry(
        "{\"context\": {\"library_version\": \"1.9.1\"},\n\"benchmarks\": [{\n\"name\": \"a/8\", "
        "\"run_name\": \"a/8\", \"run_type\": \"iteration\", \"iterations\": 10, \"threads\": 2,\n"
        "\"real_time\": 2.5, \"cpu_time\": 5, \"time_unit\": \"us\", \"rate\": 7e9, \"bad\": NaN, "
        "\"label\": \"x\"}]}",
        "a/8");
    assert_string_equal(r.failure, "");
    assert_float_equal(r.real_ns, 2500, 0);
    assert_float_equal(r.cpu_ns, 5000, 0);
    assert_int_equal(r.iterations, 10);
    assert_int_equal(r.threads, 2);
    assert_string_equal(r.version, "1.9.1");
    assert_int_equal(r.counter_count, 1);
    assert_string_equal(r.counters[0].name, "rate");
    assert_float_equal(r.counters[0].value, 7e9, 0);
}

static void repetitions_are_one_sample_without_their_aggregates(void **state)
{
    (void)state;
    struct fl_gbench_result r =
        read_entry("{\"benchmarks\": ["
                   "{\"name\": \"a\", \"iterations\": 3, \"real_time\": 2, \"cpu_time\": 2, "
                   "\"time_unit\": \"ns\"},"
                   "{\"name\": \"a\", \"iterations\": 5, \"real_time\": 4, \"cpu_time\": 4, "
                   "\"time_unit\": \"ns\"},"
                   "{\"name\": \"a_mean\", \"run_name\": \"a\", \"aggregate_name\": \"mean\", "
                   "\"iterations\": 2, "
                   "\"real_time\": 3, \"cpu_time\": 3, \"time_unit\": \"ns\"}]}",
                   "a");
    assert_string_equal(r.failure, "");
    assert_float_equal(r.real_ns, 3, 0);
    assert_int_equal(r.iterations, 8);
}

static void what_has_no_time_says_why(void **state)
{
    (void)state;
    static const struct {
        const char *json, *why;
    } cases[] = {
        {"{\"benchmarks\": [{\"name\": \"a\", \"error_occurred\": true, \"error_message\": \"no "
         "GPU\", "
         "\"real_time\": 0, \"cpu_time\": 0, \"time_unit\": \"ns\"}]}",
         "no GPU"},
        {"{\"benchmarks\": [{\"name\": \"a\", \"skipped\": true, \"skip_message\": \"later\"}]}",
         "later"},
        {"{\"benchmarks\": [{\"name\": \"a\", \"real_time\": 0, \"cpu_time\": 0, "
         "\"time_unit\": \"ns\"}]}",
         "no time above 0"},
        {"{\"benchmarks\": [{\"name\": \"a\", \"real_time\": NaN, \"cpu_time\": 0, "
         "\"time_unit\": \"ns\"}]}",
         "no time above 0"},
        {"{\"benchmarks\": [{\"name\": \"a\", \"real_time\": 1, \"cpu_time\": 1, "
         "\"time_unit\": \"parsec\"}]}",
         "no time above 0"},
        {"{\"benchmarks\": [{\"name\": \"b\", \"real_time\": 1, \"time_unit\": \"ns\"}]}",
         "no measurement"},
        {"{\"benchmarks\": [{\"name\": \"a\"", "cannot be read"},
        {"{\"benchmarks\": 3}", "cannot be read"},
        {"[]", "cannot be read"},
        {"", "wrote no JSON"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fl_gbench_result r = read_entry(cases[i].json, "a");
        assert_non_null(strstr(r.failure, cases[i].why));
    }
}

static void a_flood_is_given_up(void **state)
{
    (void)state;
    struct fl_gbench_text text = {.length = 0};
    struct fl_gbench_result result = {.failure = ""};
    struct fl_err err;
    char line[4096];
    memset(line, 'x', sizeof line - 1);
    line[sizeof line - 1] = 0;
    for (int i = 0; i < 300; i++)
        fl_gbench_text_line(&text, line);
    assert_true(text.lost);
    assert_int_equal(fl_gbench_entry_read(&text, "a", &result, &err), 0);
    assert_non_null(strstr(result.failure, "too long"));
    free(text.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_a_time_and_counters),
        cmocka_unit_test(repetitions_are_one_sample_without_their_aggregates),
        cmocka_unit_test(what_has_no_time_says_why),
        cmocka_unit_test(a_flood_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
