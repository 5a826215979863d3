/* SPDX-License-Identifier: Apache-2.0 */
/* Counter perf: software events against known programs, and a reason with a cure for the rest. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "counter-rig.h"
#include "perf-set.h"

enum { PAGES = 300 };

static void touch(void *memory)
{
    for (size_t i = 0; i < PAGES; i++)
        ((volatile char *)memory)[i * (size_t)sysconf(_SC_PAGESIZE)] = 1;
}

static void *touch_in_thread(void *memory)
{
    touch(memory);
    return NULL;
}

static bool has_reason(struct rig *rig, const char *metric, enum fl_reading_state state,
                       const char *part)
{
    struct fl_reading reading = rig_read(rig, metric);
    if (reading.state == state && reading.reason && strstr(reading.reason, part))
        return true;
    fprintf(stderr, "%s: state %d, reason '%s'\n", metric, reading.state,
            reading.reason ? reading.reason : "");
    return false;
}

/* Skips where not even software events can be had, as in many containers. */
static void open_or_skip(struct rig *rig, const char *wanted)
{
    rig_open(rig, &fl_counter_perf, wanted);
    assert_int_equal(rig->rc, 0);
    rig_window(rig, NULL, NULL);
    struct fl_reading reading = rig_read(rig, rig->wanted[0]);
    if (reading.state == FL_READING_OK)
        return;
    print_message("skipped: %s\n", reading.reason);
    rig_close(rig);
    skip();
}

static void software_faults_agree_with_the_pages_touched(void **unused)
{
    (void)unused;
    struct rig rig;
    open_or_skip(&rig, "perf:minor-faults perf:page-faults perf:major-faults");
    rig_window(&rig, touch, rig_pages(PAGES));
    assert_true(rig_is_exact(rig_total(&rig, "perf:minor-faults"), PAGES));
    assert_true(rig_is_exact(rig_total(&rig, "perf:page-faults"), PAGES));
    assert_int_equal(rig_total(&rig, "perf:major-faults"), 0);
    struct fl_reading reading = rig_read(&rig, "perf:minor-faults");
    assert_false(reading.multiplexed);
    assert_true(reading.scale == 1);
    rig_window(&rig, NULL, NULL);
    assert_int_equal(rig_total(&rig, "perf:minor-faults"), 0);
    rig_close(&rig);
}

struct other {
    pthread_barrier_t begin, end;
    void *memory;
};

static void *wait_and_touch(void *arg)
{
    struct other *other = arg;
    pthread_barrier_wait(&other->begin);
    touch(other->memory);
    pthread_barrier_wait(&other->end);
    return NULL;
}

static void old_and_new_thread_touch(void *arg)
{
    struct other *other = arg;
    pthread_t thread;
    pthread_barrier_wait(&other->begin);
    pthread_create(&thread, NULL, touch_in_thread, rig_pages(PAGES));
    pthread_join(thread, NULL);
    pthread_barrier_wait(&other->end);
}

static void all_threads_are_summed(void **unused)
{
    (void)unused;
    struct rig rig;
    struct other other = {.memory = rig_pages(PAGES)};
    pthread_barrier_init(&other.begin, NULL, 2);
    pthread_barrier_init(&other.end, NULL, 2);
    pthread_t thread;
    pthread_create(&thread, NULL, wait_and_touch, &other);
    rig_open(&rig, &fl_counter_perf, "perf:minor-faults");
    rig_window(&rig, old_and_new_thread_touch, &other);
    pthread_join(thread, NULL);
    struct fl_reading reading = rig_read(&rig, "perf:minor-faults");
    rig_close(&rig);
    if (reading.state != FL_READING_OK)
        skip();
    /* Beside the pages: a new thread's stack, and code that is mapped. */
    assert_true(reading.total >= 2 * PAGES);
#ifndef FL_SANITIZED
    assert_true(reading.total < 3 * PAGES);
#endif
}

static void touch_in_child_process(void *memory)
{
    pid_t child = fork();
    if (!child) {
        touch(memory);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void child_processes_do_not_count(void **unused)
{
    (void)unused;
    struct rig rig;
    open_or_skip(&rig, "perf:minor-faults");
    rig_window(&rig, touch_in_child_process, rig_pages(PAGES));
    assert_true(rig_total(&rig, "perf:minor-faults") < PAGES);
    rig_close(&rig);
}

static void burn(void *arg)
{
    (void)arg;
    struct timespec begin, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 20000000);
}

static void task_clock_is_processor_time(void **unused)
{
    (void)unused;
    struct rig rig;
    struct fl_metric metric;
    open_or_skip(&rig, "perf:task-clock");
    rig_window(&rig, burn, NULL);
    assert_in_range(rig_total(&rig, "perf:task-clock"), 19000000, 40000000);
    assert_true(fl_counter_perf.dynamic("perf:task-clock", &metric));
    assert_string_equal(metric.unit, "ns");
    assert_int_equal(metric.kind, FL_METRIC_TIMED);
    rig_close(&rig);
}

static void hardware_events_count_or_say_why_not(void **unused)
{
    (void)unused;
    struct rig rig;
    rig_open(&rig, &fl_counter_perf, "perf:instructions perf:L1-dcache-load-misses");
    assert_int_equal(rig.rc, 0);
    rig_window(&rig, burn, NULL);
    struct fl_reading reading = rig_read(&rig, "perf:instructions");
    if (reading.state == FL_READING_OK)
        assert_true(reading.total > 10000);
    else
        assert_true(strstr(reading.reason, "bare metal") || strstr(reading.reason, "PERFMON"));
    rig_close(&rig);
}

static void names_are_told_apart(void **unused)
{
    (void)unused;
    struct fl_metric metric;
    assert_true(fl_counter_perf.dynamic("perf:instructions:u", &metric));
    assert_string_equal(metric.name, "perf:instructions:u");
    assert_true(fl_counter_perf.dynamic("perf:power8::PM_INST_CMPL", &metric));
    assert_false(fl_counter_perf.dynamic("perf:no-such-event", &metric));
    assert_false(fl_counter_perf.dynamic("perf:perf::PERF_COUNT_NO_SUCH_EVENT", &metric));
    assert_false(fl_counter_perf.dynamic("perf:", &metric));
    assert_false(fl_counter_perf.dynamic("minor-faults", &metric));
}

static void an_event_that_cannot_be_had_says_which(void **unused)
{
    (void)unused;
    struct rig rig;
    rig_open(&rig, &fl_counter_perf,
             "perf:power8::PM_INST_CMPL perf:nonsense "
             "perf:context-switches:u");
    rig_window(&rig, NULL, NULL);
    assert_true(has_reason(&rig, "perf:power8::PM_INST_CMPL", FL_READING_UNAVAILABLE,
                           "this processor has no such event"));
    assert_true(has_reason(&rig, "perf:nonsense", FL_READING_UNAVAILABLE, "libpfm4"));
    assert_true(has_reason(&rig, "perf:context-switches:u", FL_READING_NOT_OBSERVABLE, ":u"));
    rig_close(&rig);
}

static int paranoid_level(void)
{
    int level = -99;
    FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
    if (file && fscanf(file, "%d", &level) != 1)
        level = -99;
    if (file)
        fclose(file);
    return level;
}

static int denied_as_nobody(void *arg)
{
    (void)arg;
    struct rig rig;
    rig_open(&rig, &fl_counter_perf, "perf:minor-faults perf:minor-faults:u");
    rig_window(&rig, touch, rig_pages(PAGES));
    return has_reason(&rig, "perf:minor-faults", FL_READING_UNAVAILABLE,
                      "perf_event_paranoid is 2") &&
                   has_reason(&rig, "perf:minor-faults", FL_READING_UNAVAILABLE,
                              "'minor-faults:u'") &&
                   rig_is_exact(rig_total(&rig, "perf:minor-faults:u"), PAGES)
               ? 0
               : 1;
}

static void nobody_is_told_to_count_user_mode(void **unused)
{
    (void)unused;
    if (geteuid() != 0 || paranoid_level() != 2)
        skip();
    assert_int_equal(rig_child(denied_as_nobody, NULL, true), 0);
}

static int forbidden_by_a_filter(void *arg)
{
    (void)arg;
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return 77;
    struct rig rig;
    rig_open(&rig, &fl_counter_perf, "perf:minor-faults");
    return has_reason(&rig, "perf:minor-faults", FL_READING_UNAVAILABLE, "seccomp profile") ? 0 : 1;
}

static void a_container_that_forbids_it_is_named(void **unused)
{
    (void)unused;
    int code = rig_child(forbidden_by_a_filter, NULL, false);
    if (code == 77)
        skip();
    assert_int_equal(code, 0);
}

static int out_of_files(void *arg)
{
    (void)arg;
    struct rlimit limit = {3, 3};
    struct rig rig;
    /* Room for the walk over the threads, whose descriptor is the lowest, and none for an event. */
    while (open("/dev/null", O_RDONLY) >= 0 && limit.rlim_cur < 64)
        limit.rlim_cur++;
    limit.rlim_max = limit.rlim_cur += 1;
    setrlimit(RLIMIT_NOFILE, &limit);
    rig_open(&rig, &fl_counter_perf, "perf:minor-faults");
    return has_reason(&rig, "perf:minor-faults", FL_READING_UNAVAILABLE, "ulimit -n") ? 0 : 1;
}

static void too_many_open_files_are_named(void **unused)
{
    (void)unused;
    assert_int_equal(rig_child(out_of_files, NULL, false), 0);
}

static void the_seventeenth_event_is_refused(void **unused)
{
    (void)unused;
    static const char *const faults[] = {
        "perf:minor-faults",     "perf:minor-faults:u", "perf:minor-faults:k",
        "perf:major-faults",     "perf:major-faults:u", "perf:major-faults:k",
        "perf:page-faults",      "perf:page-faults:u",  "perf:page-faults:k",
        "perf:task-clock",       "perf:task-clock:u",   "perf:task-clock:k",
        "perf:cpu-clock",        "perf:cpu-clock:u",    "perf:cpu-clock:k",
        "perf:context-switches", "perf:cpu-migrations", NULL,
    };
    void *state = calloc(1, fl_counter_perf.part.state_size);
    const struct fl_counter_env env = {.wanted = faults};
    struct fl_reading reading;
    assert_int_equal(fl_counter_perf.open(state, &env, NULL), 0);
    fl_counter_perf.start(state);
    fl_counter_perf.stop(state);
    fl_counter_perf.read(state, faults[16], &reading);
    assert_int_equal(reading.state, FL_READING_UNAVAILABLE);
    assert_non_null(strstr(reading.reason, "16"));
    fl_counter_perf.close(state);
    free(state);
}

static void multiplexing_is_flagged_and_not_applied(void **unused)
{
    (void)unused;
    struct fl_reading reading;
    struct fl_perf_set set = {.edge = {{100, 1000, 1000}, {400, 3000, 1500}}};
    fl_perf_set_reading(&set, &reading);
    assert_int_equal(reading.state, FL_READING_OK);
    assert_int_equal(reading.total, 300);
    assert_true(reading.multiplexed);
    assert_true(reading.scale == 4);
    set.edge[1].running = 3000;
    fl_perf_set_reading(&set, &reading);
    assert_false(reading.multiplexed);
    assert_true(reading.scale == 1);
}

static void an_event_that_never_ran_is_unavailable(void **unused)
{
    (void)unused;
    struct fl_reading reading;
    struct fl_perf_set set = {.edge = {{5, 1000, 700}, {5, 3000, 700}}};
    fl_perf_set_reading(&set, &reading);
    assert_int_equal(reading.state, FL_READING_UNAVAILABLE);
    assert_non_null(strstr(reading.reason, "fewer perf events"));
}

static void holding_counts_nothing(void **unused)
{
    (void)unused;
    int held = fl_counter_perf.hold();
    if (held < 0)
        skip();
    uint64_t count = 1;
    touch(rig_pages(PAGES));
    assert_int_equal(read(held, &count, sizeof(count)), sizeof(count));
    assert_int_equal(count, 0);
    close(held);
}

static void opening_leaves_the_heap_as_it_was(void **unused)
{
    (void)unused;
#ifdef FL_SANITIZED
    skip();
#endif
    void *state = calloc(1, fl_counter_perf.part.state_size);
    const char *const wanted[] = {"perf:minor-faults", "perf:instructions", NULL};
    const struct fl_counter_env env = {.wanted = wanted};
    struct fl_metric metric;
    struct mallinfo2 before = mallinfo2();
    assert_true(fl_counter_perf.dynamic(wanted[0], &metric));
    assert_int_equal(fl_counter_perf.open(state, &env, NULL), 0);
    struct mallinfo2 after = mallinfo2();
    assert_int_equal(after.uordblks, before.uordblks);
    assert_int_equal(after.arena, before.arena);
    assert_int_equal(after.hblks, before.hblks);
    fl_counter_perf.close(state);
    free(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* First: later ones would find libpfm4 initialised, if it ran in this process. */
        cmocka_unit_test(opening_leaves_the_heap_as_it_was),
        cmocka_unit_test(software_faults_agree_with_the_pages_touched),
        cmocka_unit_test(all_threads_are_summed),
        cmocka_unit_test(child_processes_do_not_count),
        cmocka_unit_test(task_clock_is_processor_time),
        cmocka_unit_test(hardware_events_count_or_say_why_not),
        cmocka_unit_test(names_are_told_apart),
        cmocka_unit_test(an_event_that_cannot_be_had_says_which),
        cmocka_unit_test(nobody_is_told_to_count_user_mode),
        cmocka_unit_test(a_container_that_forbids_it_is_named),
        cmocka_unit_test(too_many_open_files_are_named),
        cmocka_unit_test(the_seventeenth_event_is_refused),
        cmocka_unit_test(multiplexing_is_flagged_and_not_applied),
        cmocka_unit_test(an_event_that_never_ran_is_unavailable),
        cmocka_unit_test(holding_counts_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
