/* SPDX-License-Identifier: Apache-2.0 */
/* Workspace `malloc`: every buffer of every call from malloc, freed in reverse order. */
#include "hand-aligned.h"
#include "workspace-options.h"

static int malloc_open(void *state, const struct fl_request *requests, size_t count,
                       unsigned threads, const char *options, struct fl_err *err)
{
    (void)state, (void)requests, (void)count, (void)threads;
    return fl_ws_options_none("malloc", options, err);
}

/* What malloc itself keeps is malloc's price, not the workspace's: RSS shows it. */
static size_t malloc_held(const void *state)
{
    (void)state;
    return 0;
}

static void malloc_close(void *state)
{
    (void)state;
}

const struct fl_workspace_ops fl_workspace_malloc = {
    .part = {.name = "malloc",
             .summary = "malloc and free of every buffer in every call",
             .abi = FL_PART_ABI},
    .open = malloc_open,
    .with = fl_hand_with,
    .held = malloc_held,
    .close = malloc_close,
};
