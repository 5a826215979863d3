/* SPDX-License-Identifier: Apache-2.0 */
/* Sides that are Google Benchmark programs, revisions and versions of Eigen, up to their cells. */
#include "runner/side.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "runner/tool.h"

static const char text[] = "[scenario]\nname = s\n[factors]\nkernel = dgemm\nn = 8\n"
                           "library = eigen\n";

static struct fl_scenario scenario;
static struct fl_side side;
static struct fl_err err;
static char folder[64];

static void shell(const char *command)
{
    const char *const argv[] = {"sh", "-c", command, FL_TEST_GBENCH_PROGRAM, NULL};
    const struct fl_tool tool = {.argv = argv, .timeout = 60};
    struct fl_err why;
    if (fl_tool_run(&tool, NULL, 0, &why))
        fail_msg("%s", why.text);
}

/* A repository of one revision, tagged v1, whose file `program` is not what the folder has now. */
static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/faultline-subjects-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(setenv("TMPDIR", folder, 1), 0);
    assert_int_equal(fl_scenario_read("s.ini", text, strlen(text), false, &scenario, &err), 0);
    shell("mkdir repository && cd repository && git init -q . && git config user.name t && "
          "git config user.email t@t && git config commit.gpgsign false && cp \"$0\" source && "
          "git add . && git commit -qm a && git tag v1 && echo other >source");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    const char *const argv[] = {"rm", "-rf", folder, NULL};
    const struct fl_tool tool = {.folder = "/", .argv = argv, .timeout = 60};
    fl_scenario_release(&scenario);
    return chdir("/") || fl_tool_run(&tool, NULL, 0, &err);
}

static int open_side(const char *words, const char *build)
{
    const struct fl_side_request request = {
        .text = words, .scenario = &scenario, .worker = "/w", .shim = FL_TEST_SHIM, .build = build};
    return fl_side_open(&side, &request, &err);
}

static void must_open(const char *words, const char *build)
{
    if (open_side(words, build))
        fail_msg("%s", err.text);
}

static void must_refuse(const char *words, const char *reason)
{
    assert_int_not_equal(open_side(words, NULL), 0);
    if (!strstr(err.text, reason))
        fail_msg("'%s' does not say: %s", err.text, reason);
}

/* Nothing but what set_up() made: private folders are gone. */
static void must_be_clean(void)
{
    shell("test \"$(ls)\" = repository");
}

static void a_program_has_its_benchmarks_as_cells(void **state)
{
    (void)state;
    struct fl_plan plan;
    struct fl_side_levels levels;
    must_open("gbench=" FL_TEST_GBENCH_PROGRAM, NULL);
    assert_int_equal(side.ops->plan(&side, &plan, &err), 0);
    assert_int_equal(plan.count, 4);
    assert_string_equal(plan.keys[1], "benchmark=add/1");
    assert_int_equal(side.ops->levels(&side, plan.keys[0], &levels, &err), 0);
    assert_int_equal(levels.count, 1);
    assert_string_equal(levels.list[0].factor, "benchmark");
    assert_string_equal(levels.list[0].level, "odd<a+b>/(x|y)/[2]/8");
    fl_plan_release(&plan);
    assert_int_equal(scenario.counting_rounds, 0);
    assert_int_equal(fl_side_make_private(&side, &err), 0);
    assert_non_null(strstr(side.worker, folder));
    fl_side_close(&side);
    must_be_clean();
}

static void a_filter_leaves_those_it_selects(void **state)
{
    (void)state;
    struct fl_plan plan;
    must_open("gbench=" FL_TEST_GBENCH_PROGRAM " filter=^add", NULL);
    assert_int_equal(side.ops->plan(&side, &plan, &err), 0);
    assert_int_equal(plan.count, 1);
    fl_plan_release(&plan);
    fl_side_close(&side);
}

static void a_revision_is_the_root_of_paths(void **state)
{
    (void)state;
    struct fl_plan plan;
    assert_int_equal(chdir("repository"), 0);
    must_open("git:v1 gbench=build/program", "mkdir build && cp source build/program");
    assert_int_equal(strlen(side.commit_id), 40);
    assert_true(side.commit_ns > 0);
    assert_int_equal(side.ops->plan(&side, &plan, &err), 0);
    assert_int_equal(plan.count, 4);
    fl_plan_release(&plan);
    fl_side_close(&side);
    assert_int_equal(chdir(folder), 0);
    must_be_clean();
}

static void eigen_is_compiled_against_the_folder(void **state)
{
    (void)state;
    const char *path;
    shell("mkdir -p repository/headers/Eigen && echo 'typedef int stand_in;' "
          ">repository/headers/Eigen/Core");
    must_open("eigen=repository/headers", NULL);
    path = fl_scenario_library(&scenario, "eigen");
    assert_non_null(path);
    assert_int_equal(access(path, R_OK), 0);
    fl_side_close(&side);
    must_be_clean();
}

static void mistakes_are_named_and_leave_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *words, *reason;
    } cases[] = {
        {"gbench=/no/such", "/no/such"},
        {"gbench=/bin/true", "lists no benchmarks"},
        {"gbench=" FL_TEST_GBENCH_PROGRAM " gbench=" FL_TEST_GBENCH_PROGRAM, "two programs"},
        {"filter=x", "behind gbench="},
        {"worker=/bin/true gbench=" FL_TEST_GBENCH_PROGRAM, "two programs"},
        {"gbench=" FL_TEST_GBENCH_PROGRAM " worker=/bin/true", "two programs"},
        {"gbench=" FL_TEST_GBENCH_PROGRAM " malloc=glibc-pinned", "'malloc' has no effect"},
        {"n=4 gbench=" FL_TEST_GBENCH_PROGRAM, "'n' has no effect"},
        {"gbench=" FL_TEST_GBENCH_PROGRAM " library=eigen:" FL_TEST_GBENCH_PROGRAM,
         "'library=' has no effect"},
        {"kernel=dgemm : gbench=/x", "cannot be limited"},
        {"git:v1 library=x/y", "no git repository"},
        {"eigen=repository", "no Eigen/Core"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        must_refuse(cases[i].words, cases[i].reason);
    assert_int_equal(chdir("repository"), 0);
    must_refuse("git:v2 gbench=source", "no such revision");
    assert_int_equal(chdir(folder), 0);
    must_be_clean();
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(a_program_has_its_benchmarks_as_cells),
        WITH_FOLDER(a_filter_leaves_those_it_selects),
        WITH_FOLDER(a_revision_is_the_root_of_paths),
        WITH_FOLDER(eigen_is_compiled_against_the_folder),
        WITH_FOLDER(mistakes_are_named_and_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
