/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workspace `stack+malloc`, Eigen's: each buffer by itself on the stack where its bytes do not
 * exceed the limit, from malloc where they do. Option limit=BYTES, 128K as Eigen's.
 */
#include <alloca.h>
#include <errno.h>
#include <stdlib.h>

#include "hand-aligned.h"
#include "stack-limit.h"
#include "workspace-options.h"

struct stack_malloc {
    size_t limit; /* largest buffer that goes on the stack, bytes */
};

static int stack_malloc_check(const char *options, struct fl_err *err)
{
    size_t limit;
    return fl_stack_limit_read("stack+malloc", options, NULL, 0, &limit, err);
}

static int stack_malloc_open(void *state, const struct fl_request *requests, size_t count,
                             unsigned threads, const char *options, struct fl_err *err)
{
    (void)threads;
    struct stack_malloc *ws = state;
    return fl_stack_limit_read("stack+malloc", options, requests, count, &ws->limit, err);
}

static int stack_malloc_with(void *state, const struct fl_request *requests, size_t count,
                             fl_body_fn body, void *arg)
{
    const struct stack_malloc *ws = state;
    void *raw[FL_REQUESTS_MAX], *pointers[FL_REQUESTS_MAX] = {NULL};
    size_t taken = 0;
    for (; taken < count; taken++) {
        const struct fl_request *request = &requests[taken];
        if (request->bytes <= ws->limit) {
            raw[taken] = NULL;
            pointers[taken] = fl_stack_pointer(alloca(fl_stack_bytes(request)), request);
        } else if (fl_hand_alloc(request, &raw[taken], &pointers[taken])) {
            break;
        }
    }
    int result = taken == count ? body(arg, pointers) : -ENOMEM;
    while (taken > 0)
        if (raw[--taken]) /* free(NULL) would be counted as a call */
            free(raw[taken]);
    return result;
}

static size_t stack_malloc_held(const void *state)
{
    (void)state;
    return 0;
}

static void stack_malloc_close(void *state)
{
    (void)state;
}

const struct fl_workspace_ops fl_workspace_stack_malloc = {
    .part = {.name = "stack+malloc",
             .summary = "Eigen's: buffers up to limit=128K on the stack, larger from malloc",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct stack_malloc)},
    .check = stack_malloc_check,
    .open = stack_malloc_open,
    .with = stack_malloc_with,
    .held = stack_malloc_held,
    .close = stack_malloc_close,
};
