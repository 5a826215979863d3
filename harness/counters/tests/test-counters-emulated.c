/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Under qemu-user the kernel's counts are the emulator's: every one is unavailable and says so.
 * Runs itself under qemu-user; without that installed there is nothing to test.
 */
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

#include "counter-rig.h"
#include "emulated.h"

#if defined(__x86_64__)
#define EMULATOR "qemu-x86_64"
#else
#define EMULATOR "qemu-aarch64"
#endif

#ifdef FL_SANITIZED
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

static int emulated_state(const struct fl_counter_ops *ops, const char *metric)
{
    struct rig rig;
    rig_open(&rig, ops, metric);
    if (rig.rc)
        return 2;
    rig_window(&rig, NULL, NULL);
    struct fl_reading reading = rig_read(&rig, metric);
    bool good = reading.state == FL_READING_UNAVAILABLE && !strncmp(reading.reason, "emulated:", 9);
    if (!good)
        fprintf(stderr, "%s: state %d, %s\n", metric, reading.state,
                reading.reason ? reading.reason : "no reason");
    rig_close(&rig);
    return !good;
}

static int under_emulation(void)
{
    if (!fl_emulated()) {
        fprintf(stderr, "emulation is not seen\n");
        return 3;
    }
    return emulated_state(&fl_counter_rusage, "minor-faults") |
           emulated_state(&fl_counter_rusage, "voluntary-switches") |
           emulated_state(&fl_counter_workspace, "rss-bytes") |
           emulated_state(&fl_counter_perf, "perf:minor-faults") |
           emulated_state(&fl_counter_syscalls, "brk-calls");
}

static void every_count_of_the_kernel_is_unavailable(void **unused)
{
    (void)unused;
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    assert_true(length > 0);
    path[length] = 0;
    pid_t child = fork();
    if (!child) {
        execlp(EMULATOR, EMULATOR, path, "emulated", (char *)NULL);
        _exit(77);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_real_processor_is_not_taken_for_an_emulator(void **unused)
{
    (void)unused;
    assert_null(fl_emulated());
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "emulated"))
        return under_emulation();
    if (SANITIZED) {
        fprintf(stderr, "skipped: sanitizers do not run under " EMULATOR "\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_real_processor_is_not_taken_for_an_emulator),
        cmocka_unit_test(every_count_of_the_kernel_is_unavailable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
