/* SPDX-License-Identifier: Apache-2.0 */
/* Several threads in one workspace at once, and threads that come and go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/registry.h"

enum { THREADS = 6, CALLS = 100, LARGE = 140 * 1024, ENDED = 20, WORKSPACES_MAX = 32 };

/* One on the stack where there is one, one above every limit, one empty. */
static const struct fl_request requests[] = {{1000, 64}, {LARGE, 32}, {0, 4096}};

extern const struct fl_workspace_ops fl_workspace_template;

struct caller {
    const struct fl_workspace *ws;
    int id;
    int calls;
    int wrong; /* calls whose memory somebody else wrote, or whose result was not body's */
};

static int use_memory(void *arg, void *const *pointers)
{
    struct caller *caller = arg;
    for (int i = 0; i < 2; i++)
        memset(pointers[i], caller->id, requests[i].bytes);
    sched_yield();
    for (int i = 0; i < 2; i++)
        for (size_t b = 0; b < requests[i].bytes; b += 997)
            if (((unsigned char *)pointers[i])[b] != caller->id)
                caller->wrong++;
    return caller->id;
}

static void *make_calls(void *arg)
{
    struct caller *caller = arg;
    for (int i = 0; i < caller->calls; i++)
        if (fl_workspace_with(caller->ws, requests, 3, use_memory, caller) != caller->id)
            caller->wrong++;
    return NULL;
}

static struct fl_workspace open_ws(const struct fl_workspace_ops *ops, unsigned threads)
{
    size_t bytes = (ops->part.state_size + 127) / 64 * 64;
    struct fl_workspace ws = {ops, aligned_alloc(64, bytes)};
    struct fl_err err = {""};
    memset(ws.state, 0, bytes);
    if (ops->open(ws.state, requests, 3, threads, "", &err))
        fail_msg("%s: %s", ops->part.name, err.text);
    return ws;
}

static void close_ws(struct fl_workspace *ws)
{
    ws->ops->close(ws->state);
    free(ws->state);
}

/* Runs `count` threads at once; fails where any of them saw foreign bytes. */
static void run_threads(const struct fl_workspace *ws, int count, int calls)
{
    pthread_t threads[2 * THREADS];
    struct caller callers[2 * THREADS];
    for (int i = 0; i < count; i++) {
        callers[i] = (struct caller){ws, i + 1, calls, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, make_calls, &callers[i]), 0);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        if (callers[i].wrong)
            fail_msg("%s: thread %d of %d saw %d wrong calls", ws->ops->part.name, i, count,
                     callers[i].wrong);
    }
}

static void for_every_workspace(void (*check)(const struct fl_workspace_ops *ops))
{
    for (const struct fl_workspace_ops *const *w = fl_registry_workspaces(); *w; w++)
        if (!fl_part_probe(&(*w)->part, NULL))
            check(*w);
    check(&fl_workspace_template);
}

static void check_together(const struct fl_workspace_ops *ops)
{
    struct fl_workspace ws = open_ws(ops, THREADS);
    run_threads(&ws, THREADS, CALLS);
    close_ws(&ws);
}

static void threads_never_share_memory_of_running_calls(void **unused)
{
    (void)unused;
    for_every_workspace(check_together);
}

static void check_too_many(const struct fl_workspace_ops *ops)
{
    struct fl_workspace ws = open_ws(ops, 2);
    run_threads(&ws, 2 * THREADS, CALLS / 4);
    close_ws(&ws);
}

static void more_threads_than_announced_are_served(void **unused)
{
    (void)unused;
    for_every_workspace(check_too_many);
}

/* Others begin there too; false where this thread may run anywhere as before. */
static bool stay_on_one_processor(cpu_set_t *before)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    return !sched_getaffinity(0, sizeof *before, before) && !sched_setaffinity(0, sizeof one, &one);
}

/* What a thread leaves is what the next one uses: nothing grows with the number of ended threads.
 * It may with that of processors. */
static void check_ended(const struct fl_workspace_ops *ops)
{
    cpu_set_t before;
    bool pinned = stay_on_one_processor(&before);
    struct fl_workspace ws = open_ws(ops, 2);
    run_threads(&ws, 1, 2);
    size_t held = ops->held(ws.state);
    for (int i = 0; i < ENDED; i++)
        run_threads(&ws, 1, 2);
    if (ops->held(ws.state) != held)
        fail_msg("%s holds %zu bytes after %d threads, %zu after one", ops->part.name,
                 ops->held(ws.state), ENDED, held);
    close_ws(&ws);
    if (pinned)
        assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

static void an_ended_threads_memory_is_used_again(void **unused)
{
    (void)unused;
    for_every_workspace(check_ended);
}

static void memory_held_grows_with_threads_that_live(void **unused)
{
    (void)unused;
    struct fl_workspace ws = open_ws(fl_registry_workspace("thread-local"), 2);
    struct caller here = {&ws, 7, 1, 0};
    make_calls(&here);
    size_t one = ws.ops->held(ws.state);
    run_threads(&ws, 1, 1);
    assert_int_equal(ws.ops->held(ws.state), 2 * one);
    close_ws(&ws);
}

/* The main thread has used the first workspace; the second gets the same addresses. */
static void a_workspace_opened_after_another_starts_afresh(void **unused)
{
    (void)unused;
    const struct fl_workspace_ops *ops = fl_registry_workspace("thread-local");
    for (int i = 0; i < 50; i++) {
        struct fl_workspace ws = open_ws(ops, 1);
        struct caller here = {&ws, 7, 2, 0};
        assert_int_equal(ops->held(ws.state), 0);
        make_calls(&here);
        assert_int_equal(here.wrong, 0);
        assert_true(ops->held(ws.state) > LARGE);
        close_ws(&ws);
    }
}

static void one_thread_may_use_several_workspaces(void **unused)
{
    (void)unused;
    const struct fl_workspace_ops *ops = fl_registry_workspace("thread-local");
    struct fl_workspace a = open_ws(ops, 1), b = open_ws(ops, 1);
    for (int i = 0; i < 10; i++) {
        struct caller in_a = {&a, 1, 1, 0}, in_b = {&b, 2, 1, 0};
        make_calls(&in_a);
        make_calls(&in_b);
        assert_int_equal(in_a.wrong + in_b.wrong, 0);
    }
    assert_int_equal(ops->held(a.state), ops->held(b.state));
    close_ws(&a);
    struct caller in_b = {&b, 2, 1, 0};
    make_calls(&in_b);
    assert_int_equal(in_b.wrong, 0);
    close_ws(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_never_share_memory_of_running_calls),
        cmocka_unit_test(more_threads_than_announced_are_served),
        cmocka_unit_test(an_ended_threads_memory_is_used_again),
        cmocka_unit_test(memory_held_grows_with_threads_that_live),
        cmocka_unit_test(a_workspace_opened_after_another_starts_afresh),
        cmocka_unit_test(one_thread_may_use_several_workspaces),
    };
    return cmocka_run_group_tests_name("workspace-threads", tests, NULL, NULL);
}
