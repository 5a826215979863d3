/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counters against `perf stat` and `strace -c`, where they are installed: the same program is
 * run with and without its known work, and the tool's difference must be the counter's total.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "counter-rig.h"

enum { PAGES = 250, BRKS = 120 };

static void touch(void *memory)
{
    for (size_t i = 0; i < PAGES; i++)
        ((volatile char *)memory)[i * (size_t)sysconf(_SC_PAGESIZE)] = 1;
}

static void brk_often(void *arg)
{
    (void)arg;
    for (int i = 0; i < BRKS; i++)
        syscall(SYS_brk, 0);
}

/* NOLINTBEGIN(cert-env33-c): fixed commands of this test, run on its own path. */

/* Both runs make the same pages and differ in `work` alone. */
static int role(const char *what, bool work)
{
    char *memory = rig_pages(PAGES);
    if (work && !strcmp(what, "touch"))
        touch(memory);
    if (work && !strcmp(what, "brk"))
        brk_often(NULL);
    return 0;
}

/* The first number of the line that holds `key`; -1: the tool is missing or says something else. */
static long long tool_says(const char *command, const char *key)
{
    char line[1024];
    long long number = -1;
    FILE *tool = popen(command, "r");
    while (tool && fgets(line, sizeof(line), tool))
        if (strstr(line, key) && number < 0)
            number = strtoll(line, NULL, 10);
    if (tool)
        pclose(tool);
    return number;
}

/* What `tool` says of this program's `task` with its work, less what it says without. */
static long long difference(const char *tool, const char *task, const char *key)
{
    char self[2048], command[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    long long said[2];
    self[length > 0 ? length : 0] = 0;
    for (int work = 0; work < 2; work++) {
        snprintf(command, sizeof(command), "%s '%s' %s %d 2>&1 >/dev/null", tool, self, task, work);
        said[work] = tool_says(command, key);
        if (said[work] < 0)
            return -1;
    }
    return said[1] - said[0];
}

static bool installed(const char *tool)
{
    char command[256];
    snprintf(command, sizeof(command), "%s >/dev/null 2>&1", tool);
    int status = system(command);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void faults_are_those_of_perf_stat(void **unused)
{
    (void)unused;
    if (!installed("perf stat -e minor-faults:u true"))
        skip();
    struct rig rig;
    rig_open(&rig, &fl_counter_rusage, "minor-faults");
    rig_window(&rig, touch, rig_pages(PAGES));
    int64_t ours = rig_total(&rig, "minor-faults");
    rig_close(&rig);
    assert_int_equal(ours, PAGES);
    /* Start-up varies by a fault or two with the addresses that the kernel draws. */
    long long theirs =
        difference("setarch -R perf stat -x, -e minor-faults:u", "touch", "minor-faults");
    assert_in_range(theirs, ours - 2, ours + 2);
}

static int count_brk(void *arg)
{
    struct rig rig;
    rig_open(&rig, &fl_counter_syscalls, "brk-calls");
    rig_window(&rig, brk_often, arg);
    struct fl_reading reading = rig_read(&rig, "brk-calls");
    if (reading.state != FL_READING_OK)
        return 77;
    return reading.total != BRKS;
}

static void brk_calls_are_those_of_strace(void **unused)
{
    (void)unused;
    if (!installed("strace -o /dev/null true"))
        skip();
    int code = rig_child(count_brk, NULL, false);
    if (code == 77)
        skip();
    assert_int_equal(code, 0);
    long long theirs = difference("strace -f -c -e trace=brk -U calls,name", "brk", " brk");
    assert_int_equal(theirs, BRKS);
}

static int traced_already(void)
{
    struct rig rig;
    setenv("FAULTLINE_SYSCALLS", "ptrace", 1);
    rig_open(&rig, &fl_counter_syscalls, "brk-calls");
    struct fl_reading reading = rig_read(&rig, "brk-calls");
    return reading.state == FL_READING_UNAVAILABLE && strstr(reading.reason, "traces it already")
               ? 0
               : 1;
}

static void under_strace_the_tracer_gives_way(void **unused)
{
    (void)unused;
    if (!installed("strace -o /dev/null true"))
        skip();
    char self[2048], command[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[length > 0 ? length : 0] = 0;
    snprintf(command, sizeof(command), "strace -f -o /dev/null '%s' traced", self);
    int status = system(command);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* NOLINTEND(cert-env33-c) */

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "traced"))
        return traced_already();
    if (argc > 2)
        return role(argv[1], atoi(argv[2]));
#ifdef FL_SANITIZED
    fprintf(stderr, "skipped: a sanitizer's run-time faults and calls on its own\n");
    return 77;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_those_of_perf_stat),
        cmocka_unit_test(brk_calls_are_those_of_strace),
        cmocka_unit_test(under_strace_the_tracer_gives_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
