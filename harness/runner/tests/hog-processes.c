/* SPDX-License-Identifier: Apache-2.0 */
/* Hogs that are shell scripts: started together, and none left whatever goes wrong. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "runner/hogs.h"

#define GOOD                                                                                       \
    "trap 'echo go >>\"$0.log\"' USR1\necho \"$@\" >>\"$0.log\"\nprintf . >&3\n"                   \
    "while :; do sleep 0.01; done\n"

struct rig {
    char folder[64], worker[96], log[128];
    struct fl_topology topology;
    struct fl_thread_plan plan;
    struct fl_hogs hogs;
    struct fl_err err;
};

static void set_worker(struct rig *rig, const char *body)
{
    FILE *file = fopen(rig->worker, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s", body);
    fclose(file);
    assert_int_equal(chmod(rig->worker, 0755), 0);
}

static int set_up(void **state)
{
    struct rig *rig = calloc(1, sizeof *rig);
    struct fl_cell cell;
    const struct fl_topology_source source = {"/nonexistent", "core:2 pu:1", NULL};
    assert_non_null(rig);
    strcpy(rig->folder, "/tmp/fl-hogs-XXXXXX");
    assert_non_null(mkdtemp(rig->folder));
    snprintf(rig->worker, sizeof rig->worker, "%s/worker", rig->folder);
    snprintf(rig->log, sizeof rig->log, "%s.log", rig->worker);
    assert_int_equal(fl_topology_load(&source, &rig->topology, NULL), 0);
    assert_int_equal(fl_cell_parse(&cell, "kernel=null-region threads=2", NULL), 0);
    assert_int_equal(fl_thread_plan_make(&rig->topology, &cell, &rig->plan, NULL), 0);
    *state = rig;
    return 0;
}

static int tear_down(void **state)
{
    struct rig *rig = *state;
    char command[128];
    fl_topology_release(&rig->topology);
    snprintf(command, sizeof command, "rm -rf '%s'", rig->folder);
    int rc = system(command); /* NOLINT(cert-env33-c): the test's own folder */
    free(rig);
    return rc;
}

static int start(struct rig *rig, size_t count, const volatile sig_atomic_t *stop)
{
    const struct fl_hog_plan plan = {rig->worker, count, &rig->topology, &rig->plan, stop};
    return fl_hogs_start(&rig->hogs, &plan, &rig->err);
}

static void assert_none_left(const struct rig *rig)
{
    assert_int_equal(rig->hogs.count, 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

/* Waits until the log has so many lines with that text. */
static void await(const struct rig *rig, const char *text, size_t count)
{
    for (int tries = 0; tries < 1000; tries++) {
        char line[256];
        size_t found = 0;
        FILE *file = fopen(rig->log, "r");
        while (file && fgets(line, sizeof line, file))
            found += strstr(line, text) != NULL;
        if (file)
            fclose(file);
        if (found == count)
            return;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    fail_msg("not %zu lines with '%s'", count, text);
}

static void every_hog_gets_a_processor_and_is_let_loose(void **state)
{
    struct rig *rig = *state;
    char parent[48];
    set_worker(rig, GOOD);
    assert_int_equal(start(rig, 3, NULL), 0);
    assert_int_equal(rig->hogs.count, 3);
    snprintf(parent, sizeof parent, "--hog --cpus=1 --parent=%ld", (long)getpid());
    await(rig, parent, 2);
    await(rig, "--cpus=0 ", 1);
    await(rig, "go", 3);
    assert_true(fl_hogs_stop(&rig->hogs));
    assert_none_left(rig);
}

static void no_hogs_start_nothing(void **state)
{
    struct rig *rig = *state;
    assert_int_equal(start(rig, 0, NULL), 0);
    assert_none_left(rig);
    assert_true(fl_hogs_stop(&rig->hogs));
}

static void a_hog_that_was_killed_or_stopped_is_told(void **state)
{
    struct rig *rig = *state;
    static const int signals[] = {SIGKILL, SIGSTOP};
    set_worker(rig, GOOD);
    for (size_t i = 0; i < 2; i++) {
        siginfo_t info;
        assert_int_equal(start(rig, 2, NULL), 0);
        pid_t one = rig->hogs.pids[1];
        assert_int_equal(kill(one, signals[i]), 0);
        assert_int_equal(waitid(P_PID, (id_t)one, &info, WEXITED | WSTOPPED | WNOWAIT), 0);
        assert_false(fl_hogs_stop(&rig->hogs));
        assert_none_left(rig);
    }
}

static void a_hog_that_cannot_work_ends_all_with_its_reason(void **state)
{
    struct rig *rig = *state;
    set_worker(rig, "case $2 in *=0) printf 'no such processor' >&3; exit 1;; esac\n" GOOD);
    assert_int_equal(start(rig, 4, NULL), -EIO);
    assert_non_null(strstr(rig->err.text, "no such processor"));
    assert_none_left(rig);
}

static void a_hog_that_dies_silently_is_noticed(void **state)
{
    struct rig *rig = *state;
    set_worker(rig, "case $2 in *=0) exit 1;; esac\n" GOOD);
    assert_int_equal(start(rig, 2, NULL), -EIO);
    assert_none_left(rig);
}

static void a_worker_that_is_missing_is_an_error(void **state)
{
    struct rig *rig = *state;
    assert_int_equal(start(rig, 2, NULL), -ENOENT);
    assert_non_null(strstr(rig->err.text, rig->worker));
    assert_none_left(rig);
}

static void a_run_that_is_stopped_waits_for_no_hog(void **state)
{
    struct rig *rig = *state;
    const volatile sig_atomic_t stop = 1;
    set_worker(rig, "exec sleep 1000\n");
    assert_int_equal(start(rig, 2, &stop), -EINTR);
    assert_none_left(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_hog_gets_a_processor_and_is_let_loose, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(no_hogs_start_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_hog_that_was_killed_or_stopped_is_told, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_hog_that_cannot_work_ends_all_with_its_reason, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_hog_that_dies_silently_is_noticed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_worker_that_is_missing_is_an_error, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_run_that_is_stopped_waits_for_no_hog, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
