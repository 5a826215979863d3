/* SPDX-License-Identifier: Apache-2.0 */
/* The probe's core by itself, so that sanitizers can run it: records, their sums and their reuse.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "probe-count.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#else
#define SANITIZED false
#endif

enum { THREADS = 8, EVENTS = 20000 };

static uint64_t total(enum fl_probe_event event)
{
    uint64_t sum[FL_PROBE_EVENTS];
    fl_probe_record_sum(sum);
    return sum[event];
}

static void *count_locks(void *arg)
{
    (void)arg;
    for (int i = 0; i < EVENTS; i++)
        fl_probe_add(fl_probe_record_mine(), FL_PROBE_LOCKS, 1);
    return NULL;
}

static void run_threads(int count, void *(*body)(void *), void *arg)
{
    pthread_t *threads = calloc((size_t)count, sizeof(*threads));
    for (int i = 0; i < count; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, body, arg), 0);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

static void sums_are_exact_over_threads(void **unused)
{
    (void)unused;
    uint64_t before = total(FL_PROBE_LOCKS);
    run_threads(THREADS, count_locks, NULL);
    assert_int_equal(total(FL_PROBE_LOCKS) - before, (uint64_t)THREADS * EVENTS);
}

static void records_have_cache_lines_of_their_own(void **unused)
{
    (void)unused;
    assert_int_equal(sizeof(struct fl_probe_record), 128);
    assert_int_equal((uintptr_t)fl_probe_record_mine() % 128, 0);
}

static void *count_one_lock(void *arg)
{
    (void)arg;
    fl_probe_add(fl_probe_record_mine(), FL_PROBE_LOCKS, 1);
    return NULL;
}

static void ended_threads_leave_their_counts_and_their_record(void **unused)
{
    (void)unused;
    run_threads(1, count_one_lock, NULL);
    uint64_t before = total(FL_PROBE_LOCKS);
    size_t records = fl_probe_record_count();
    for (int i = 0; i < 500; i++)
        run_threads(1, count_one_lock, NULL);
    assert_int_equal(total(FL_PROBE_LOCKS) - before, 500);
    assert_int_equal(fl_probe_record_count(), records);
}

static void *count_and_meet(void *arg)
{
    count_one_lock(NULL);
    pthread_barrier_wait(arg);
    return NULL;
}

static void more_threads_than_a_slab_holds(void **unused)
{
    (void)unused;
    enum { MANY = 700 };
    uint64_t before = total(FL_PROBE_LOCKS);
    pthread_barrier_t all;
    pthread_barrier_init(&all, NULL, MANY);
    run_threads(MANY, count_and_meet, &all);
    pthread_barrier_destroy(&all);
    assert_int_equal(total(FL_PROBE_LOCKS) - before, MANY);
    assert_true(fl_probe_record_count() >= MANY);
}

/* In a page that the tested process and this one share. */
struct meeting {
    _Atomic bool mapped, may_take, has_taken, over;
};

struct taker {
    struct meeting *meeting;
    struct fl_probe_record *mine;
};

static void wait_until(_Atomic bool *flag)
{
    while (!atomic_load(flag))
        sched_yield();
}

static void *take_when_told(void *arg)
{
    struct taker *taker = arg;
    wait_until(&taker->meeting->may_take);
    taker->mine = fl_probe_record_mine();
    atomic_store(&taker->meeting->has_taken, true);
    wait_until(&taker->meeting->over);
    return NULL;
}

/* Maps the slab, and keeps the record that is free without a race. */
static void *take_before_all(void *arg)
{
    struct meeting *meeting = arg;
    count_one_lock(NULL);
    atomic_store(&meeting->mapped, true);
    wait_until(&meeting->over);
    return NULL;
}

/* A process of two threads that take records of which none had an owner. Its first thread stops and
 * is traced from there on. Ends with 1 where both have the same. */
static void take_beside_another(struct meeting *meeting)
{
    struct taker other = {.meeting = meeting};
    pthread_t before, thread;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) ||
        pthread_create(&before, NULL, take_before_all, meeting) ||
        pthread_create(&thread, NULL, take_when_told, &other))
        _exit(77);
    wait_until(&meeting->mapped);
    raise(SIGSTOP);
    struct fl_probe_record *mine = fl_probe_record_mine();
    atomic_store(&meeting->over, true);
    atomic_store(&meeting->may_take, true);
    pthread_join(thread, NULL);
    _exit(mine == other.mine);
}

static int state_of(pid_t child)
{
    int state = 0;
    while (waitpid(child, &state, 0) < 0 && errno == EINTR)
        ;
    return state;
}

/* Lets the other thread take its record when the first one has done `steps` instructions. The exit
 * status of the process; *late: the first one had its record by then. */
static int interrupt_after(int steps, struct meeting *meeting, bool *late)
{
    memset(meeting, 0, sizeof(*meeting));
    pid_t child = fork();
    if (!child)
        take_beside_another(meeting);
    int state = state_of(child);
    for (int i = 0; WIFSTOPPED(state) && i < steps; i++) {
        ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
        state = state_of(child);
    }
    *late = atomic_load(&meeting->over);
    atomic_store(&meeting->may_take, true);
    if (WIFSTOPPED(state)) {
        wait_until(&meeting->has_taken);
        ptrace(PTRACE_CONT, child, NULL, NULL);
        state = state_of(child);
    }
    return WEXITSTATUS(state);
}

/* Wherever the first thread is interrupted, instruction by instruction. */
static void no_two_threads_take_the_same_record(void **unused)
{
    (void)unused;
    if (SANITIZED)
        skip(); /* thousands of instructions, and the question is ours alone */
    struct meeting *meeting =
        mmap(NULL, sizeof(*meeting), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(meeting, MAP_FAILED);
    bool late = false;
    for (int steps = 0; !late; steps++) {
        int status = interrupt_after(steps, meeting, &late);
        if (status == 77)
            skip();
        assert_int_equal(status, 0);
    }
    munmap(meeting, sizeof(*meeting));
}

static void end_badly(void *value)
{
    (void)value;
    _exit(1); /* somebody else's key got a value */
}

/* All keys of the process belong to others. */
static void a_process_without_a_free_key_keeps_its_keys(void **unused)
{
    (void)unused;
    pid_t child = fork();
    if (!child) {
        pthread_key_t key;
        while (!pthread_key_create(&key, end_badly))
            ;
        uint64_t before = total(FL_PROBE_LOCKS);
        run_threads(2, count_locks, NULL);
        _exit(total(FL_PROBE_LOCKS) - before == 2 * EVENTS ? 0 : 2);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

static void nested_calls_count_once(void **unused)
{
    (void)unused;
    uint64_t calls = total(FL_PROBE_MALLOCS), bytes = total(FL_PROBE_BYTES);
    fl_probe_count_alloc(100);
    struct fl_probe_record *mine = fl_probe_record_mine();
    mine->quiet++;
    fl_probe_count_alloc(1000);
    fl_probe_count_free();
    mine->quiet--;
    assert_int_equal(total(FL_PROBE_MALLOCS) - calls, 1);
    assert_int_equal(total(FL_PROBE_BYTES) - bytes, 100);
    assert_int_equal(total(FL_PROBE_FREES), 0);
}

static void a_forked_child_has_the_records_of_its_one_thread(void **unused)
{
    (void)unused;
    size_t records = fl_probe_record_count();
    count_one_lock(NULL);
    pid_t child = fork();
    if (!child) {
        uint64_t before = total(FL_PROBE_LOCKS);
        fl_probe_record_after_fork();
        count_one_lock(NULL);
        count_one_lock(NULL);
        _exit(total(FL_PROBE_LOCKS) - before == 2 && fl_probe_record_count() == records ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* First: their processes must not inherit a record or a key. */
        cmocka_unit_test(no_two_threads_take_the_same_record),
        cmocka_unit_test(a_process_without_a_free_key_keeps_its_keys),
        cmocka_unit_test(sums_are_exact_over_threads),
        cmocka_unit_test(records_have_cache_lines_of_their_own),
        cmocka_unit_test(ended_threads_leave_their_counts_and_their_record),
        cmocka_unit_test(more_threads_than_a_slab_holds),
        cmocka_unit_test(nested_calls_count_once),
        cmocka_unit_test(a_forked_child_has_the_records_of_its_one_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
