/* SPDX-License-Identifier: Apache-2.0 */
/* Starting, hearing and ending one worker. */
#include "runner/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runner/strays.h"

enum { TICK_MS = 50, LINE_BYTES = 4096 };

/* A pipe's read end and the line that is not yet whole. */
struct stream {
    int fd;
    size_t used;
    char text[LINE_BYTES];
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/*
 * Reads what there is and hands out whole lines; a line longer than the buffer is cut. False when
 * the other side has closed.
 */
static bool drain(struct stream *stream, fl_child_line_fn line, void *arg)
{
    char chunk[4096];
    ssize_t got = read(stream->fd, chunk, sizeof chunk);
    if (got < 0)
        return errno == EINTR || errno == EAGAIN;
    for (ssize_t i = 0; i < got; i++) {
        if (chunk[i] != '\n') {
            if (stream->used < sizeof stream->text - 1)
                stream->text[stream->used++] = chunk[i];
            continue;
        }
        stream->text[stream->used] = 0;
        stream->used = 0;
        line(arg, stream->text);
    }
    return got > 0;
}

static void keep_last_words(void *arg, char *line)
{
    struct fl_child_end *end = arg;
    if (*line)
        snprintf(end->last_words, sizeof end->last_words, "%s", line);
}

static int set_up(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, int messages,
                  int errors)
{
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGTERM);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGCHLD); /* a worker's counters wait for children of their own */
    int error = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDWR, 0);
    if (!error)
        error = posix_spawn_file_actions_adddup2(actions, 0, 1);
    if (!error)
        error = posix_spawn_file_actions_adddup2(actions, errors, 2);
    if (!error)
        error = posix_spawn_file_actions_adddup2(actions, messages, FL_CHILD_MESSAGES);
    if (!error) /* whatever this process was started with, a lock of somebody's for one */
        error = posix_spawn_file_actions_addclosefrom_np(actions, FL_CHILD_MESSAGES + 1);
    if (!error)
        error = posix_spawnattr_setsigmask(attributes, &none);
    if (!error)
        error = posix_spawnattr_setsigdefault(attributes, &defaults);
    if (!error)
        error = posix_spawnattr_setpgroup(attributes, 0);
    if (!error)
        error = posix_spawnattr_setflags(
            attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    return error;
}

int fl_child_spawn(const struct fl_child *child, int messages, int errors, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return -error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        error = set_up(&actions, &attributes, messages, errors);
        if (!error)
            error = posix_spawn(pid, child->path, &actions, &attributes, child->argv,
                                child->environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return -error;
}

/* Has it ended, to be reaped? */
static bool is_over(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};
    return !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid == pid;
}

/*
 * Listens until both streams are closed or the child has to be killed. A child that ended leaves
 * them open where it started processes of its own: then nobody is left to listen to.
 */
static void listen_to(const struct fl_child *child, pid_t pid, struct stream *messages,
                      struct stream *errors, struct fl_child_end *end)
{
    double deadline = now() + child->timeout;
    bool over = false;
    while (messages->fd >= 0 || errors->fd >= 0) {
        struct pollfd fds[2] = {{messages->fd, POLLIN, 0}, {errors->fd, POLLIN, 0}};
        int ready = poll(fds, 2, over ? 0 : TICK_MS);
        if (fds[0].revents && ready > 0 && !drain(messages, child->line, child->arg))
            close_fd(&messages->fd);
        if (fds[1].revents && ready > 0 && !drain(errors, keep_last_words, end))
            close_fd(&errors->fd);
        end->stopped = child->stop && *child->stop;
        end->timed_out = !end->stopped && now() > deadline;
        /* It may have spoken between the look and its end: one more look when it has ended. */
        if (end->stopped || end->timed_out || (!ready && over))
            return;
        over = over || (!ready && is_over(pid));
    }
}

/*
 * Waits for the child; once its streams are closed it is about to exit, but may also hang. -ECHILD
 * where the kernel reaps children itself, because SIGCHLD is ignored here.
 */
static int reap(const struct fl_child *child, pid_t pid, struct fl_child_end *end, int *status)
{
    double deadline = now() + child->timeout;
    const struct timespec pause = {0, 1000000};
    while (!end->stopped && !end->timed_out) {
        pid_t got = waitpid(pid, status, WNOHANG);
        if (got == pid)
            return 0;
        if (got < 0 && errno != EINTR)
            return -errno;
        end->timed_out = now() > deadline;
        nanosleep(&pause, NULL);
    }
    kill(-pid, SIGKILL);
    while (waitpid(pid, status, 0) < 0)
        if (errno != EINTR)
            return -errno;
    return 0;
}

/* Ends what the child left behind in its group, a worker's tracer for one, and waits for it: an
 * init that reaps late or never is common in containers. */
static void sweep_group(pid_t pid)
{
    kill(-pid, SIGKILL);
    while (waitpid(-pid, NULL, 0) > 0 || errno == EINTR)
        ;
}

/* Listens to a child and sees it off. */
static int attend(const struct fl_child *child, pid_t pid, struct stream *messages,
                  struct stream *errors, struct fl_child_end *end)
{
    int status = 0;
    listen_to(child, pid, messages, errors, end);
    int rc = reap(child, pid, end, &status);
    sweep_group(pid);
    end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return rc;
}

int fl_child_run(const struct fl_child *child, struct fl_child_end *end, struct fl_err *err)
{
    int messages[2] = {-1, -1}, errors[2] = {-1, -1};
    pid_t pid = 0;
    struct fl_strays strays;
    *end = (struct fl_child_end){.exit_status = -1};
    fl_strays_note(&strays);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); /* what it leaves behind becomes ours to wait for */
    int rc = pipe2(messages, O_CLOEXEC) || pipe2(errors, O_CLOEXEC) ? -errno : 0;
    if (!rc)
        rc = fl_child_spawn(child, messages[1], errors[1], &pid);
    close_fd(&messages[1]);
    close_fd(&errors[1]);
    struct stream lines = {.fd = messages[0]}, words = {.fd = errors[0]};
    if (rc)
        fl_fail(err, rc, "cannot start '%s': %s", child->path, strerror(-rc));
    else if ((rc = attend(child, pid, &lines, &words, end)))
        fl_fail(err, rc, "cannot wait for '%s': %s", child->path, strerror(-rc));
    fl_strays_end(&strays);
    close_fd(&lines.fd);
    close_fd(&words.fd);
    return rc;
}
