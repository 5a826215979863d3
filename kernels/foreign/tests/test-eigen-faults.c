/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Eigen 3.4 faults on its packing buffers at the published sizes, through the shim as in a user's
 * program, and not at all once glibc's thresholds are pinned.
 *
 * The program starts itself anew for each count, with its sizes as arguments: the counts depend on
 * everything the process allocated before.
 */
#include <errno.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "faultline/library.h"
#include "foreign-rig.h"

enum { WARM_UP = 3, CALLS = 50, FAILED = -1 };

static long minor_faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt;
}

/* The child: faults of CALLS calls of the cell, written as a binary long to descriptor 3. */
static int count_faults(const char *path, const char *cell)
{
    static struct fl_foreign_rig rig; /* not on the stack, which a call may grow */
    long faults = FAILED;
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    if (!rig_open(&rig, cell, path)) {
        for (int i = 0; i < WARM_UP; i++)
            rig.kernel->run(rig.state, NULL);
        long before = minor_faults();
        for (int i = 0; i < CALLS; i++)
            rig.kernel->run(rig.state, NULL);
        faults = minor_faults() - before;
    } else {
        rig_complain("%s", rig.err.text);
    }
    return write(3, &faults, sizeof faults) == sizeof faults ? 0 : 1;
}

static long in_fresh_process(const char *path, const char *cell, bool pinned)
{
    const char *arguments[] = {"eigen-faults", path, cell, NULL}, *plain[] = {NULL};
    const char *pins[] = {"MALLOC_MMAP_THRESHOLD_=33554432", "MALLOC_TRIM_THRESHOLD_=1073741824",
                          NULL};
    int ends[2], status = 0;
    long faults = FAILED;
    pid_t child;
    posix_spawn_file_actions_t actions;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    assert_int_equal(posix_spawn_file_actions_adddup2(&actions, ends[1], 3), 0);
    /* posix_spawn() writes into neither list, but its type says otherwise. */
    assert_int_equal(posix_spawn(&child, "/proc/self/exe", &actions, NULL, (char **)arguments,
                                 (char **)(pinned ? pins : plain)),
                     0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    assert_int_equal(read(ends[0], &faults, sizeof faults), sizeof faults);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return faults;
}

/* The published counts hold for 4 KiB pages and a first-level cache of 32 or 48 KiB. */
static void need_a_machine_with_known_counts(struct fl_library_place *place)
{
    struct fl_err why = {0};
    long l1 = sysconf(_SC_LEVEL1_DCACHE_SIZE);
    if (fl_library_find("eigen", NULL, "avx2", place, &why))
        print_message("skipped: %s\n", why.text);
    else if (sysconf(_SC_PAGESIZE) != 4096 || (l1 != 32768 && l1 != 49152))
        print_message("skipped: no counts are published for these pages and caches\n");
    else
        return;
    skip();
}

static void check(const char *kernel, int n, long per_call, bool pinned)
{
    struct fl_library_place place;
    char cell[128];
    need_a_machine_with_known_counts(&place);
    snprintf(cell, sizeof cell, "kernel=%s library=eigen isa=avx2 n=%d", kernel, n);
    assert_int_equal(in_fresh_process(place.path, cell, pinned), per_call * CALLS);
}

#define COUNTS(name, kernel, n, per_call, pinned)                                                  \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        check(kernel, n, per_call, pinned);                                                        \
    }

COUNTS(gemm_144_faults_49_times, "dgemm", 144, 49, false)
COUNTS(gemm_160_does_not_fault, "dgemm", 160, 0, false)
COUNTS(gemm_192_faults_112_times, "dgemm", 192, 112, false)
COUNTS(syrk_144_faults_49_times, "dsyrk", 144, 49, false)
COUNTS(syrk_192_faults_112_times, "dsyrk", 192, 112, false)
COUNTS(pinned_gemm_144_does_not_fault, "dgemm", 144, 0, true)
COUNTS(pinned_gemm_192_does_not_fault, "dgemm", 192, 0, true)
COUNTS(pinned_syrk_192_does_not_fault, "dsyrk", 192, 0, true)

int main(int argc, char **argv)
{
    if (argc == 3)
        return count_faults(argv[1], argv[2]);
#ifdef FL_SANITIZED
    fputs("skipped: a sanitizer brings its own malloc\n", stderr);
    return 77;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gemm_144_faults_49_times),
        cmocka_unit_test(gemm_160_does_not_fault),
        cmocka_unit_test(gemm_192_faults_112_times),
        cmocka_unit_test(syrk_144_faults_49_times),
        cmocka_unit_test(syrk_192_faults_112_times),
        cmocka_unit_test(pinned_gemm_144_does_not_fault),
        cmocka_unit_test(pinned_gemm_192_does_not_fault),
        cmocka_unit_test(pinned_syrk_192_does_not_fault),
    };
    return cmocka_run_group_tests_name("eigen faults", tests, NULL, NULL);
}
