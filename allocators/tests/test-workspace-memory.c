/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each workspace asks malloc and the kernel for, in which order it gives back, and what it
 * does when there is nothing to have. The ledger sees the asking.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faultline/registry.h"
#include "memory-ledger.h"

#define SLOT_POOLS "slots-mutex", "slots-tls-mutex", "slots-lock", "slots-hint", "slots-percpu"

enum { LIMIT = 128 * 1024, CALLS = 5 };

static _Alignas(64) char state_of_workspace[4096];

static bool runs_here(const char *level)
{
    return !fl_part_probe(&fl_registry_workspace(level)->part, NULL);
}

static int open_ws(struct fl_workspace *ws, const char *level, const struct fl_request *requests,
                   size_t count)
{
    ledger = (struct ledger){.freed_last_first = true};
    memset(state_of_workspace, 0, sizeof state_of_workspace);
    const char *colon = strchr(level, ':');
    *ws = (struct fl_workspace){fl_registry_workspace(level), state_of_workspace};
    assert_non_null(ws->ops);
    assert_true(ws->ops->part.state_size <= sizeof state_of_workspace);
    return ws->ops->open(ws->state, requests, count, 1, colon ? colon + 1 : "", NULL);
}

static void close_ws(struct fl_workspace *ws)
{
    ws->ops->close(ws->state);
    assert_int_equal(ledger.live, 0);
}

static int count_run(void *arg, void *const *pointers)
{
    (void)pointers;
    ++*(unsigned *)arg;
    return 0;
}

static int call(const struct fl_workspace *ws, const struct fl_request *requests, size_t count,
                unsigned *runs)
{
    *runs = 0;
    return fl_workspace_with(ws, requests, count, count_run, runs);
}

/* Calls of each function per call of the workspace, after one call to settle. */
struct expected {
    const char *level;
    size_t a, b; /* bytes */
    unsigned mallocs, frees, mmaps, munmaps;
};

static void check_calls(const struct expected *e)
{
    const struct fl_request requests[] = {{e->a, 32}, {e->b, 32}};
    struct fl_workspace ws;
    unsigned runs;
    assert_int_equal(open_ws(&ws, e->level, requests, 2), 0);
    assert_int_equal(call(&ws, requests, 2, &runs), 0);
    struct ledger before = ledger;
    for (int i = 0; i < CALLS; i++)
        assert_int_equal(call(&ws, requests, 2, &runs), 0);
    if (ledger.mallocs - before.mallocs != CALLS * e->mallocs ||
        ledger.frees - before.frees != CALLS * e->frees ||
        ledger.mmaps - before.mmaps != CALLS * e->mmaps ||
        ledger.munmaps - before.munmaps != CALLS * e->munmaps)
        fail_msg("%s, %zu + %zu bytes: in %d calls %u mallocs, %u frees, %u mmaps, %u munmaps",
                 e->level, e->a, e->b, CALLS, ledger.mallocs - before.mallocs,
                 ledger.frees - before.frees, ledger.mmaps - before.mmaps,
                 ledger.munmaps - before.munmaps);
    close_ws(&ws);
}

static void calls_of_malloc_and_mmap_per_call(void **unused)
{
    (void)unused;
    static const struct expected table[] = {
        {"malloc", 0, 1, 2, 2, 0, 0},
        {"malloc", 294912, 294912, 2, 2, 0, 0},
        {"stack+malloc", LIMIT, LIMIT, 0, 0, 0, 0},
        {"stack+malloc", LIMIT + 1, LIMIT, 1, 1, 0, 0},
        {"stack+malloc", LIMIT, LIMIT + 1, 1, 1, 0, 0},
        {"stack+malloc", LIMIT + 1, LIMIT + 1, 2, 2, 0, 0},
        {"stack+malloc:limit=0", 1, 0, 1, 1, 0, 0},
        {"stack+malloc:limit=256K", LIMIT + 1, 256 * 1024, 0, 0, 0, 0},
        {"mmap", 0, 294912, 0, 0, 2, 2},
        {"thread-local", 294912, 294912, 0, 0, 0, 0},
        {"size-class", LIMIT, LIMIT, 0, 0, 0, 0},
        {"size-class", 294912, 294912, 0, 0, 0, 0},
        {"size-class", LIMIT + 1, 9000000, 0, 0, 0, 0},
        {"size-class:limit=0", 1, 4096, 0, 0, 0, 0},
        {"hugepage", 294912, 9000000, 0, 0, 0, 0},
        {"null", 294912, 9000000, 0, 0, 0, 0},
        {"slots-mutex", 294912, 9000000, 0, 0, 0, 0},
        {"slots-tls-mutex", 294912, 9000000, 0, 0, 0, 0},
        {"slots-lock", 294912, 9000000, 0, 0, 0, 0},
        {"slots-hint", 294912, 9000000, 0, 0, 0, 0},
        {"slots-percpu", 294912, 9000000, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (runs_here(table[i].level))
            check_calls(&table[i]);
}

static void malloc_is_asked_as_eigen_asks(void **unused)
{
    (void)unused;
    static const char *const levels[] = {"malloc", "stack+malloc"};
    static const struct fl_request requests[] = {
        {294912, 16}, {294912, 32}, {135168, 64}, {247808, 8}};
    static const size_t asked[] = {294912, 294912 + 32, 135168 + 64, 247808};
    for (size_t i = 0; i < 2; i++) {
        struct fl_workspace ws;
        unsigned runs;
        assert_int_equal(open_ws(&ws, levels[i], requests, 4), 0);
        assert_int_equal(call(&ws, requests, 4, &runs), 0);
        assert_int_equal(ledger.mallocs, 4);
        assert_memory_equal(ledger.sizes, asked, sizeof asked);
        assert_true(ledger.freed_last_first);
        close_ws(&ws);
    }
}

/* The k-th malloc fails: nothing is called, nothing leaks, and the next call works. */
static void check_failure(const char *level, unsigned mallocs, unsigned mmaps)
{
    const struct fl_request requests[] = {{200000, 64}, {300000, 64}, {400000, 64}};
    struct fl_workspace ws;
    unsigned runs;
    assert_int_equal(open_ws(&ws, level, requests, 3), 0);
    long live = ledger.live;
    ledger.mallocs_before_fail = mallocs;
    ledger.mmaps_before_fail = mmaps;
    assert_int_equal(call(&ws, requests, 3, &runs), -ENOMEM);
    assert_int_equal(runs, 0);
    long kept = (long)ws.ops->held(ws.state);
    assert_int_equal(ledger.live, live + kept);
    assert_int_equal(call(&ws, requests, 3, &runs), 0);
    assert_int_equal(runs, 1);
    close_ws(&ws);
}

static void a_failed_allocation_is_undone(void **unused)
{
    (void)unused;
    for (unsigned k = 1; k <= 3; k++) {
        check_failure("malloc", k, 0);
        check_failure("stack+malloc", k, 0);
        check_failure("size-class", k, 0);
        check_failure("mmap", 0, k);
    }
    check_failure("thread-local", 1, 0);
    if (runs_here("hugepage"))
        check_failure("hugepage", 0, 1);
}

static void a_failed_growth_leaves_a_usable_workspace(void **unused)
{
    (void)unused;
    static const struct fl_request small = {1000, 64}, large = {1000000, 64};
    struct fl_workspace ws;
    unsigned runs;
    assert_int_equal(open_ws(&ws, "thread-local", &large, 1), 0);
    assert_int_equal(call(&ws, &small, 1, &runs), 0);
    ledger.mallocs_before_fail = 1;
    assert_int_equal(call(&ws, &large, 1, &runs), -ENOMEM);
    assert_int_equal(ws.ops->held(ws.state), ledger.live);
    assert_int_equal(call(&ws, &small, 1, &runs), 0);
    assert_int_equal(call(&ws, &large, 1, &runs), 0);
    assert_int_equal(ws.ops->held(ws.state), ledger.live);
    close_ws(&ws);
}

static const char *const all_but_null[] = {"malloc",     "stack+malloc", "mmap",    "thread-local",
                                           "size-class", "hugepage",     SLOT_POOLS};

static void absurd_requests_are_refused(void **unused)
{
    (void)unused;
    static const struct fl_request absurd[] = {{SIZE_MAX, 1},           {SIZE_MAX - 31, 32},
                                               {SIZE_MAX - 4095, 4096}, {SIZE_MAX / 2, 64},
                                               {SIZE_MAX / 2 + 1, 16},  {(size_t)1 << 48, 4096},
                                               {1, (size_t)1 << 63}};
    static const struct fl_request sane = {LIMIT + 1, 64};
    for (size_t l = 0; l < sizeof all_but_null / sizeof *all_but_null; l++) {
        struct fl_workspace ws;
        unsigned runs;
        if (!runs_here(all_but_null[l]))
            continue;
        assert_int_equal(open_ws(&ws, all_but_null[l], &sane, 1), 0);
        for (size_t i = 0; i < sizeof absurd / sizeof *absurd; i++) {
            /* On a stack there is no refusing: open() bounds what lands there. */
            if (absurd[i].bytes <= LIMIT && (l == 1 || l == 4))
                continue;
            const struct fl_request pair[] = {sane, absurd[i]};
            assert_int_equal(call(&ws, pair, 2, &runs), -ENOMEM);
            assert_int_equal(runs, 0);
            assert_int_equal(call(&ws, &sane, 1, &runs), 0);
            assert_int_equal(runs, 1);
        }
        close_ws(&ws);
    }
}

/* No mapping for a slot: malloc serves the call, and the slot is as good as before. */
static void a_slot_without_a_mapping_is_no_failure(void **unused)
{
    (void)unused;
    static const char *const levels[] = {SLOT_POOLS};
    static const struct fl_request request = {300000, 64};
    for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
        struct fl_workspace ws;
        unsigned runs;
        assert_int_equal(open_ws(&ws, levels[l], &request, 1), 0);
        unsigned mmaps = ledger.mmaps;
        ledger.mmaps_before_fail = 1;
        assert_int_equal(call(&ws, &request, 1, &runs), 0);
        assert_int_equal(runs, 1);
        assert_int_equal(ledger.mmaps, mmaps);
        ledger.mmaps_before_fail = 1;
        ledger.mallocs_before_fail = 1;
        assert_int_equal(call(&ws, &request, 1, &runs), -ENOMEM);
        assert_int_equal(runs, 0);
        assert_int_equal(call(&ws, &request, 1, &runs), 0);
        assert_int_equal(ledger.mmaps, mmaps + 1);
        close_ws(&ws);
    }
}

static void pools_refuse_at_open_what_no_slot_can_hold(void **unused)
{
    (void)unused;
    static const struct fl_request request = {SIZE_MAX - 4096, 64}, sane = {100, 64};
    struct fl_workspace ws;
    assert_int_equal(open_ws(&ws, "slots-lock", &request, 1), -ENOMEM);
    assert_int_equal(ledger.live, 0);
    ledger.mmaps_before_fail = 1;
    assert_int_equal(ws.ops->open(ws.state, &sane, 1, 1, "", NULL), -ENOMEM);
    assert_int_equal(ledger.live, 0);
}

static void null_refuses_at_open_what_it_cannot_map(void **unused)
{
    (void)unused;
    static const struct fl_request requests[] = {{1000, 64}, {(size_t)1 << 48, 64}};
    struct fl_workspace ws;
    assert_int_equal(open_ws(&ws, "null", requests, 2), -ENOMEM);
    assert_int_equal(ledger.live, 0);
}

static void open_bounds_what_lands_on_the_stack(void **unused)
{
    (void)unused;
    static const struct fl_request requests[] = {{1 << 30, 64}, {1 << 30, 64}};
    struct fl_workspace ws;
    assert_int_equal(open_ws(&ws, "stack+malloc:limit=1G", requests, 2), -EINVAL);
    assert_int_equal(open_ws(&ws, "size-class:limit=1G", requests, 2), -EINVAL);
    assert_int_equal(open_ws(&ws, "size-class", requests, 2), 0);
    close_ws(&ws);
}

/* held() is what was taken and not given back, but for bookkeeping that open() took. */
static void held_is_exact(void **unused)
{
    (void)unused;
    static const char *const levels[] = {"malloc",     "stack+malloc", "mmap", "thread-local",
                                         "size-class", "hugepage",     "null", SLOT_POOLS};
    static const struct fl_request requests[] = {{LIMIT + 1, 32}, {0, 64}, {3000000, 4096}};
    for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
        struct fl_workspace ws;
        unsigned runs;
        if (!runs_here(levels[l]))
            continue;
        assert_int_equal(open_ws(&ws, levels[l], requests, 3), 0);
        long bookkeeping = ledger.live - (long)ws.ops->held(ws.state);
        bool keeps = l >= 3;
        assert_true(keeps ? bookkeeping >= 0 : bookkeeping == 0);
        for (size_t count = 1; count <= 3; count++) {
            assert_int_equal(call(&ws, requests, count, &runs), 0);
            assert_int_equal(ws.ops->held(ws.state), ledger.live - bookkeeping);
        }
        if (keeps)
            assert_true(ws.ops->held(ws.state) >= LIMIT + 1 + 3000000);
        else
            assert_int_equal(ws.ops->held(ws.state), 0);
        close_ws(&ws);
    }
}

static void thread_local_only_grows(void **unused)
{
    (void)unused;
    static const size_t sizes[] = {1000, 300000, 1000, 300001, 5000000, 0, 300000};
    struct fl_request request = {5000000, 64};
    struct fl_workspace ws;
    unsigned runs;
    size_t held = 0, largest = 0;
    assert_int_equal(open_ws(&ws, "thread-local", &request, 1), 0);
    assert_int_equal(ws.ops->held(ws.state), 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        request.bytes = sizes[i];
        unsigned mallocs = ledger.mallocs;
        assert_int_equal(call(&ws, &request, 1, &runs), 0);
        if (sizes[i] <= largest)
            assert_int_equal(ledger.mallocs, mallocs);
        largest = sizes[i] > largest ? sizes[i] : largest;
        assert_true(ws.ops->held(ws.state) >= held);
        held = ws.ops->held(ws.state);
        /* The buffer, its alignment and a header: no rounding to classes. */
        assert_in_range(held, largest, largest + 256);
    }
    close_ws(&ws);
}

static void size_class_keeps_nothing_of_the_stack(void **unused)
{
    (void)unused;
    static const struct fl_request at[] = {{LIMIT, 64}, {LIMIT, 64}}, above = {LIMIT + 1, 64};
    struct fl_workspace ws;
    unsigned runs;
    assert_int_equal(open_ws(&ws, "size-class", at, 2), 0);
    assert_int_equal(call(&ws, at, 2, &runs), 0);
    assert_int_equal(ws.ops->held(ws.state), 0);
    assert_int_equal(call(&ws, &above, 1, &runs), 0);
    assert_true(ws.ops->held(ws.state) > LIMIT);
    close_ws(&ws);
}

static void size_classes_waste_at_most_a_quarter(void **unused)
{
    (void)unused;
    struct fl_request request = {0, 16};
    struct fl_workspace ws;
    unsigned runs;
    for (size_t bytes = 4097; bytes < 40000000; bytes += bytes / 7) {
        request.bytes = bytes;
        assert_int_equal(open_ws(&ws, "size-class:limit=0", &request, 1), 0);
        assert_int_equal(call(&ws, &request, 1, &runs), 0);
        assert_in_range(ws.ops->held(ws.state), bytes, bytes + bytes / 4);
        close_ws(&ws);
    }
}

static int under_a_memory_limit(const char *level)
{
    static const struct fl_request small = {200000, 64}, large = {256 * 1024 * 1024, 64};
    struct fl_workspace ws;
    unsigned runs;
    struct rlimit limit = {96 * 1024 * 1024, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
    if (open_ws(&ws, level, &small, 1) || setrlimit(RLIMIT_AS, &limit))
        return 1;
    if (call(&ws, &large, 1, &runs) != -ENOMEM || runs)
        return 2;
    if (call(&ws, &small, 1, &runs) || runs != 1)
        return 3;
    if (setrlimit(RLIMIT_AS, &none) || call(&ws, &large, 1, &runs) || runs != 1)
        return 4;
    ws.ops->close(ws.state);
    return ledger.live ? 5 : 0;
}

static void a_limit_on_the_address_space_is_an_error_not_a_crash(void **unused)
{
    (void)unused;
#ifdef FL_SANITIZED
    skip(); /* sanitizers map terabytes */
#endif
    for (size_t l = 0; l < sizeof all_but_null / sizeof *all_but_null; l++) {
        int status = -1;
        if (!runs_here(all_but_null[l]))
            continue;
        pid_t pid = fork();
        if (pid == 0)
            _exit(under_a_memory_limit(all_but_null[l]));
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (status)
            fail_msg("%s ended with status %#x", all_but_null[l], status);
    }
}

/* KiB of huge pages in the mapping that holds `address`; -1: not known. */
static long huge_kib(const void *address)
{
    char line[512];
    unsigned long from, to;
    long kib = -1;
    bool inside = false;
    FILE *smaps = fopen("/proc/self/smaps", "r");
    while (smaps && kib < 0 && fgets(line, sizeof line, smaps)) {
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            inside = (uintptr_t)address >= from && (uintptr_t)address < to;
        else if (inside)
            sscanf(line, "AnonHugePages: %ld kB", &kib);
    }
    if (smaps)
        fclose(smaps);
    return kib;
}

static int look_for_huge_pages(void *arg, void *const *pointers)
{
    *(long *)arg = huge_kib(pointers[0]);
    return 0;
}

/* 0: huge pages; 77: this machine gives none even where they are allowed. */
static int huge_pages_in_a_process(bool disabled)
{
    static const struct fl_request request = {3 * 1024 * 1024, 64};
    struct fl_workspace ws;
    long kib = 0;
    if (prctl(PR_SET_THP_DISABLE, disabled, 0, 0, 0) || open_ws(&ws, "hugepage", &request, 1))
        return 2;
    if (fl_workspace_with(&ws, &request, 1, look_for_huge_pages, &kib))
        return 3;
    ws.ops->close(ws.state);
    if (prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) != disabled)
        return 4; /* the setting was not put back */
    return kib >= 2048 ? 0 : 77;
}

static void huge_pages_come_even_where_the_process_has_them_off(void **unused)
{
    (void)unused;
    if (!runs_here("hugepage"))
        skip();
    for (int disabled = 0; disabled <= 1; disabled++) {
        int status = -1;
        pid_t pid = fork();
        if (pid == 0)
            _exit(huge_pages_in_a_process(disabled));
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (!disabled && WEXITSTATUS(status) == 77)
            skip();
        assert_int_equal(status, 0);
    }
}

/* Switches huge pages off for good: switching them on again is refused. */
static int forbid_huge_pages(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_THP_DISABLE, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
    return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void small_pages_do_not_go_by_the_name_of_huge_ones(void **unused)
{
    (void)unused;
    if (!runs_here("hugepage"))
        skip();
    int status = -1;
    pid_t pid = fork();
    if (pid == 0)
        _exit(forbid_huge_pages() ? 77 : runs_here("hugepage"));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_of_malloc_and_mmap_per_call),
        cmocka_unit_test(malloc_is_asked_as_eigen_asks),
        cmocka_unit_test(a_failed_allocation_is_undone),
        cmocka_unit_test(a_failed_growth_leaves_a_usable_workspace),
        cmocka_unit_test(absurd_requests_are_refused),
        cmocka_unit_test(a_slot_without_a_mapping_is_no_failure),
        cmocka_unit_test(pools_refuse_at_open_what_no_slot_can_hold),
        cmocka_unit_test(null_refuses_at_open_what_it_cannot_map),
        cmocka_unit_test(open_bounds_what_lands_on_the_stack),
        cmocka_unit_test(held_is_exact),
        cmocka_unit_test(thread_local_only_grows),
        cmocka_unit_test(size_class_keeps_nothing_of_the_stack),
        cmocka_unit_test(size_classes_waste_at_most_a_quarter),
        cmocka_unit_test(huge_pages_come_even_where_the_process_has_them_off),
        cmocka_unit_test(small_pages_do_not_go_by_the_name_of_huge_ones),
        cmocka_unit_test(a_limit_on_the_address_space_is_an_error_not_a_crash),
    };
    return cmocka_run_group_tests_name("workspace-memory", tests, NULL, NULL);
}
