/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker's environment says to OpenMP runtimes and libraries, whatever the shell said. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runner/worker-environment.h"

#define TEAM    "kernel=null-region threads=3 team=openmp "
#define LIBRARY "kernel=blas:dgemm_ library=mine n=8 "

static struct fl_scenario scenario;
static struct fl_worker_environment environment;

static int make(const char *key, const char *probe, struct fl_err *err)
{
    struct fl_cell cell;
    const struct fl_thread_plan threads = {.team = 3, .library = 2};
    if (fl_cell_parse(&cell, key, err))
        fail_msg("%s", err->text);
    return fl_worker_environment_make(&scenario, &cell, &threads, probe, &environment, err);
}

static void assert_made(const char *key, const char *probe)
{
    struct fl_err err = {.text = ""};
    if (make(key, probe, &err))
        fail_msg("%s", err.text);
}

/* The value of a variable that stands once; NULL where there is none. */
static const char *value_of(const char *name)
{
    const char *value = NULL;
    size_t length = strlen(name);
    for (size_t i = 0; i < environment.count; i++) {
        const char *entry = environment.variables[i];
        if (strncmp(entry, name, length) != 0 || entry[length] != '=')
            continue;
        assert_null(value);
        value = entry + length + 1;
    }
    return value;
}

static void assert_value(const char *name, const char *expected)
{
    const char *value = value_of(name);
    assert_non_null(value);
    assert_string_equal(value, expected);
}

static int set_up(void **state)
{
    struct fl_err err = {.text = ""};
    /* This program stands for a library: an ELF file of this processor. */
    static const char text[] = "[scenario]\nname = e\n[libraries]\nmine = /proc/self/exe\n"
                               "[factors]\nkernel = null\n";
    (void)state;
    setenv("OMP_WAIT_POLICY", "active", 1);
    setenv("GOMP_SPINCOUNT", "7", 1);
    setenv("KMP_BLOCKTIME", "8", 1);
    setenv("OMP_NUM_THREADS", "9", 1);
    return fl_scenario_read("e.ini", text, strlen(text), false, &scenario, &err);
}

static int tear_down(void **state)
{
    (void)state;
    fl_scenario_release(&scenario);
    return 0;
}

static int release(void **state)
{
    (void)state;
    fl_worker_environment_release(&environment);
    return 0;
}

static void nothing_of_the_shells_is_handed_down(void **state)
{
    (void)state;
    assert_made("kernel=null-region threads=3", NULL);
    const char *const names[] = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME",
                                 "OMP_NUM_THREADS", "LD_PRELOAD"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_null(value_of(names[i]));
}

static void a_team_of_openmp_gets_its_size_and_no_policy_by_default(void **state)
{
    (void)state;
    assert_made(TEAM, NULL);
    assert_value("OMP_NUM_THREADS", "3");
    assert_value("OMP_DYNAMIC", "false");
    assert_null(value_of("OMP_WAIT_POLICY"));
    assert_null(value_of("GOMP_SPINCOUNT"));
}

static void a_policy_is_said_in_the_runtimes_own_words(void **state)
{
    (void)state;
    assert_made(TEAM "omp-wait=passive", NULL);
    assert_value("OMP_WAIT_POLICY", "passive");
    fl_worker_environment_release(&environment);
    assert_made(TEAM "omp-wait=spincount:30000000000", NULL);
    assert_value("GOMP_SPINCOUNT", "30000000000");
    assert_null(value_of("OMP_WAIT_POLICY"));
}

static void libomp_is_preloaded_behind_the_probe(void **state)
{
    struct fl_err err = {.text = ""};
    (void)state;
    int rc = make(TEAM "omp-runtime=libomp omp-wait=blocktime:1.5s", "/probe.so", &err);
    if (rc == -ENOTSUP) {
        assert_non_null(strstr(err.text, "apt-get install libomp5"));
        print_message("skipped: %s\n", err.text);
        skip();
    }
    assert_int_equal(rc, 0);
    assert_value("KMP_BLOCKTIME", "1500");
    const char *preload = value_of("LD_PRELOAD");
    assert_non_null(preload);
    assert_ptr_equal(strstr(preload, "/probe.so:/"), preload);
    assert_non_null(strstr(preload, "libomp.so.5"));
}

static void a_library_gets_its_threads_and_not_the_teams(void **state)
{
    (void)state;
    assert_made(LIBRARY "threads=3 omp-wait=active", NULL);
    assert_value("OMP_NUM_THREADS", "2");
    assert_value("OPENBLAS_NUM_THREADS", "2");
    assert_value("BLIS_NUM_THREADS", "2");
    assert_value("OMP_WAIT_POLICY", "active");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, release)
    const struct CMUnitTest tests[] = {
        TEST(nothing_of_the_shells_is_handed_down),
        TEST(a_team_of_openmp_gets_its_size_and_no_policy_by_default),
        TEST(a_policy_is_said_in_the_runtimes_own_words),
        TEST(libomp_is_preloaded_behind_the_probe),
        TEST(a_library_gets_its_threads_and_not_the_teams),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
