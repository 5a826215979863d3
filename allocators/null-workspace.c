/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workspace `null`: memory mapped and touched at open, the same for every call. What a call costs
 * here is what the harness itself costs.
 *
 * With one caller, a call inside a call gets the same memory again. With several, each thread has
 * its own, mapped when it makes its first call.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "faultline/arena.h"
#include "hand-aligned.h"
#include "kept-block.h"
#include "workspace-options.h"

struct null_workspace {
    struct fl_kept kept; /* several callers; first, since its slots take the state */
    unsigned threads;
    void *pointers[FL_REQUESTS_MAX];
    struct fl_arena arena;
};

static void *take(size_t *bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (*bytes > SIZE_MAX - page)
        return NULL;
    *bytes = (*bytes + page - 1) & ~(page - 1);
    void *memory = mmap(NULL, *bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void give(void *block, size_t bytes)
{
    munmap(block, bytes);
}

static int prepare(struct null_workspace *ws, const struct fl_request *requests, size_t count,
                   struct fl_err *err)
{
    for (size_t i = 0; i < count; i++) {
        ws->pointers[i] =
            fl_arena_alloc(&ws->arena, requests[i].bytes + !requests[i].bytes, requests[i].align);
        if (!ws->pointers[i]) {
            fl_arena_release(&ws->arena);
            return fl_fail(err, -ENOMEM, "cannot map %zu bytes for workspace 'null'",
                           requests[i].bytes);
        }
    }
    return 0;
}

static int null_open(void *state, const struct fl_request *requests, size_t count, unsigned threads,
                     const char *options, struct fl_err *err)
{
    static const struct fl_kept_source source = {take, give};
    struct null_workspace *ws = state;
    ws->threads = threads;
    int rc = fl_ws_options_none("null", options, err);
    if (rc)
        return rc;
    return threads > 1 ? fl_kept_open(&ws->kept, &source, err) : prepare(ws, requests, count, err);
}

/*
 * No look at the requests: kernels promise at open what they will ask for at most, and comparing
 * would cost as much as another indirect call.
 */
static int null_with(void *state, const struct fl_request *requests, size_t count, fl_body_fn body,
                     void *arg)
{
    struct null_workspace *ws = state;
    if (ws->threads > 1)
        return fl_kept_with(&ws->kept, requests, count, body, arg);
    return body(arg, ws->pointers);
}

static size_t null_held(const void *state)
{
    const struct null_workspace *ws = state;
    return ws->threads > 1 ? fl_kept_held(&ws->kept) : ws->arena.mapped;
}

static void null_close(void *state)
{
    struct null_workspace *ws = state;
    if (ws->threads > 1)
        fl_kept_close(&ws->kept);
    else
        fl_arena_release(&ws->arena);
}

const struct fl_workspace_ops fl_workspace_null = {
    .part = {.name = "null",
             .summary = "memory taken at open, the same for every call: measures the harness",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct null_workspace)},
    .open = null_open,
    .with = null_with,
    .held = null_held,
    .close = null_close,
};
