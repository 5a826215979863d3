/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counter syscalls against programs whose system calls are known, both ways, as root and as user
 * nobody. Each case runs in a child process: a filter stays until its process ends.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "counter-rig.h"

#define ALL "brk-calls mmap-calls munmap-calls madvise-calls futex-calls"

enum { CANNOT_COUNT = 77, WRONG_WAY = 78, NOT_OPEN = 79 };

/* Raw, so that nothing but what stands here is called. */
static void known_calls(void *arg)
{
    (void)arg;
    unsigned word = 0;
    for (int i = 0; i < 7; i++)
        syscall(SYS_brk, 0);
    for (int i = 0; i < 5; i++) {
        void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (i < 3)
            madvise(page, 4096, MADV_NORMAL);
        if (i < 4)
            munmap(page, 4096);
    }
    for (int i = 0; i < 9; i++)
        syscall(SYS_futex, &word, 1 /* FUTEX_WAKE */, 1, NULL, NULL, 0);
    for (int i = 0; i < 1000; i++)
        getppid();
}

/* What a case is: the way forced, and who it runs as. */
struct way {
    const char *name; /* NULL: free to choose */
    bool unprivileged;
};

/* 0, or an exit code that says why nothing can be counted. */
static int open_way(struct rig *rig, const struct way *way)
{
    if (way->name)
        setenv("FAULTLINE_SYSCALLS", way->name, 1);
    rig_open(rig, &fl_counter_syscalls, ALL);
    if (rig->rc)
        return NOT_OPEN;
    rig_window(rig, NULL, NULL);
    struct fl_reading reading = rig_read(rig, "brk-calls");
    if (reading.state != FL_READING_OK) {
        fprintf(stderr, "unavailable: %s\n", reading.reason);
        return CANNOT_COUNT;
    }
    const char *taken = fl_facts_get(&rig->facts, "syscalls-way");
    return way->name && (!taken || strcmp(taken, way->name) != 0) ? WRONG_WAY : 0;
}

static bool is(struct rig *rig, const char *metric, int64_t expected)
{
    int64_t total = rig_total(rig, metric);
    /* The run-time of a sanitizer unmaps and advises in calls of its own. */
    if (rig_is_exact(total, expected))
        return true;
    if (total != expected)
        fprintf(stderr, "%s: %lld, expected %lld\n", metric, (long long)total, (long long)expected);
    return total == expected;
}

static int counts_known_calls(void *arg)
{
    struct rig rig;
    int rc = open_way(&rig, arg);
    if (rc)
        return rc;
    rig_window(&rig, known_calls, NULL);
    bool good = is(&rig, "brk-calls", 7) && is(&rig, "mmap-calls", 5) &&
                is(&rig, "munmap-calls", 4) && is(&rig, "madvise-calls", 3) &&
                is(&rig, "futex-calls", 9);
    rig_window(&rig, NULL, NULL);
    good = good && is(&rig, "brk-calls", 0) && is(&rig, "mmap-calls", 0) &&
           is(&rig, "munmap-calls", 0) && is(&rig, "madvise-calls", 0) &&
           is(&rig, "futex-calls", 0);
    rig_close(&rig);
    return good ? 0 : 1;
}

struct team {
    pthread_barrier_t begin, end;
};

static void *brk_eleven_times(void *arg)
{
    (void)arg;
    for (int i = 0; i < 11; i++)
        syscall(SYS_brk, 0);
    return NULL;
}

static void *brk_between_barriers(void *arg)
{
    struct team *team = arg;
    pthread_barrier_wait(&team->begin);
    brk_eleven_times(NULL);
    pthread_barrier_wait(&team->end);
    return NULL;
}

/* Two threads that were there at open() and two that are made in the window. */
static void four_threads(void *arg)
{
    struct team *team = arg;
    pthread_t late[2];
    pthread_barrier_wait(&team->begin);
    for (int i = 0; i < 2; i++)
        pthread_create(&late[i], NULL, brk_eleven_times, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(late[i], NULL);
    pthread_barrier_wait(&team->end);
}

static int counts_old_and_new_threads(void *arg)
{
    struct team team;
    pthread_barrier_init(&team.begin, NULL, 3);
    pthread_barrier_init(&team.end, NULL, 3);
    pthread_t early[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&early[i], NULL, brk_between_barriers, &team);
    struct rig rig;
    int rc = open_way(&rig, arg);
    if (rc)
        return rc;
    rig_window(&rig, four_threads, &team);
    for (int i = 0; i < 2; i++)
        pthread_join(early[i], NULL);
    return is(&rig, "brk-calls", 44) ? 0 : 1;
}

static void child_process(void *arg)
{
    (void)arg;
    pid_t child = fork();
    if (!child) {
        brk_eleven_times(NULL);
        _exit(errno == ENOSYS);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status)
        _exit(3);
    syscall(SYS_brk, 0);
}

static int leaves_child_processes_out(void *arg)
{
    struct rig rig;
    int rc = open_way(&rig, arg);
    if (rc)
        return rc;
    rig_window(&rig, child_process, NULL);
    return is(&rig, "brk-calls", 1) ? 0 : 1;
}

static volatile sig_atomic_t handled;

static void on_signal(int number)
{
    (void)number;
    handled++;
}

static int delivers_signals(void *arg)
{
    struct rig rig;
    signal(SIGUSR1, on_signal);
    int rc = open_way(&rig, arg);
    if (rc)
        return rc;
    for (int i = 0; i < 20; i++)
        raise(SIGUSR1);
    rig_window(&rig, known_calls, NULL);
    return handled == 20 && is(&rig, "brk-calls", 7) ? 0 : 1;
}

static int works_after_close(void *arg)
{
    struct rig rig;
    int rc = open_way(&rig, arg);
    if (rc)
        return rc;
    rig_close(&rig);
    /* Under a filter without a tracer this fails with ENOSYS. */
    void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED;
}

static const struct way ways[] = {
    {"tracepoint", false}, {"ptrace", false}, {"ptrace", true}, {NULL, false}, {NULL, true},
};

/* A thread sanitizer follows no tracer, and its own threads do not survive becoming another user.
 */
static bool only_tracepoints(void)
{
#ifdef __SANITIZE_THREAD__
    return true;
#else
    return false;
#endif
}

/* Runs a case every way; skips where no way works at all, fails where the wrong one was taken. */
static void every_way(int (*body)(void *))
{
    int counted = 0;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        struct way way = ways[i];
        if (only_tracepoints() && (way.unprivileged || !way.name || strcmp(way.name, "tracepoint")))
            continue;
        int code = rig_child(body, &way, way.unprivileged);
        if (code == CANNOT_COUNT)
            continue;
        if (code)
            print_error("way %s, %s\n", way.name ? way.name : "any",
                        way.unprivileged ? "nobody" : "self");
        assert_int_equal(code, 0);
        counted++;
    }
    if (!counted)
        skip();
}

static void known_calls_are_counted_exactly(void **unused)
{
    (void)unused;
    every_way(counts_known_calls);
}

static void threads_made_before_and_in_the_window_count(void **unused)
{
    (void)unused;
    every_way(counts_old_and_new_threads);
}

static void child_processes_do_not_count(void **unused)
{
    (void)unused;
    every_way(leaves_child_processes_out);
}

static void signals_arrive(void **unused)
{
    (void)unused;
    every_way(delivers_signals);
}

static void the_process_runs_on_after_close(void **unused)
{
    (void)unused;
    every_way(works_after_close);
}

static int takes_any_way_as_nobody(void *arg)
{
    struct rig rig;
    int rc = open_way(&rig, arg);
    if (rc)
        return rc;
    return strcmp(fl_facts_get(&rig.facts, "syscalls-way"), "ptrace") ? 1 : 0;
}

static void without_tracefs_ptrace_is_taken(void **unused)
{
    (void)unused;
    if (geteuid() == 0 && access("/sys/kernel/tracing/events", R_OK))
        skip();
    if (geteuid() && !access("/sys/kernel/tracing/events", R_OK))
        skip();
    struct way way = {NULL, true};
    int code = rig_child(takes_any_way_as_nobody, &way, true);
    if (code == CANNOT_COUNT)
        skip();
    assert_int_equal(code, 0);
}

static int tracepoints_as_nobody(void *arg)
{
    (void)arg;
    setenv("FAULTLINE_SYSCALLS", "tracepoint", 1);
    struct rig rig;
    rig_open(&rig, &fl_counter_syscalls, ALL);
    struct fl_reading reading = rig_read(&rig, "brk-calls");
    return reading.state == FL_READING_UNAVAILABLE && strstr(reading.reason, "run as root") ? 0 : 1;
}

static void a_way_that_is_closed_names_the_cure(void **unused)
{
    (void)unused;
    if (geteuid() != 0 || access("/sys/kernel/tracing/events", R_OK))
        skip();
    assert_int_equal(rig_child(tracepoints_as_nobody, NULL, true), 0);
}

static void holding_the_tracepoint_counts_nothing(void **unused)
{
    (void)unused;
    int held = fl_counter_syscalls.hold();
    if (held < 0)
        skip();
    struct way way = {"tracepoint", false};
    assert_int_equal(rig_child(counts_known_calls, &way, false), 0);
    uint64_t count = 1;
    assert_int_equal(read(held, &count, sizeof(count)), sizeof(count));
    assert_int_equal(count, 0);
    close(held);
}

static void an_unknown_way_is_refused(void **unused)
{
    (void)unused;
    setenv("FAULTLINE_SYSCALLS", "strace", 1);
    struct rig rig;
    rig_open(&rig, &fl_counter_syscalls, ALL);
    unsetenv("FAULTLINE_SYSCALLS");
    assert_int_equal(rig.rc, -EINVAL);
    assert_non_null(strstr(rig.err.text, "strace"));
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_calls_are_counted_exactly),
        cmocka_unit_test(threads_made_before_and_in_the_window_count),
        cmocka_unit_test(child_processes_do_not_count),
        cmocka_unit_test(signals_arrive),
        cmocka_unit_test(the_process_runs_on_after_close),
        cmocka_unit_test(without_tracefs_ptrace_is_taken),
        cmocka_unit_test(a_way_that_is_closed_names_the_cure),
        cmocka_unit_test(holding_the_tracepoint_counts_nothing),
        cmocka_unit_test(an_unknown_way_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
