/* SPDX-License-Identifier: Apache-2.0 */
/* Children are heard, timed out, stopped and never left behind; their reports are hostile. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "runner/child.h"
#include "runner/report.h"

struct heard {
    int lines;
    char last[5000];
};

static void hear(void *arg, char *line)
{
    struct heard *heard = arg;
    heard->lines++;
    snprintf(heard->last, sizeof heard->last, "%s", line);
}

static int run_shell(const char *script, double timeout, const volatile sig_atomic_t *stop,
                     struct heard *heard, struct fl_child_end *end)
{
    static char shell[] = "sh", command[] = "-c";
    char *argv[] = {shell, command, (char *)(uintptr_t)script, NULL};
    const struct fl_child child = {"/bin/sh", argv, environ, timeout, stop, hear, heard};
    struct fl_err err;
    *heard = (struct heard){0};
    return fl_child_run(&child, end, &err);
}

static void lines_arrive_whole_and_in_order(void **state)
{
    struct heard heard;
    struct fl_child_end end;
    (void)state;
    assert_int_equal(
        run_shell("printf 'a b\\nc' >&3; sleep 0.1; printf 'd\\n' >&3; echo no >&1; exit 7", 10,
                  NULL, &heard, &end),
        0);
    assert_int_equal(heard.lines, 2);
    assert_string_equal(heard.last, "cd");
    assert_int_equal(end.exit_status, 7);
    assert_int_equal(end.signal, 0);
}

/* How long a look at the pipes that found nothing takes to come back, as on a busy machine. The
 * wrapped function has no other way to it. */
static useconds_t late_us;

int __real_poll(struct pollfd *fds, nfds_t count, int milliseconds);
int __wrap_poll(struct pollfd *fds, nfds_t count, int milliseconds);
int __wrap_poll(struct pollfd *fds, nfds_t count, int milliseconds)
{
    int ready = __real_poll(fds, count, milliseconds);
    if (!ready)
        usleep(late_us);
    return ready;
}

/* The child speaks and ends when this process has looked and not yet asked whether it has ended. */
static void last_words_behind_a_look_are_heard(void **state)
{
    struct heard heard;
    struct fl_child_end end;
    (void)state;
    late_us = 300000;
    int rc = run_shell("sleep 0.1; echo done >&3", 10, NULL, &heard, &end);
    late_us = 0;
    assert_int_equal(rc, 0);
    assert_string_equal(heard.last, "done");
}

static void what_it_leaves_behind_is_gone(void **state)
{
    struct heard heard;
    struct fl_child_end end;
    (void)state;
    assert_int_equal(
        run_shell("sleep 30 >/dev/null 2>&1 3>&- & echo $! >&3", 10, NULL, &heard, &end), 0);
    assert_int_equal(end.exit_status, 0);
    /* A zombie would still take a signal. */
    assert_int_equal(kill((pid_t)strtol(heard.last, NULL, 10), 0), -1);
    assert_int_equal(errno, ESRCH);
}

/* A session of its own takes a process out of the child's group; its child shows that all are met.
 */
static void daemons_are_ended_and_other_children_are_not(void **state)
{
    struct heard heard;
    struct fl_child_end end;
    (void)state;
    if (access("/proc/thread-self/children", R_OK))
        skip(); /* a kernel without CONFIG_PROC_CHILDREN */
    pid_t other = fork();
    assert_true(other >= 0);
    if (!other) {
        for (;;)
            pause();
    }
    int rc = run_shell("setsid sh -c 'echo $$ >&3; sleep 1000 & wait' >&- 2>&- & sleep 0.2", 10,
                       NULL, &heard, &end);
    bool kept = waitpid(other, NULL, WNOHANG) == 0;
    kill(other, SIGKILL);
    assert_int_equal(waitpid(other, NULL, 0), other);
    assert_int_equal(rc, 0);
    assert_true(kept);
    assert_int_equal(heard.lines, 1);
    assert_int_equal(kill((pid_t)strtol(heard.last, NULL, 10), SIGKILL), -1);
    assert_int_equal(errno, ESRCH);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no other child is left */
}

static void a_child_that_cannot_be_waited_for_is_an_error(void **state)
{
    struct heard heard;
    struct fl_child_end end;
    (void)state;
    signal(SIGCHLD, SIG_IGN);
    int rc = run_shell("exit 0", 100, NULL, &heard, &end);
    signal(SIGCHLD, SIG_DFL);
    assert_int_equal(rc, -ECHILD);
    assert_false(end.timed_out);
}

static void a_child_starts_with_usual_signals(void **state)
{
    struct heard heard;
    struct fl_child_end end;
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(run_shell("grep SigIgn /proc/self/status >&3", 10, NULL, &heard, &end), 0);
    signal(SIGPIPE, SIG_DFL);
    assert_memory_equal(heard.last, "SigIgn:\t", 8);
    /* 32 and above belong to the C library. */
    assert_int_equal(strtoull(heard.last + 8, NULL, 16) & 0x7fffffff, 0);
}

static void a_child_inherits_no_descriptor(void **state)
{
    struct heard heard;
    struct fl_child_end end;
    (void)state;
    int extra = fcntl(STDERR_FILENO, F_DUPFD, 9);
    assert_int_equal(extra, 9);
    assert_int_equal(run_shell("cd /proc/self/fd && echo * >&3", 10, NULL, &heard, &end), 0);
    close(extra);
    assert_memory_equal(heard.last, "0 1 2 3", 7);
    assert_null(strstr(heard.last, " 9"));
}

static void a_crash_is_told_with_its_last_words(void **state)
{
    struct heard heard;
    struct fl_child_end end;
    (void)state;
    assert_int_equal(run_shell("echo first >&2; echo 'Program is Terminated' >&2; kill -SEGV $$",
                               10, NULL, &heard, &end),
                     0);
    assert_int_equal(end.signal, SIGSEGV);
    assert_int_equal(end.exit_status, -1);
    assert_string_equal(end.last_words, "Program is Terminated");
}

/* A killed orphan may stay a zombie for as long as whoever adopted it likes. */
static bool alive(const char *pid)
{
    char path[64], state = 'Z';
    snprintf(path, sizeof path, "/proc/%ld/stat", atol(pid));
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    assert_int_equal(fscanf(file, "%*d %*s %c", &state), 1);
    fclose(file);
    return state != 'Z';
}

static void a_hang_is_ended_with_all_it_started(void **state)
{
    struct heard heard;
    struct fl_child_end end;
    (void)state;
    assert_int_equal(run_shell("sleep 60 & echo $! >&3; sleep 60", 0.3, NULL, &heard, &end), 0);
    assert_true(end.timed_out);
    assert_int_equal(end.signal, SIGKILL);
    usleep(50000);
    assert_false(alive(heard.last));
}

static void a_child_that_closes_its_pipes_and_hangs_is_ended(void **state)
{
    struct heard heard;
    struct fl_child_end end;
    (void)state;
    assert_int_equal(run_shell("exec 2>&- 3>&-; exec sleep 60", 0.3, NULL, &heard, &end), 0);
    assert_true(end.timed_out);
}

static void a_stop_ends_the_child_at_once(void **state)
{
    static const volatile sig_atomic_t stop = 1;
    struct heard heard;
    struct fl_child_end end;
    (void)state;
    assert_int_equal(run_shell("sleep 60", 60, &stop, &heard, &end), 0);
    assert_true(end.stopped);
    assert_false(end.timed_out);
}

static void a_program_that_is_not_there_is_an_error(void **state)
{
    static char name[] = "x";
    char *argv[] = {name, NULL};
    struct heard heard;
    struct fl_child_end end;
    struct fl_err err;
    const struct fl_child child = {"/nonexistent/x", argv, environ, 1, NULL, hear, &heard};
    (void)state;
    assert_int_equal(fl_child_run(&child, &end, &err), -ENOENT);
    assert_non_null(strstr(err.text, "/nonexistent/x"));
}

static void over_long_lines_are_cut_not_overrun(void **state)
{
    struct heard heard;
    struct fl_child_end end;
    (void)state;
    assert_int_equal(run_shell("head -c 100000 /dev/zero | tr '\\0' x >&3; echo >&3; echo next >&3",
                               10, NULL, &heard, &end),
                     0);
    assert_int_equal(heard.lines, 2);
    assert_string_equal(heard.last, "next");
}

/* ---- reports ---- */

static void say(struct fl_report *report, const char *text)
{
    char line[512];
    snprintf(line, sizeof line, "%s", text);
    fl_report_line(report, line);
}

static void a_report_keeps_what_was_said(void **state)
{
    static struct fl_report report;
    (void)state;
    say(&report, "phase window");
    say(&report, "fact isa avx2");
    say(&report, "fact library-version OpenBLAS 0.3.21 Haswell");
    say(&report, "window 200 123456.5 100");
    say(&report, "metric minor-faults ok 22400 1");
    say(&report, "metric perf:cycles ok 100 2.5 multiplexed");
    say(&report, "metric brk-calls unavailable no tracefs, no ptrace");
    say(&report, "metric pthread-mutex-locks not-observable imports no mutex");
    say(&report, "outcome wrong-result off by 3");
    assert_string_equal(report.phase, "window");
    assert_string_equal(fl_facts_get(&report.facts, "library-version"), "OpenBLAS 0.3.21 Haswell");
    assert_int_equal(report.calls, 200);
    assert_true(report.window_ns == 123456.5);
    assert_int_equal(report.runs, 100);
    assert_int_equal(report.metric_count, 4);
    assert_int_equal(report.metrics[0].total, 22400);
    assert_true(report.metrics[1].scale == 2.5);
    assert_int_equal(report.metrics[2].state, FL_READING_UNAVAILABLE);
    assert_string_equal(report.metrics[3].reason, "imports no mutex");
    assert_int_equal(report.outcome, FL_REPORT_WRONG_RESULT);
    assert_string_equal(report.reason, "off by 3");
}

static void nonsense_is_ignored(void **state)
{
    static const char *const lines[] = {"",
                                        "outcome",
                                        "outcome maybe",
                                        "window",
                                        "window -3 5 1",
                                        "window 3 nan 1",
                                        "metric x",
                                        "metric x ok",
                                        "metric x ok y",
                                        "fact",
                                        "phase",
                                        "window 1 1e999 1",
                                        "gibberish 3",
                                        "metric  ok 3 1 5"};
    static struct fl_report report;
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        say(&report, lines[i]);
    assert_int_equal(report.outcome, FL_REPORT_NONE);
    assert_int_equal(report.calls, 0);
}

static void more_metrics_than_there_is_room_for_are_dropped(void **state)
{
    static struct fl_report report;
    (void)state;
    for (int i = 0; i < 2 * FL_REPORT_METRICS; i++)
        say(&report, "metric a ok 1 1");
    assert_int_equal(report.metric_count, FL_REPORT_METRICS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_arrive_whole_and_in_order),
        cmocka_unit_test(last_words_behind_a_look_are_heard),
        cmocka_unit_test(what_it_leaves_behind_is_gone),
        cmocka_unit_test(daemons_are_ended_and_other_children_are_not),
        cmocka_unit_test(a_child_that_cannot_be_waited_for_is_an_error),
        cmocka_unit_test(a_child_starts_with_usual_signals),
        cmocka_unit_test(a_child_inherits_no_descriptor),
        cmocka_unit_test(a_crash_is_told_with_its_last_words),
        cmocka_unit_test(a_hang_is_ended_with_all_it_started),
        cmocka_unit_test(a_child_that_closes_its_pipes_and_hangs_is_ended),
        cmocka_unit_test(a_stop_ends_the_child_at_once),
        cmocka_unit_test(a_program_that_is_not_there_is_an_error),
        cmocka_unit_test(over_long_lines_are_cut_not_overrun),
        cmocka_unit_test(a_report_keeps_what_was_said),
        cmocka_unit_test(nonsense_is_ignored),
        cmocka_unit_test(more_metrics_than_there_is_room_for_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
