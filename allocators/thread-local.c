/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workspace `thread-local`: one block per thread from malloc, grown to the largest call and kept.
 * In steady state a call allocates nothing, locks nothing and touches no page for the first time.
 */
#include <stdlib.h>

#include "kept-block.h"
#include "workspace-options.h"

static void *take(size_t *bytes)
{
    return malloc(*bytes);
}

static void give(void *block, size_t bytes)
{
    (void)bytes;
    free(block);
}

static int thread_local_open(void *state, const struct fl_request *requests, size_t count,
                             unsigned threads, const char *options, struct fl_err *err)
{
    static const struct fl_kept_source source = {take, give};
    (void)requests, (void)count, (void)threads;
    int rc = fl_ws_options_none("thread-local", options, err);
    return rc ? rc : fl_kept_open(state, &source, err);
}

const struct fl_workspace_ops fl_workspace_thread_local = {
    .part = {.name = "thread-local",
             .summary = "one block per thread from malloc, grown to the largest call and kept",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct fl_kept)},
    .open = thread_local_open,
    .with = fl_kept_with,
    .held = fl_kept_held,
    .close = fl_kept_close,
};
