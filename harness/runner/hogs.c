/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting and ending hogs. All are started before the first one is let loose: on a processor that
 * is shared with thirty of them the next would take seconds to start.
 */
#include "runner/hogs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runner/child.h"

enum { TICK_MS = 50, PATIENCE_S = 30, WORD_BYTES = 512 };

static int start_one(struct fl_hogs *hogs, const char *worker, unsigned cpu, int messages)
{
    char name[] = "faultline-worker", mode[] = "--hog", cpus[24], parent[32];
    char *const arguments[] = {name, mode, cpus, parent, NULL};
    snprintf(cpus, sizeof cpus, "--cpus=%u", cpu);
    snprintf(parent, sizeof parent, "--parent=%ld", (long)getpid());
    const struct fl_child child = {.path = worker, .argv = arguments, .environment = environ};
    int rc = fl_child_spawn(&child, messages, messages, &hogs->pids[hogs->count]);
    hogs->count += !rc;
    return rc;
}

/* Has one of them ended by itself, or was stopped? It stays to be reaped. */
static bool one_rests(const struct fl_hogs *hogs)
{
    const int how = WEXITED | WSTOPPED | WNOHANG | WNOWAIT;
    siginfo_t info = {.si_pid = 0};
    for (size_t i = 0; i < hogs->count; i++)
        if (waitid(P_PID, (id_t)hogs->pids[i], &info, how) || info.si_pid)
            return true;
    return false;
}

/* Each says `.` when it is ready; anything else is why one is not. */
static int listen_for_all(const struct fl_hogs *hogs, int messages,
                          const volatile sig_atomic_t *stop, struct fl_err *err)
{
    char word[WORD_BYTES];
    size_t ready = 0;
    time_t deadline = time(NULL) + PATIENCE_S;
    while (ready < hogs->count) {
        struct pollfd poll_fd = {messages, POLLIN, 0};
        bool said = poll(&poll_fd, 1, TICK_MS) > 0;
        ssize_t got = said ? read(messages, word, sizeof word - 1) : 0;
        if (stop && *stop)
            return fl_fail(err, -EINTR, "stopped");
        for (ssize_t i = 0; i < got; i++, ready++) {
            word[got] = 0;
            if (word[i] != '.')
                return fl_fail(err, -EIO, "cannot start a hog: %s", word + i);
        }
        if (got <= 0 && (one_rests(hogs) || time(NULL) > deadline))
            return fl_fail(err, -EIO, "cannot start a hog: it did not come to work");
    }
    return 0;
}

static int start_all(struct fl_hogs *hogs, const struct fl_hog_plan *plan, int messages,
                     struct fl_err *err)
{
    for (size_t i = 0; i < plan->count; i++) {
        unsigned cpu = fl_thread_plan_cpu(plan->topology, plan->threads, i);
        int rc = start_one(hogs, plan->worker, cpu, messages);
        if (rc)
            return fl_fail(err, rc, "cannot start a hog from '%s': %s", plan->worker,
                           strerror(-rc));
    }
    return 0;
}

int fl_hogs_start(struct fl_hogs *hogs, const struct fl_hog_plan *plan, struct fl_err *err)
{
    int messages[2];
    hogs->count = 0;
    if (!plan->count)
        return 0;
    if (plan->count > FL_HOGS_MAX)
        return fl_fail(err, -EINVAL, "%zu hogs are more than %d", plan->count, FL_HOGS_MAX);
    if (pipe2(messages, O_CLOEXEC))
        return fl_fail(err, -errno, "cannot start a hog: %s", strerror(errno));
    int rc = start_all(hogs, plan, messages[1], err);
    close(messages[1]);
    if (!rc)
        rc = listen_for_all(hogs, messages[0], plan->stop, err);
    close(messages[0]);
    for (size_t i = 0; i < hogs->count && !rc; i++)
        kill(hogs->pids[i], SIGUSR1);
    if (rc)
        fl_hogs_stop(hogs);
    return rc;
}

bool fl_hogs_stop(struct fl_hogs *hogs)
{
    bool worked = !one_rests(hogs);
    for (size_t i = 0; i < hogs->count; i++)
        kill(-hogs->pids[i], SIGKILL);
    for (size_t i = 0; i < hogs->count; i++)
        while (waitpid(hogs->pids[i], NULL, 0) < 0 && errno == EINTR)
            ;
    hogs->count = 0;
    return worked;
}
