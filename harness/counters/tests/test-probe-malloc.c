/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probe against programs whose allocations are known, under every malloc, in both orders of
 * preloading, before constructors run, and for libraries in which there is nothing to see.
 */
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "counter-rig.h"
#include "faultline/probe.h"
#include "preload-rig.h"

#define METRICS "malloc-calls free-calls malloc-bytes pthread-mutex-locks"

/* C++ operators under their mangled names. */
void *_Znwm(size_t bytes);
void *_Znam(size_t bytes);
void _ZdlPv(void *memory);
void _ZdaPv(void *memory);

/* Through a volatile pointer, so that no call can be left out. */
static void *volatile sink;

static void *keep(void *memory)
{
    sink = memory;
    return sink;
}

/* 13 calls, 11 frees, 10 + 60 + 200 + 30 + 64 + 128 + 256 + 300 + 4000 + 40 + 1 + 2 bytes. */
static void known_allocations(void *arg)
{
    (void)arg;
    void *aligned = NULL;
    void *grown = keep(malloc(10));
    free(keep(calloc(3, 20)));
    grown = keep(realloc(grown, 200));
    free(keep(reallocarray(grown, 3, 10)));
    if (posix_memalign(&aligned, 64, 64))
        abort();
    free(keep(aligned));
    free(keep(aligned_alloc(64, 128)));
    free(keep(memalign(64, 256)));
    free(keep(valloc(300)));
    free(keep(pvalloc(4000)));
    _ZdlPv(keep(_Znwm(40)));
    _ZdaPv(keep(_Znam(1)));
    free(keep(malloc(2)));
    /* NOLINTNEXTLINE(clang-analyzer-optin.portability.UnixAPI): what glibc does is known */
    free(keep(malloc(0)));
    free(NULL);
}

enum { KNOWN_CALLS = 13, KNOWN_FREES = 11, KNOWN_BYTES = 5091 };

static void the_malloc_family_is_counted_exactly(void **unused)
{
    (void)unused;
    struct rig rig;
    rig_open(&rig, &fl_counter_probe, METRICS);
    for (int i = 0; i < 2; i++) {
        rig_window(&rig, known_allocations, NULL);
        assert_int_equal(rig_total(&rig, "malloc-calls"), KNOWN_CALLS);
        assert_int_equal(rig_total(&rig, "free-calls"), KNOWN_FREES);
        assert_int_equal(rig_total(&rig, "malloc-bytes"), KNOWN_BYTES);
    }
    rig_close(&rig);
}

enum { THREADS = 4, CALLS = 2000 };

static void *allocate_many(void *arg)
{
    for (int i = 0; i < CALLS; i++) {
        void *volatile memory = malloc(24);
        free(memory);
    }
    return arg;
}

static void four_threads_allocate(void *arg)
{
    pthread_t *threads = arg;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, allocate_many, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void allocations_of_threads_are_exact(void **unused)
{
    (void)unused;
    struct rig rig;
    pthread_t threads[THREADS];
    four_threads_allocate(threads); /* the second time pthread_create finds its stacks cached */
    rig_open(&rig, &fl_counter_probe, METRICS);
    rig_window(&rig, four_threads_allocate, threads);
    int64_t calls = rig_total(&rig, "malloc-calls");
    /* A thread's descriptor needs a calloc for its dynamic thread vector at most. */
    assert_in_range(calls, THREADS * CALLS, THREADS * CALLS + 2 * THREADS);
    assert_in_range(rig_total(&rig, "free-calls"), THREADS * CALLS, calls);
    rig_close(&rig);
}

static void a_forked_child_goes_on_counting(void **unused)
{
    (void)unused;
    struct rig rig;
    rig_open(&rig, &fl_counter_probe, METRICS);
    pid_t child = fork();
    if (!child) {
        rig_window(&rig, known_allocations, NULL);
        _exit(rig_total(&rig, "malloc-calls") == KNOWN_CALLS ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    rig_close(&rig);
}

/* Calls seen before any constructor ran; written by the function below. */
static uint64_t early_calls = 77, early_locks = 77;

static void allocate_before_constructors(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    void *symbol = dlsym(RTLD_DEFAULT, FL_PROBE_READ);
    fl_probe_read_fn totals;
    memcpy(&totals, &symbol, sizeof(symbol));
    if (!totals)
        return;
    struct fl_probe_totals before, after;
    totals(FL_PROBE_ABI, &before);
    free(keep(malloc(100)));
    free(keep(calloc(1, 100)));
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    totals(FL_PROBE_ABI, &after);
    early_calls = after.malloc_calls - before.malloc_calls;
    early_locks = after.mutex_locks - before.mutex_locks;
}

__attribute__((section(".preinit_array"),
               used)) static void (*const early_function)(void) = allocate_before_constructors;

static void it_counts_before_constructors_run(void **unused)
{
    (void)unused;
    assert_int_equal(early_calls, 2);
    assert_int_equal(early_locks, 1);
}

/* Roles of this program when it is run again. */
enum { SEES_ALL = 10, SEES_NONE_SAYS_WHY = 11, NOT_PRELOADED = 12, SOMETHING_ELSE = 13 };

static int role_count(void)
{
    struct rig rig;
    rig_open(&rig, &fl_counter_probe, METRICS);
    rig_window(&rig, known_allocations, NULL);
    struct fl_reading calls = rig_read(&rig, "malloc-calls");
    if (calls.state == FL_READING_UNAVAILABLE && strstr(calls.reason, "first in LD_PRELOAD"))
        return SEES_NONE_SAYS_WHY;
    if (calls.state == FL_READING_UNAVAILABLE && strstr(calls.reason, "is not preloaded"))
        return NOT_PRELOADED;
    bool all = calls.total == KNOWN_CALLS && rig_total(&rig, "free-calls") == KNOWN_FREES &&
               rig_total(&rig, "malloc-bytes") == KNOWN_BYTES;
    if (!all)
        fprintf(stderr, "%lld calls, %lld frees, %lld bytes\n", (long long)calls.total,
                (long long)rig_total(&rig, "free-calls"),
                (long long)rig_total(&rig, "malloc-bytes"));
    return all ? SEES_ALL : SOMETHING_ELSE;
}

static const char *const other_mallocs[] = {
    "libjemalloc.so.2",
    "libmimalloc.so.2",
    "libtcmalloc_minimal.so.4",
};

static bool installed(const char *library)
{
    void *handle = dlmopen(LM_ID_NEWLM, library, RTLD_LAZY);
    if (handle)
        dlclose(handle);
    return handle != NULL;
}

static void every_malloc_behind_the_probe_is_counted_exactly(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof(other_mallocs) / sizeof(other_mallocs[0]); i++)
        if (installed(other_mallocs[i]))
            assert_int_equal(preload_run(preload_order(other_mallocs[i], false), "count"),
                             SEES_ALL);
}

static void a_malloc_in_front_of_the_probe_is_reported(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof(other_mallocs) / sizeof(other_mallocs[0]); i++)
        if (installed(other_mallocs[i]))
            assert_int_equal(preload_run(preload_order(other_mallocs[i], true), "count"),
                             SEES_NONE_SAYS_WHY);
}

static void without_the_probe_nothing_is_counted(void **unused)
{
    (void)unused;
    assert_int_equal(preload_run(NULL, "count"), NOT_PRELOADED);
}

static void call_eight_times(void *arg)
{
    int (*run)(int);
    memcpy(&run, &arg, sizeof(run));
    run(8);
}

/* Readings of an empty window with `library` under test. */
static struct fl_reading empty_reading(struct rig *rig, const char *library, const char *metric)
{
    rig_open_with(rig, &fl_counter_probe, METRICS, NULL, library);
    rig_window(rig, NULL, NULL);
    return rig_read(rig, metric);
}

static void what_a_library_cannot_show_is_not_zero(void **unused)
{
    (void)unused;
    struct rig rig;
    void *handle = dlopen(NO_IMPORTS, RTLD_NOW);
    assert_non_null(handle);
    struct fl_reading locks = empty_reading(&rig, NO_IMPORTS, "pthread-mutex-locks");
    assert_int_equal(locks.state, FL_READING_NOT_OBSERVABLE);
    assert_non_null(strstr(locks.reason, "imports a mutex function"));
    assert_int_equal(rig_read(&rig, "malloc-calls").state, FL_READING_NOT_OBSERVABLE);
    rig_close(&rig);
    dlclose(handle);
}

static void a_library_that_could_call_and_does_not_is_zero(void **unused)
{
    (void)unused;
    static const char *const libraries[] = {HAS_IMPORTS, NEEDS_IMPORTS};
    for (size_t i = 0; i < 2; i++) {
        struct rig rig;
        void *handle = dlopen(libraries[i], RTLD_NOW);
        assert_non_null(handle);
        struct fl_reading locks = empty_reading(&rig, libraries[i], "pthread-mutex-locks");
        assert_int_equal(locks.state, FL_READING_OK);
        assert_int_equal(locks.total, 0);
        assert_int_equal(rig_total(&rig, "malloc-calls"), 0);
        rig_close(&rig);
        dlclose(handle);
    }
}

static void calls_of_a_library_are_counted(void **unused)
{
    (void)unused;
    struct rig rig;
    void *handle = dlopen(HAS_IMPORTS, RTLD_NOW);
    void *run = dlsym(handle, "has_imports_run");
    rig_open_with(&rig, &fl_counter_probe, METRICS, NULL, HAS_IMPORTS);
    rig_window(&rig, call_eight_times, run);
    assert_int_equal(rig_total(&rig, "pthread-mutex-locks"), 8);
    assert_int_equal(rig_total(&rig, "malloc-calls"), 8);
    assert_int_equal(rig_total(&rig, "malloc-bytes"), 80);
    rig_close(&rig);
    dlclose(handle);
}

static void a_library_that_is_not_loaded_is_not_observable(void **unused)
{
    (void)unused;
    struct rig rig;
    struct fl_reading locks = empty_reading(&rig, "/nowhere/libx.so", "pthread-mutex-locks");
    assert_int_equal(locks.state, FL_READING_NOT_OBSERVABLE);
    assert_non_null(strstr(locks.reason, "/nowhere/libx.so"));
    rig_close(&rig);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "count"))
        return role_count();
    int rc = preload_probe(argv);
    if (rc)
        return rc;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_malloc_family_is_counted_exactly),
        cmocka_unit_test(allocations_of_threads_are_exact),
        cmocka_unit_test(a_forked_child_goes_on_counting),
        cmocka_unit_test(it_counts_before_constructors_run),
        cmocka_unit_test(every_malloc_behind_the_probe_is_counted_exactly),
        cmocka_unit_test(a_malloc_in_front_of_the_probe_is_reported),
        cmocka_unit_test(without_the_probe_nothing_is_counted),
        cmocka_unit_test(what_a_library_cannot_show_is_not_zero),
        cmocka_unit_test(a_library_that_could_call_and_does_not_is_zero),
        cmocka_unit_test(calls_of_a_library_are_counted),
        cmocka_unit_test(a_library_that_is_not_loaded_is_not_observable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
