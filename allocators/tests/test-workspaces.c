/* SPDX-License-Identifier: Apache-2.0 */
/* What every workspace promises, checked for all of them and for the template. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <stdbool.h>

#include "faultline/registry.h"

extern const struct fl_workspace_ops fl_workspace_template;

enum { LIMIT = 128 * 1024, BIG = 600 * 1000 + 5, WORKSPACES_MAX = 32 };

/* All that can run here, the template last. */
static size_t all_workspaces(const struct fl_workspace_ops *out[WORKSPACES_MAX])
{
    size_t count = 0;
    for (const struct fl_workspace_ops *const *w = fl_registry_workspaces(); *w; w++)
        if (!fl_part_probe(&(*w)->part, NULL))
            out[count++] = *w;
    out[count++] = &fl_workspace_template;
    return count;
}

static struct fl_workspace open_workspace(const struct fl_workspace_ops *ops,
                                          const struct fl_request *requests, size_t count,
                                          const char *options)
{
    size_t bytes = (ops->part.state_size + 63) / 64 * 64;
    struct fl_workspace ws = {ops, aligned_alloc(64, bytes + 64)};
    struct fl_err err = {""};
    assert_non_null(ws.state);
    memset(ws.state, 0, bytes + 64);
    if (ops->open(ws.state, requests, count, 1, options, &err))
        fail_msg("%s: %s", ops->part.name, err.text);
    return ws;
}

static void close_workspace(struct fl_workspace *ws)
{
    ws->ops->close(ws->state);
    free(ws->state);
}

struct call {
    const struct fl_request *requests;
    size_t count;
    int result;
    unsigned runs;
    const char *name;
};

/* Fills every byte of every buffer with its own pattern, then finds all of them unspoilt. */
static int check_buffers(void *arg, void *const *pointers)
{
    struct call *call = arg;
    call->runs++;
    for (size_t i = 0; i < call->count; i++) {
        uintptr_t address = (uintptr_t)pointers[i];
        if (!address || address % call->requests[i].align) {
            fail_msg("%s: buffer %zu at %p is not aligned to %zu", call->name, i, pointers[i],
                     call->requests[i].align);
            return -1;
        }
        for (size_t j = 0; j < i; j++)
            if (pointers[i] == pointers[j])
                fail_msg("%s: buffers %zu and %zu are one", call->name, j, i);
        memset(pointers[i], (int)(0x11 * (i + 1)), call->requests[i].bytes);
    }
    for (size_t i = 0; i < call->count; i++) {
        const unsigned char *bytes = pointers[i];
        size_t size = call->requests[i].bytes;
        /* All bytes equal their neighbours, and the first is right. */
        if (size && (bytes[0] != 0x11 * (i + 1) || memcmp(bytes, bytes + 1, size - 1)))
            fail_msg("%s: buffer %zu was overwritten", call->name, i);
    }
    return call->result;
}

static void check_call(const struct fl_workspace_ops *ops, const struct fl_request *requests,
                       size_t count)
{
    struct fl_workspace ws = open_workspace(ops, requests, count, "");
    for (int result = -7; result <= 7; result += 14) {
        struct call call = {requests, count, result, 0, ops->part.name};
        assert_int_equal(fl_workspace_with(&ws, requests, count, check_buffers, &call), result);
        assert_int_equal(call.runs, 1);
    }
    close_workspace(&ws);
}

static void buffers_are_distinct_aligned_and_of_the_size_asked(void **unused)
{
    (void)unused;
    static const size_t sizes[] = {0, 1, LIMIT - 1, LIMIT, LIMIT + 1, BIG};
    const struct fl_workspace_ops *all[WORKSPACES_MAX];
    size_t workspaces = all_workspaces(all);
    for (size_t w = 0; w < workspaces; w++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (size_t align = 1; align <= 4096; align *= 8)
                for (size_t count = 1; count <= FL_REQUESTS_MAX; count += 7) {
                    struct fl_request requests[FL_REQUESTS_MAX];
                    for (size_t i = 0; i < count; i++)
                        requests[i] = (struct fl_request){sizes[s], align};
                    check_call(all[w], requests, count);
                }
}

static void requests_of_one_call_may_differ(void **unused)
{
    (void)unused;
    static const struct fl_request mixed[FL_REQUESTS_MAX] = {
        {LIMIT + 1, 64}, {0, 1},    {LIMIT, 4096}, {17, 2},
        {BIG, 32},       {0, 4096}, {1, 8192},     {5000, 16}};
    const struct fl_workspace_ops *all[WORKSPACES_MAX];
    size_t workspaces = all_workspaces(all);
    for (size_t w = 0; w < workspaces; w++)
        for (size_t count = 1; count <= FL_REQUESTS_MAX; count++)
            check_call(all[w], mixed, count);
}

static void a_call_without_requests_runs_its_body(void **unused)
{
    (void)unused;
    const struct fl_workspace_ops *all[WORKSPACES_MAX];
    size_t workspaces = all_workspaces(all);
    for (size_t w = 0; w < workspaces; w++)
        check_call(all[w], NULL, 0);
}

static void every_table_is_valid(void **unused)
{
    (void)unused;
    struct fl_err err = {""};
    if (fl_registry_check(&err))
        fail_msg("%s", err.text);
    assert_int_equal(fl_part_check(&fl_workspace_template.part, &err), 0);
    static const char *const expected[] = {"malloc",       "stack+malloc", "mmap",
                                           "thread-local", "size-class",   "hugepage",
                                           "null",         "slots-mutex",  "slots-tls-mutex",
                                           "slots-lock",   "slots-hint",   "slots-percpu"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_non_null(fl_registry_workspace(expected[i]));
    assert_null(fl_registry_workspace("template"));
}

static void check_refusal(const char *level, const char *reason)
{
    _Alignas(64) char state[4096] = {0};
    const struct fl_workspace_ops *ops = fl_registry_workspace(level);
    struct fl_err err = {""};
    assert_non_null(ops);
    assert_int_equal(ops->open(state, NULL, 0, 1, strchr(level, ':') + 1, &err), -EINVAL);
    if (!strstr(err.text, reason))
        fail_msg("%s: '%s' lacks '%s'", level, err.text, reason);
    /* And already where the level is written. */
    assert_int_equal(fl_factor_check(fl_registry_factor("workspace"), level, &err), -EINVAL);
    if (ops->check && !strstr(err.text, reason))
        fail_msg("%s: '%s' lacks '%s'", level, err.text, reason);
}

static void a_right_level_is_accepted_where_it_is_written(void **unused)
{
    (void)unused;
    static const char *const right[] = {"malloc",
                                        "stack+malloc",
                                        "stack+malloc:limit=0",
                                        "stack+malloc:limit=131072",
                                        "size-class:limit=1M",
                                        "slots-mutex:slots=1",
                                        "slots-lock:slots=65536:base=32",
                                        "slots-hint:base=0",
                                        "slots-percpu:base=56",
                                        "slots-tls-mutex:slots=50",
                                        "null"};
    struct fl_err err = {""};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        if (fl_factor_check(fl_registry_factor("workspace"), right[i], &err))
            fail_msg("%s: %s", right[i], err.text);
}

static void a_wrong_option_is_refused_naming_what_is_taken(void **unused)
{
    (void)unused;
    static const struct {
        const char *level, *reason;
    } wrong[] = {
        {"stack+malloc:limt=1K", "option 'limt=1K' is unknown; it takes limit=BYTES, 0 to"},
        {"stack+malloc:limit", "is not a number of bytes; it takes limit=BYTES"},
        {"stack+malloc:limit=", "is not a number of bytes"},
        {"stack+malloc:limit=1.5", "is not a number of bytes"},
        {"stack+malloc:limit=-1", "it takes limit=BYTES"},
        {"stack+malloc:limit=2G", "is out of range; it takes limit=BYTES"},
        {"stack+malloc:limit=1e30", "it takes limit=BYTES"},
        {"stack+malloc:limit=1K:limit=2K", "is given twice"},
        {"stack+malloc:limit=1K:x", "option 'x' is unknown"},
        {"stack+malloc:limit=00000000000000000000000000000000000000000000000000000000000000001",
         "is too long"},
        {"size-class:=1K", "is unknown; it takes limit=BYTES"},
        {"malloc:limit=1K", "option 'limit=1K' is unknown; it takes none"},
        {"mmap:x", "it takes none"},
        {"thread-local:x=1", "it takes none"},
        {"hugepage:1", "it takes none"},
        {"null:a", "it takes none"},
        {"slots-mutex:slots=0", "is out of range; it takes slots=N, 1 to 65536; base=BYTES, 0 to"},
        {"slots-lock:slots=1.5", "is not a number; it takes slots=N"},
        {"slots-hint:slots=65537", "is out of range"},
        {"slots-hint:slots=64K", "is not a number"},
        {"slots-lock:base=4",
         "is out of range; it takes slots=N, 1 to 65536; base=BYTES, 0 to 56 in steps of 8"},
        {"slots-percpu:base=64", "is out of range"},
        {"slots-mutex:base=0:base=32", "is given twice"},
        {"slots-tls-mutex:base=0", "is unknown; it takes slots=N, 1 to 65536"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_refusal(wrong[i].level, wrong[i].reason);
}

struct nested {
    const struct fl_workspace *ws;
    const struct fl_request *requests;
    void *outer;
};

static int inner_body(void *arg, void *const *pointers)
{
    struct nested *nested = arg;
    assert_ptr_not_equal(pointers[0], nested->outer);
    memset(pointers[0], 2, nested->requests[0].bytes);
    return 3;
}

static int outer_body(void *arg, void *const *pointers)
{
    struct nested *nested = arg;
    nested->outer = pointers[0];
    memset(pointers[0], 1, nested->requests[0].bytes);
    int result = fl_workspace_with(nested->ws, nested->requests, 1, inner_body, nested);
    assert_int_equal(((unsigned char *)pointers[0])[0], 1);
    assert_int_equal(((unsigned char *)pointers[0])[nested->requests[0].bytes - 1], 1);
    return result;
}

/* `null` alone hands the same memory out again, as it says. */
static void a_call_inside_a_call_gets_other_memory(void **unused)
{
    (void)unused;
    static const struct fl_request request = {LIMIT + 1, 64};
    const struct fl_workspace_ops *all[WORKSPACES_MAX];
    size_t workspaces = all_workspaces(all);
    for (size_t w = 0; w < workspaces; w++) {
        if (!strcmp(all[w]->part.name, "null"))
            continue;
        struct fl_workspace ws = open_workspace(all[w], &request, 1, "");
        struct nested nested = {&ws, &request, NULL};
        for (int i = 0; i < 3; i++)
            assert_int_equal(fl_workspace_with(&ws, &request, 1, outer_body, &nested), 3);
        close_workspace(&ws);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_table_is_valid),
        cmocka_unit_test(buffers_are_distinct_aligned_and_of_the_size_asked),
        cmocka_unit_test(requests_of_one_call_may_differ),
        cmocka_unit_test(a_call_without_requests_runs_its_body),
        cmocka_unit_test(a_wrong_option_is_refused_naming_what_is_taken),
        cmocka_unit_test(a_right_level_is_accepted_where_it_is_written),
        cmocka_unit_test(a_call_inside_a_call_gets_other_memory),
    };
    return cmocka_run_group_tests_name("workspaces", tests, NULL, NULL);
}
