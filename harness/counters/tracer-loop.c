/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tracer: seizes every thread of the worker, then counts its stops until the last one is gone.
 *
 * This code runs beside the worker in the worker's memory and on the worker's thread pointer, so it
 * calls no function of libc and is not instrumented by sanitizers.
 */
#include "tracer-loop.h"

#include <errno.h>
#include <linux/ptrace.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>

#include "raw-syscall.h"

#define OPTIONS                                                                                    \
    (PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |      \
     PTRACE_O_EXITKILL)

/* struct linux_dirent64: number, offset, length, type, name. */
enum { ENTRY_LENGTH_AT = 16, ENTRY_NAME_AT = 19 };

struct task_list {
    char bytes[4096];
};

FL_PLAIN static long ptrace_call(long request, pid_t tid, unsigned long data)
{
    return fl_raw_syscall(SYS_ptrace, request, tid, 0, (long)data);
}

FL_PLAIN static pid_t parse_tid(const char *digits)
{
    pid_t tid = 0;
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): getdents64 wrote them */
    while (*digits >= '0' && *digits <= '9')
        tid = tid * 10 + (*digits++ - '0');
    return tid;
}

/* Seizes the tasks in `length` bytes of directory entries. Adds the new ones to *seized. */
FL_PLAIN static long seize_entries(const struct task_list *list, long length, int *seized)
{
    for (long at = 0; at < length;) {
        const char *entry = list->bytes + at;
        pid_t tid = parse_tid(entry + ENTRY_NAME_AT);
        long rc = tid ? ptrace_call(PTRACE_SEIZE, tid, OPTIONS) : -ESRCH;
        if (tid && rc == 0)
            ++*seized;
        /* EPERM for a task that a seized one has just made: it is traced already. */
        else if (rc != -ESRCH && (rc != -EPERM || *seized == 0))
            return rc;
        at += (unsigned char)entry[ENTRY_LENGTH_AT] | (unsigned char)entry[ENTRY_LENGTH_AT + 1]
                                                          << 8;
    }
    return 0;
}

/* One pass over /proc/WORKER/task, opened as `folder`. */
FL_PLAIN static long seize_pass(int folder, int *seized)
{
    struct task_list list;
    long length = 0;
    long rc = fl_raw_syscall(SYS_lseek, folder, 0, 0, 0);
    while (rc >= 0 && (length = fl_raw_syscall(SYS_getdents64, folder, (long)list.bytes,
                                               sizeof(list.bytes), 0)) > 0)
        rc = seize_entries(&list, length, seized);
    return rc < 0 ? rc : length;
}

/* Passes until nothing new turns up: a thread made behind our back by one not yet seized. */
FL_PLAIN static long seize_all(int folder)
{
    int all = 0, before;
    do {
        before = all;
        long rc = seize_pass(folder, &all);
        if (rc < 0)
            return rc;
    } while (all != before);
    return all ? 0 : -ESRCH;
}

/* A child process runs under the same filter, but its calls are not the worker's. */
FL_PLAIN static void count_stop(struct fl_tracer *t, pid_t tid)
{
    unsigned long group = FL_SYSCALL_GROUPS; /* none, where the task was killed at its stop */
    ptrace_call(PTRACE_GETEVENTMSG, tid, (unsigned long)&group);
    if (group < FL_SYSCALL_GROUPS && fl_raw_syscall(SYS_tgkill, t->worker, tid, 0, 0) == 0)
        /* Relaxed: the thread counted is stopped and runs on through the kernel. */
        atomic_store_explicit(&t->counts.calls[group],
                              atomic_load_explicit(&t->counts.calls[group], memory_order_relaxed) +
                                  1,
                              memory_order_relaxed);
}

/* Lets a stopped task go on, with the signal that it stopped for. */
FL_PLAIN static void resume(struct fl_tracer *t, pid_t tid, int status)
{
    unsigned long sig = (unsigned long)WSTOPSIG(status);
    int event = status >> 16;
    if (event == PTRACE_EVENT_STOP && sig != SIGTRAP) {
        ptrace_call(PTRACE_LISTEN, tid, 0); /* stopped by SIGSTOP: stays so until SIGCONT */
        return;
    }
    if (event == PTRACE_EVENT_SECCOMP)
        count_stop(t, tid);
    ptrace_call(PTRACE_CONT, tid, event ? 0 : sig);
}

FL_PLAIN static void trace(struct fl_tracer *t)
{
    for (;;) {
        int status = 0;
        long tid = fl_raw_syscall(SYS_wait4, -1, (long)&status, __WALL, 0);
        if (tid < 0 && tid != -EINTR)
            return; /* ECHILD: the last task is gone */
        if (tid > 0 && WIFSTOPPED(status))
            resume(t, (pid_t)tid, status);
    }
}

FL_PLAIN int fl_tracer_run(void *tracer)
{
    struct fl_tracer *t = tracer;
    int folder = -1, socket = t->sockets[1];
    /* Our copy of the worker's end: while it is open, the worker's death is not seen. */
    fl_raw_syscall(SYS_close, t->sockets[0], 0, 0, 0);
    /* Comes when the worker has let us trace it; 0 bytes: it is gone. */
    if (fl_raw_syscall(SYS_read, socket, (long)&folder, sizeof(folder), 0) == sizeof(folder)) {
        int rc = (int)seize_all(folder);
        fl_raw_syscall(SYS_write, socket, (long)&rc, sizeof(rc), 0);
        /* A pipe of the worker that stays open here would never end for its reader. */
        fl_raw_syscall(SYS_close_range, 0, ~0u, 0, 0);
        if (rc == 0)
            trace(t);
    }
    fl_raw_syscall(SYS_exit_group, 0, 0, 0, 0);
    return 0;
}
