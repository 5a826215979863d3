/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs, filters and lists in this process, and a C benchmark program under its flags in another.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "gbench-rows.h"

static void count_calls(struct fl_state *state, void *arg)
{
    int *calls = arg;
    (*calls)++;
    while (fl_state_next(state))
        ;
}

static int calls;

static int add_three(void **state)
{
    (void)state;
    const char *const names[] = {"one", "two", "three"};
    calls = 0;
    if (fl_bench_clear())
        return -1;
    for (size_t i = 0; i < 3; i++) {
        struct fl_bench *bench = NULL;
        if (fl_bench_register(names[i], count_calls, &calls, &bench) ||
            fl_bench_iterations(bench, 1))
            return -1;
    }
    return 0;
}

static size_t matches(const char *filter)
{
    size_t matched = 99;
    const struct fl_reporter nobody = {0};
    const int rc = fl_bench_run(filter, &nobody, &matched);
    assert_int_equal(rc, matched ? 0 : -ENOENT);
    return matched;
}

static void a_filter_selects_by_regular_expression(void **state)
{
    (void)state;
    assert_int_equal(matches(NULL), 3);
    assert_int_equal(matches("."), 3);
    assert_int_equal(matches("^t"), 2);
    assert_int_equal(matches("-^t"), 1);
    assert_int_equal(matches("e/"), 2);
    assert_int_equal(calls, 11);
    assert_int_equal(matches("four"), 0);
    assert_int_equal(matches("("), 0);
    assert_int_equal(calls, 11);
    assert_int_equal(fl_bench_run("one", &(struct fl_reporter){0}, NULL), 0);
}

static bool refuse(const struct fl_run_context *context, void *arg)
{
    (void)context;
    (void)arg;
    return false;
}

static void a_reporter_that_refuses_to_begin_runs_nothing(void **state)
{
    (void)state;
    const struct fl_reporter reporter = {.begin = refuse};
    size_t matched = 0;
    assert_int_equal(fl_bench_run(NULL, &reporter, &matched), 0);
    assert_int_equal(matched, 3);
    assert_int_equal(calls, 0);
}

static void clearing_forgets_all(void **state)
{
    (void)state;
    assert_int_equal(fl_bench_clear(), 0);
    assert_int_equal(matches(NULL), 0);
    assert_int_equal(calls, 0);
}

static void join(const char *name, void *arg)
{
    strcat(strcat(arg, name), " ");
}

static void a_list_names_what_would_run_and_runs_nothing(void **state)
{
    (void)state;
    char names[256] = "";
    assert_int_equal(fl_bench_list(NULL, join, names), 0);
    assert_string_equal(names, "one/iterations:1 two/iterations:1 three/iterations:1 ");
    names[0] = '\0';
    assert_int_equal(fl_bench_list("^t", join, names), 0);
    assert_string_equal(names, "two/iterations:1 three/iterations:1 ");
    assert_int_equal(fl_bench_list("four", join, names), -ENOENT);
    assert_int_equal(fl_bench_list(NULL, NULL, NULL), -EINVAL);
    assert_int_equal(calls, 0);
    assert_int_equal(matches(NULL), 3);
    assert_int_equal(calls, 3);
}

static bool keep_executable(const struct fl_run_context *context, void *arg)
{
    strcat(arg, context->executable);
    return true;
}

static void flags_are_taken_out_of_argv(void **state)
{
    (void)state;
    char program[] = "a program", filter[] = "--benchmark_filter=thr", other[] = "other";
    char *argv[] = {program, filter, other, NULL};
    int argc = 3;
    char executable[64] = "", names[64] = "";
    assert_int_equal(fl_bench_initialize(&argc, argv), 0);
    assert_int_equal(argc, 2);
    assert_string_equal(argv[1], "other");
    assert_true(fl_bench_report_unrecognized(argc, argv));
    assert_false(fl_bench_report_unrecognized(1, argv));
    assert_int_equal(matches(NULL), 1);
    assert_int_equal(matches("."), 3);
    assert_int_equal(fl_bench_list(NULL, join, names), 0);
    assert_string_equal(names, "three/iterations:1 ");
    const struct fl_reporter reporter = {.begin = keep_executable, .arg = executable};
    assert_int_equal(fl_bench_run(NULL, &reporter, NULL), 0);
    assert_string_equal(executable, "a program");
    strcpy(filter, "--benchmark_filter=");
    argv[1] = filter;
    argc = 2;
    assert_int_equal(fl_bench_initialize(&argc, argv), 0);
    assert_int_equal(matches(NULL), 3);
}

static void missing_arguments_are_refused(void **state)
{
    (void)state;
    char *argv[] = {NULL};
    int argc = 0;
    assert_int_equal(fl_bench_initialize(NULL, argv), -EINVAL);
    assert_int_equal(fl_bench_initialize(&argc, argv), -EINVAL);
    argc = 1;
    assert_int_equal(fl_bench_initialize(&argc, NULL), -EINVAL);
    assert_int_equal(fl_bench_initialize(&argc, argv), -EINVAL);
    assert_int_equal(fl_bench_add_context(NULL, "value"), -EINVAL);
    assert_int_equal(fl_bench_add_context("key", NULL), -EINVAL);
}

/* ---- The sample program ---------------------------------------------------------------------- */

static char output[1 << 16];

/* Runs the sample program under a shell; its stdout lands in `output`. Its exit status. */
static int sample(const char *flags)
{
    char command[1024];
    snprintf(command, sizeof(command), "'%s' %s 2>/dev/null", GBENCH_SAMPLE, flags);
    FILE *pipe = popen(command, "r"); /* NOLINT(cert-env33-c): fixed words of this test only */
    assert_non_null(pipe);
    const size_t length = fread(output, 1, sizeof(output) - 1, pipe);
    output[length] = '\0';
    const int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static struct json_object *parse(const char *text)
{
    enum json_tokener_error error;
    struct json_object *root = json_tokener_parse_verbose(text, &error);
    if (!root)
        fail_msg("%s in %s", json_tokener_error_desc(error), text);
    return root;
}

static struct json_object *member(struct json_object *object, const char *key)
{
    struct json_object *value = NULL;
    if (!json_object_object_get_ex(object, key, &value))
        fail_msg("no '%s' in %s", key, json_object_to_json_string(object));
    return value;
}

static struct json_object *find(struct json_object *root, const char *name)
{
    struct json_object *list = member(root, "benchmarks");
    for (size_t i = 0; i < json_object_array_length(list); i++) {
        struct json_object *row = json_object_array_get_idx(list, i);
        if (strcmp(json_object_get_string(member(row, "name")), name) == 0)
            return row;
    }
    fail_msg("no '%s' in %s", name, json_object_to_json_string(list));
    return NULL;
}

static void assert_text(struct json_object *row, const char *key, const char *text)
{
    assert_string_equal(json_object_get_string(member(row, key)), text);
}

#define SHORT "--benchmark_min_time=0.001 "

static void json_output_is_valid_and_carries_the_names(void **state)
{
    (void)state;
    assert_int_equal(sample(SHORT "--benchmark_format=json --benchmark_context=who=me"), 0);
    struct json_object *root = parse(output);
    assert_text(member(root, "context"), "who", "me");
    const char *const names[] = {"copy/bytes:64", "copy/bytes:512", "copy/bytes:4096"};
    for (size_t i = 0; i < 3; i++) {
        struct json_object *row = find(root, names[i]);
        assert_text(row, "run_type", "iteration");
        assert_text(row, "label", "a \"label\"");
        assert_true(json_object_get_double(member(row, "bytes_per_second")) > 0);
        assert_true(json_object_get_double(member(row, "real_time")) > 0);
    }
    assert_text(find(root, "copy_BigO"), "aggregate_name", "BigO");
    assert_text(find(root, "copy_BigO"), "big_o", "N");
    assert_text(find(root, "copy_RMS"), "aggregate_name", "RMS");
    assert_true(json_object_get_boolean(member(find(root, "fails"), "error_occurred")));
    assert_text(find(root, "fails"), "error_message", "no \\ such \"file\"");
    struct json_object *row = find(root, "by-hand/manual_time");
    assert_text(row, "time_unit", "ms");
    assert_true(fabs(json_object_get_double(member(row, "real_time")) - 2.0) < 1e-6);
    assert_true(fabs(json_object_get_double(member(row, "answer")) - 42.0) < 1e-9);
    json_object_put(root);
}

static void the_file_reporter_works_beside_the_console(void **state)
{
    (void)state;
    char path[] = "/tmp/gbench-session-XXXXXX", flags[256], text[1 << 14];
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    snprintf(flags, sizeof(flags), SHORT "--benchmark_filter=hand --benchmark_out=%s", path);
    assert_int_equal(sample(flags), 0);
    assert_non_null(strstr(output, "by-hand/manual_time"));
    const ssize_t length = read(fd, text, sizeof(text) - 1);
    close(fd);
    unlink(path);
    assert_true(length > 0);
    text[length] = '\0';
    struct json_object *root = parse(text);
    find(root, "by-hand/manual_time");
    json_object_put(root);
}

static void the_list_flag_lists(void **state)
{
    (void)state;
    assert_int_equal(sample("--benchmark_list_tests"), 0);
    assert_string_equal(output, "copy/bytes:64\ncopy/bytes:512\ncopy/bytes:4096\nfails\n"
                                "by-hand/manual_time\n");
    assert_int_equal(sample("--benchmark_list_tests --benchmark_filter=-copy"), 0);
    assert_string_equal(output, "fails\nby-hand/manual_time\n");
}

static void repetitions_aggregates_and_units_are_flags_too(void **state)
{
    (void)state;
    assert_int_equal(sample(SHORT "--benchmark_filter=hand --benchmark_repetitions=3 "
                                  "--benchmark_report_aggregates_only "
                                  "--benchmark_format=json"),
                     0);
    struct json_object *root = parse(output);
    assert_int_equal(json_object_array_length(member(root, "benchmarks")), 4);
    struct json_object *row = find(root, "by-hand/manual_time_median");
    assert_int_equal(json_object_get_int(member(row, "repetitions")), 3);
    json_object_put(root);
    assert_int_equal(sample(SHORT "--benchmark_filter=bytes:64 --benchmark_time_unit=us "
                                  "--benchmark_format=json"),
                     0);
    root = parse(output);
    assert_text(find(root, "copy/bytes:64"), "time_unit", "us");
    json_object_put(root);
}

static void csv_is_a_format_too(void **state)
{
    (void)state;
    assert_int_equal(sample(SHORT "--benchmark_filter=hand --benchmark_format=csv"), 0);
    assert_non_null(strstr(output, "\"by-hand/manual_time\","));
}

static void mistakes_on_the_command_line_fail(void **state)
{
    (void)state;
    assert_int_equal(sample("leftover"), 1);
    assert_int_equal(sample("--benchmark_unheard_of=1"), 1);
    assert_int_equal(sample("--benchmark_filter=nothing"), 1);
    assert_int_equal(sample("--benchmark_filter='('"), 1);
    assert_int_equal(sample("--benchmark_out=/no/such/folder/file"), 1);
    assert_int_equal(sample("--help"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_filter_selects_by_regular_expression, add_three),
        cmocka_unit_test_setup(a_reporter_that_refuses_to_begin_runs_nothing, add_three),
        cmocka_unit_test_setup(clearing_forgets_all, add_three),
        cmocka_unit_test_setup(a_list_names_what_would_run_and_runs_nothing, add_three),
        cmocka_unit_test_setup(flags_are_taken_out_of_argv, add_three),
        cmocka_unit_test_setup(missing_arguments_are_refused, add_three),
        cmocka_unit_test(json_output_is_valid_and_carries_the_names),
        cmocka_unit_test(the_file_reporter_works_beside_the_console),
        cmocka_unit_test(the_list_flag_lists),
        cmocka_unit_test(repetitions_aggregates_and_units_are_flags_too),
        cmocka_unit_test(csv_is_a_format_too),
        cmocka_unit_test(mistakes_on_the_command_line_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
