/* SPDX-License-Identifier: Apache-2.0 */
/* A Google Benchmark program is listed and run one benchmark at a time; others are refused. */
#include "runner/gbench-program.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct listed {
    size_t count;
    bool odd_name;
};

static void keep(void *arg, const char *name)
{
    struct listed *listed = arg;
    listed->count++;
    listed->odd_name |= !strcmp(name, "odd<a+b>/(x|y)/[2]/8");
}

static struct fl_gbench_program open_program(void)
{
    struct fl_gbench_program program = {.path = FL_TEST_GBENCH_PROGRAM};
    struct fl_err err;
    assert_int_equal(fl_gbench_program_open(&program, &err), 0);
    return program;
}

static struct fl_gbench_result run_for(const struct fl_gbench_program *program, const char *name,
                                       int64_t iterations)
{
    const struct fl_gbench_task task = {name, 0.001, 0.001, iterations, 30};
    struct fl_gbench_result result;
    struct fl_err err;
    assert_int_equal(fl_gbench_program_run(program, &task, &result, &err), 0);
    return result;
}

static struct fl_gbench_result run_one(const struct fl_gbench_program *program, const char *name)
{
    return run_for(program, name, 100);
}

static void names_are_listed(void **state)
{
    (void)state;
    struct fl_gbench_program program = open_program();
    struct listed listed = {0, false};
    struct fl_err err;
    assert_int_equal(fl_gbench_program_list(&program, "", keep, &listed, &err), 0);
    assert_int_equal(listed.count, 4);
    assert_true(listed.odd_name);
    listed.count = 0;
    assert_int_equal(fl_gbench_program_list(&program, "^add", keep, &listed, &err), 0);
    assert_int_equal(listed.count, 1);
}

static void one_is_run_and_no_other(void **state)
{
    (void)state;
    struct fl_gbench_program program = open_program();
    struct fl_gbench_result result = run_one(&program, "odd<a+b>/(x|y)/[2]/8");
    assert_string_equal(result.failure, "");
    assert_int_equal(result.end.exit_status, 0);
    assert_true(result.real_ns > 0);
    if (program.takes_iterations)
        assert_int_equal(result.iterations, 100);
    assert_int_equal(result.counter_count, 1);
    assert_string_equal(result.counters[0].name, "argument");
    assert_float_equal(result.counters[0].value, 8, 0);
}

/* As many as an earlier process told of all threads and repetitions, not as many in each. A script
 * stands in, since the libraries of some systems are older than 1.8. */
static void threads_and_repetitions_share_the_iterations(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t told, asked;
    } cases[] = {{"a", 300, 300},
                 {"a/repeats:3", 300, 100},
                 {"a/repeats:3/threads:4", 1200, 100},
                 {"a/threads:4", 1, 1}};
    char path[] = "/tmp/faultline-gbench-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_true(dprintf(fd, "#!/bin/sh\nfor a; do case $a in --benchmark_min_time=*x) n=${a#*=};; "
                            "--benchmark_filter=*) b=${a#*=^};; esac; done\n"
                            "echo '{\"context\": {}, \"benchmarks\": [{\"name\": \"'${b%%$}'\", "
                            "\"iterations\": '${n%%x}', \"real_time\": 1, \"cpu_time\": 1, "
                            "\"time_unit\": \"ns\"}]}' >&3\n") > 0);
    assert_int_equal(fchmod(fd, 0700), 0);
    close(fd);
    const struct fl_gbench_program program = {.path = path, .takes_iterations = true};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fl_gbench_result result = run_for(&program, cases[i].name, cases[i].told);
        assert_string_equal(result.failure, "");
        assert_int_equal(result.iterations, cases[i].asked);
    }
    unlink(path);
}

static void failures_are_told(void **state)
{
    (void)state;
    struct fl_gbench_program program = open_program();
    assert_non_null(strstr(run_one(&program, "fails").failure, "no \"device\""));
    assert_non_null(strstr(run_one(&program, "not there").failure, "no "));
    struct fl_gbench_result crashed = run_one(&program, "crashes");
    assert_int_not_equal(crashed.end.signal, 0);
    assert_true(crashed.failure[0]);
}

static void other_programs_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int rc;
    } cases[] = {{"/bin/true", -ENOEXEC}, {"/bin/false", -ENOEXEC}, {"/no/such", -ENOENT}};
    struct fl_gbench_program program;
    struct fl_err err;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        program = (struct fl_gbench_program){.path = cases[i].path};
        int rc = fl_gbench_program_open(&program, &err);
        if (!rc)
            rc = fl_gbench_program_list(&program, "", keep, &(struct listed){0, false}, &err);
        assert_int_equal(rc, cases[i].rc);
        assert_non_null(strstr(err.text, cases[i].path));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_listed),
        cmocka_unit_test(one_is_run_and_no_other),
        cmocka_unit_test(threads_and_repetitions_share_the_iterations),
        cmocka_unit_test(failures_are_told),
        cmocka_unit_test(other_programs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
