/* SPDX-License-Identifier: Apache-2.0 */
/* One fork, one page that both see. */
#include "runner/rehearsal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void close_streams(void)
{
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3 && null >= 0; fd++)
        dup2(null, fd);
    if (null > 2)
        close(null);
}

/* In the program itself, messages would be lost, or stand in a file that got a stream's number. */
static bool streams_are_open(void)
{
    return fcntl(0, F_GETFD) >= 0 && fcntl(1, F_GETFD) >= 0 && fcntl(2, F_GETFD) >= 0;
}

static _Noreturn void run_child(fl_rehearsal_fn body, void *arg, pid_t parent,
                                struct fl_rehearsal *shared)
{
    const struct rlimit no_core = {0, 0};
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    setrlimit(RLIMIT_CORE, &no_core);
    close_streams();
    shared->rc = body(arg, shared, &shared->err);
    if (!shared->rc && !streams_are_open())
        shared->rc = fl_fail(&shared->err, -EIO, "it closes the program's standard streams");
    shared->done = 1;
    _exit(0);
}

/* Waits for the child; false where it had to be killed. */
static bool reap(pid_t child, double seconds, int *status)
{
    const struct timespec pause = {0, 1000000};
    struct timespec now, end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += (time_t)seconds;
    for (;;) {
        pid_t got = waitpid(child, status, WNOHANG);
        if (got == child)
            return true;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec > end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec >= end.tv_nsec))
            break;
        nanosleep(&pause, NULL);
    }
    kill(child, SIGKILL);
    waitpid(child, status, 0);
    return false;
}

static int explain(const struct fl_rehearsal *shared, bool ended, int status, double seconds,
                   struct fl_err *err)
{
    const char *stage = shared->stage;
    if (!ended)
        return fl_fail(err, -EIO, "it does not come back within %g s %s", seconds, stage);
    if (WIFSIGNALED(status))
        return fl_fail(err, -EIO, "it is killed by signal %d (%s) %s", WTERMSIG(status),
                       strsignal(WTERMSIG(status)), stage);
    if (!shared->done)
        return fl_fail(err, -EIO, "it ends the process with status %d %s", WEXITSTATUS(status),
                       stage);
    *err = shared->err;
    return shared->rc;
}

int fl_rehearse(fl_rehearsal_fn body, void *arg, double seconds, struct fl_err *err)
{
    struct fl_rehearsal *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return fl_fail(err, -errno, "cannot map memory: %s", strerror(errno));
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    struct sigaction inherited;
    sigaction(SIGCHLD, &usual, &inherited); /* ignored by some parents: nothing to wait for */
    fflush(NULL);                           /* or a child that exits would write it once more */
    pid_t parent = getpid(), child = fork();
    if (!child)
        run_child(body, arg, parent, shared);
    int rc = child < 0 ? -errno : 0, status = 0;
    if (rc) {
        fl_fail(err, rc, "cannot fork: %s", strerror(-rc));
    } else {
        bool ended = reap(child, seconds, &status);
        kill(-child, SIGKILL); /* what it may have started */
        rc = explain(shared, ended, status, seconds, err);
    }
    sigaction(SIGCHLD, &inherited, NULL);
    munmap(shared, sizeof *shared);
    return rc;
}
