/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ptrace way leaves nothing behind: the tracer dies with the worker, however that one dies,
 * and the worker with the tracer. This process is the subreaper, so that it inherits and sees
 * every process that a worker leaves.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "counter-rig.h"

enum { READY = 1, UNAVAILABLE = 2 };

/* In a page shared with the workers. */
struct news {
    _Atomic int state;
    _Atomic pid_t tracer;
    _Atomic uint64_t rounds;
};

static struct news *news; /* shared with forked workers, which a local could not be */

static pid_t tracer_of_self(void)
{
    char line[256];
    pid_t tracer = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof(line), status))
        if (sscanf(line, "TracerPid: %d", &tracer) == 1)
            break;
    if (status)
        fclose(status);
    return tracer;
}

/* Counts system calls for `rounds` rounds, 0: for ever. */
static void work(uint64_t rounds)
{
    struct rig rig;
    setenv("FAULTLINE_SYSCALLS", "ptrace", 1);
    rig_open(&rig, &fl_counter_syscalls, "brk-calls mmap-calls munmap-calls");
    struct fl_reading reading = rig_read(&rig, "brk-calls");
    if (reading.state != FL_READING_OK)
        fprintf(stderr, "unavailable: %s\n", reading.reason);
    news->tracer = tracer_of_self();
    news->state = reading.state == FL_READING_OK ? READY : UNAVAILABLE;
    while (news->state == READY && (!rounds || news->rounds < rounds)) {
        syscall(SYS_brk, 0);
        munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
        news->rounds++;
    }
}

static pid_t start_worker(uint64_t rounds)
{
    memset(news, 0, sizeof(*news));
    pid_t worker = fork();
    if (!worker) {
        work(rounds);
        _exit(42);
    }
    return worker;
}

static void pause_for(long microseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = microseconds * 1000}, NULL);
}

static void wait_until_ready(void)
{
    for (int i = 0; i < 5000 && !news->state; i++)
        pause_for(1000);
    if (news->state == UNAVAILABLE)
        skip();
    assert_int_equal(news->state, READY);
}

/* Reaps all that is left of a worker. True: everything was gone within a second. */
static bool all_gone(int *worker_status, pid_t worker)
{
    for (int i = 0; i < 1000; i++) {
        int status = 0;
        pid_t pid = waitpid(-1, &status, WNOHANG);
        if (pid < 0 && errno == ECHILD)
            return true;
        if (pid == worker)
            *worker_status = status;
        if (pid <= 0)
            pause_for(1000);
    }
    return false;
}

static void a_worker_that_exits_leaves_nothing(void **unused)
{
    (void)unused;
    int status = 0;
    pid_t worker = start_worker(50);
    wait_until_ready();
    assert_true(all_gone(&status, worker));
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
}

static void a_worker_killed_at_any_moment_leaves_nothing(void **unused)
{
    (void)unused;
    srand(1);
    for (int i = 0; i < 40; i++) {
        int status = 0;
        pid_t worker = start_worker(0);
        /* From before the tracer is there to long after. */
        pause_for(rand() % 4000);
        kill(worker, SIGKILL);
        assert_true(all_gone(&status, worker));
        assert_true(WIFSIGNALED(status) || news->state == UNAVAILABLE);
    }
}

static void a_killed_tracer_takes_the_worker_with_it(void **unused)
{
    (void)unused;
    int status = 0;
    pid_t worker = start_worker(0);
    wait_until_ready();
    assert_true(news->tracer > 0);
    kill(news->tracer, SIGKILL);
    assert_true(all_gone(&status, worker));
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
}

static void a_stopped_worker_stays_stopped_until_continued(void **unused)
{
    (void)unused;
    int status = 0;
    pid_t worker = start_worker(0);
    wait_until_ready();
    kill(worker, SIGSTOP);
    assert_int_equal(waitpid(worker, &status, WUNTRACED), worker);
    assert_true(WIFSTOPPED(status));
    uint64_t rounds = news->rounds;
    pause_for(20000);
    assert_int_equal(news->rounds, rounds);
    kill(worker, SIGCONT);
    for (int i = 0; i < 1000 && news->rounds == rounds; i++)
        pause_for(1000);
    assert_true(news->rounds > rounds);
    kill(worker, SIGKILL);
    assert_true(all_gone(&status, worker));
}

static void the_signal_that_kills_a_worker_is_reported(void **unused)
{
    (void)unused;
    int status = 0;
    pid_t worker = start_worker(0);
    wait_until_ready();
    kill(worker, SIGTERM);
    assert_true(all_gone(&status, worker));
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGTERM);
}

int main(void)
{
    news = mmap(NULL, sizeof(*news), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (news == MAP_FAILED || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_that_exits_leaves_nothing),
        cmocka_unit_test(a_worker_killed_at_any_moment_leaves_nothing),
        cmocka_unit_test(a_killed_tracer_takes_the_worker_with_it),
        cmocka_unit_test(a_stopped_worker_stays_stopped_until_continued),
        cmocka_unit_test(the_signal_that_kills_a_worker_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
