/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Eigen through its shim faults exactly as often as our own kernel does under Eigen's blocking rule
 * for this processor's caches: two programs that share nothing but the rule and glibc.
 *
 * The worker is the measured process, started anew for each count.
 */
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "faultline/library.h"

static const int sizes[] = {96,  128, 144, 160, 168, 176, 184, 192, 200, 216,
                            240, 256, 264, 312, 384, 448, 512, 640, 768, 1024};

enum { TEXT_MAX = 8192, CALLS = 5 };

/* What a worker with these arguments says, as one text. */
static void run_worker(const char **arguments, char text[TEXT_MAX])
{
    const char *environment[] = {NULL};
    int ends[2], status = 0;
    pid_t child;
    posix_spawn_file_actions_t actions;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    assert_int_equal(posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO), 0);
    /* posix_spawn() writes into neither list, but its type says otherwise. */
    assert_int_equal(
        posix_spawn(&child, FL_WORKER, &actions, NULL, (char **)arguments, (char **)environment),
        0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    size_t used = 0;
    ssize_t got;
    while ((got = read(ends[0], text + used, TEXT_MAX - 1 - used)) > 0)
        used += (size_t)got;
    text[used] = 0;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Total of the minor faults over the window of CALLS calls. */
static long count_faults(const char *cell, const char *library)
{
    char text[TEXT_MAX], cell_argument[512], library_argument[PATH_MAX + 16], iterations[32];
    snprintf(cell_argument, sizeof cell_argument, "--cell=%s", cell);
    snprintf(library_argument, sizeof library_argument, "--library=%s", library);
    snprintf(iterations, sizeof iterations, "--iterations=%d", CALLS);
    const char *arguments[] = {"faultline-worker", cell_argument, "--mode=count",
                               iterations,         "--settle=0",  "--metrics=minor-faults",
                               library_argument,   NULL};
    run_worker(arguments, text);
    const char *line = strstr(text, "metric minor-faults ok ");
    if (!line || !strstr(text, "outcome ok"))
        fail_msg("no count of %s: %s", cell, text);
    return strtol(line + strlen("metric minor-faults ok "), NULL, 10);
}

static void compare(const char *kernel, int n, const char *shim)
{
    char own[256], eigen[256];
    snprintf(own, sizeof own,
             "kernel=%s n=%d isa=avx2 blocking=eigen-3.4:l1=%ld:l2=%ld:mr=12:nr=4 "
             "workspace=stack+malloc malloc=glibc",
             kernel, n, sysconf(_SC_LEVEL1_DCACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE));
    snprintf(eigen, sizeof eigen, "kernel=%s n=%d isa=avx2 library=eigen malloc=glibc", kernel, n);
    long ours = count_faults(own, ""), theirs = count_faults(eigen, shim);
    if (ours != theirs)
        fail_msg("%s n=%d: our kernel %ld faults in %d calls, Eigen %ld", kernel, n, ours, CALLS,
                 theirs);
}

static void compare_all(const char *kernel)
{
    struct fl_library_place place;
    struct fl_err why = {0};
    if (fl_library_find("eigen", NULL, "avx2", &place, &why)) {
        print_message("skipped: %s\n", why.text);
        skip();
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        compare(kernel, sizes[i], place.path);
}

static void gemm_faults_as_eigen_does(void **state)
{
    (void)state;
    compare_all("dgemm");
}

static void syrk_faults_as_eigen_does(void **state)
{
    (void)state;
    compare_all("dsyrk");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gemm_faults_as_eigen_does),
        cmocka_unit_test(syrk_faults_as_eigen_does),
    };
    return cmocka_run_group_tests_name("eigen agreement", tests, NULL, NULL);
}
