/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the tracer: clone, hand-shake, filter. */
#include "syscall-tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "raw-syscall.h"
#include "syscall-filter.h"
#include "tracer-loop.h"

#define STACK_BYTES (64 * 1024)

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define THREAD_SANITIZER 1
#endif

/* NULL, or why this build has no tracer. */
static const char *not_built(void)
{
#ifdef THREAD_SANITIZER
    return "a thread sanitizer cannot follow a tracer in its own memory: use another build";
#else
    return FL_HAVE_RAW_SYSCALL ? NULL : "the tracer is written for x86-64 and AArch64 alone";
#endif
}

/* Process that traces this one, 0: none. Allocates nothing. */
static int tracer_of_self(void)
{
    char text[1024];
    int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    ssize_t length = read(file, text, sizeof(text) - 1);
    close(file);
    text[length > 0 ? length : 0] = 0;
    const char *line = strstr(text, "TracerPid:");
    return line ? atoi(line + 10) : 0;
}

static void seize_reason(int error, char *out, size_t size)
{
    int other = tracer_of_self();
    if (other)
        snprintf(out, size,
                 "cannot trace this process: process %d traces it already (a debugger or strace): "
                 "run without",
                 other);
    else
        snprintf(out, size,
                 "cannot trace this process: %s: allow ptrace: kernel.yama.ptrace_scope below 3, "
                 "a container that permits it, a program file that this user may read",
                 strerror(-error));
}

/* The tracer, in the lowest bytes of its stack's mapping. NULL: see errno. */
static struct fl_tracer *map_tracer(void)
{
    void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return stack == MAP_FAILED ? NULL : stack;
}

/*
 * All signals are blocked in the tracer: what the terminal sends to the group is the worker's
 * business. A process of its own, not a thread, because a process cannot trace itself; own
 * descriptors; the worker's memory.
 */
static pid_t clone_tracer(struct fl_tracer *tracer)
{
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    pid_t pid = clone(fl_tracer_run, (char *)tracer + STACK_BYTES, CLONE_VM | SIGCHLD, tracer);
    int rc = -errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return pid < 0 ? rc : pid;
}

/* Tells the tracer to begin and waits until it has seized every thread. */
static int shake_hands(int socket, int folder)
{
    int rc = 0;
    /* A tracer that is dead already must not kill us by SIGPIPE. */
    if (send(socket, &folder, sizeof(folder), MSG_NOSIGNAL) != sizeof(folder))
        return -EPIPE;
    ssize_t length;
    do
        length = read(socket, &rc, sizeof(rc));
    while (length < 0 && errno == EINTR);
    return length == sizeof(rc) ? rc : -EPIPE;
}

static int start_tracer(struct fl_tracer *tracer, int folder)
{
    pid_t pid = clone_tracer(tracer);
    /* Its own copy stays open. While ours were, a tracer that dies would not be seen. */
    close(tracer->sockets[1]);
    if (pid < 0)
        return pid;
    /* Yama lets only a parent trace; EINVAL where there is no Yama. */
    prctl(PR_SET_PTRACER, pid, 0, 0, 0);
    int rc = shake_hands(tracer->sockets[0], folder);
    if (rc)
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
    return rc;
}

/* Opens what the tracer needs, starts it, and closes it on this side. */
static int launch(struct fl_tracer *tracer)
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, tracer->sockets))
        return -errno;
    int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = folder < 0 ? -errno : 0;
    tracer->worker = getpid();
    if (rc) {
        close(tracer->sockets[1]);
    } else {
        rc = start_tracer(tracer, folder);
        close(folder);
    }
    close(tracer->sockets[0]);
    return rc;
}

int fl_tracer_open(unsigned groups, const struct fl_tracer_counts **counts, char *out, size_t size)
{
    const char *why = not_built();
    if (why) {
        snprintf(out, size, "%s", why);
        return -ENOTSUP;
    }
    int rc = fl_syscall_filter_check(out, size);
    if (rc)
        return rc;
    struct fl_tracer *tracer = map_tracer();
    if (!tracer) {
        rc = -errno;
        snprintf(out, size, "cannot map a stack for the tracer: %s", strerror(-rc));
        return rc;
    }
    rc = launch(tracer);
    if (rc) {
        seize_reason(rc, out, size);
        munmap(tracer, STACK_BYTES);
        return rc;
    }
    /* From here the tracer lives until this process ends, with or without a filter to serve. */
    rc = fl_syscall_filter_install(groups);
    if (rc)
        snprintf(out, size, "cannot install the seccomp filter on all threads: %s", strerror(-rc));
    *counts = &tracer->counts;
    return rc;
}
