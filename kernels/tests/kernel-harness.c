/* SPDX-License-Identifier: Apache-2.0 */
/* A recording workspace around one kernel. */
#include "kernel-harness.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "faultline/registry.h"

#define ROOM 128 /* for alignment and for being off */

static int with(void *state, const struct fl_request *requests, size_t count, fl_body_fn body,
                void *arg)
{
    struct harness *h = state;
    struct fl_arena arena = {0};
    void *pointers[FL_REQUESTS_MAX];
    int rc;

    if (h->refuse)
        return -ENOMEM;
    if (atomic_fetch_add(&h->calls, 1) == 0) {
        h->count = count;
        memcpy(h->requests, requests, count * sizeof(*requests));
    }
    for (size_t i = 0; i < count; i++)
        pointers[i] = (char *)fl_arena_alloc(&arena, requests[i].bytes + ROOM, 64) + h->misalign;
    rc = body(arg, pointers);
    fl_arena_release(&arena);
    if (h->spoil)
        h->spoil(h->state);
    return rc;
}

static int open_workspace(void *state, const struct fl_request *requests, size_t count,
                          unsigned threads, const char *options, struct fl_err *err)
{
    (void)state, (void)requests, (void)count, (void)threads, (void)options, (void)err;
    return 0;
}

static size_t held(const void *state)
{
    (void)state;
    return 0;
}

static void close_workspace(void *state)
{
    (void)state;
}

static const struct fl_workspace_ops recording = {
    .part = {.name = "recording", .summary = "records requests", .abi = FL_PART_ABI},
    .open = open_workspace,
    .with = with,
    .held = held,
    .close = close_workspace,
};

int harness_cell(struct harness *h, const char *cell, struct fl_err *err)
{
    int rc;

    memset(h, 0, sizeof(*h));
    h->workspace = (struct fl_workspace){&recording, h};
    rc = fl_cell_parse(&h->cell, cell, err);
    if (!rc)
        h->ops = fl_registry_kernel(fl_cell_get(&h->cell, "kernel"), "faultline");
    return rc;
}

int harness_open(struct harness *h, const char *cell, struct fl_err *err)
{
    return harness_open_on(h, cell, NULL, err);
}

int harness_open_on(struct harness *h, const char *cell, const struct fl_team *team,
                    struct fl_err *err)
{
    int rc = harness_cell(h, cell, err);

    if (rc)
        return rc;
    const struct fl_kernel_env env = {
        .cell = &h->cell,
        .arena = &h->arena,
        .facts = &h->facts,
        .seed = 42,
        .team = team,
        .cache_bytes = {0, 48 << 10, 2 << 20, 32 << 20},
    };

    h->state = fl_arena_alloc(&h->arena, h->ops->part.state_size, 64);
    return h->ops->open(h->state, &env, err);
}

void harness_must_open(struct harness *h, const char *cell, const struct fl_team *team)
{
    struct fl_err err = {""};

    if (harness_open_on(h, cell, team, &err))
        fail_msg("%s: %s", cell, err.text);
}

void harness_must_check(struct harness *h, const char *cell)
{
    struct fl_err err = {""};

    assert_int_equal(h->ops->run(h->state, &h->workspace), 0);
    if (h->ops->check(h->state, &h->workspace, &err))
        fail_msg("%s: %s", cell, err.text);
}

void harness_close(struct harness *h)
{
    if (h->state)
        h->ops->close(h->state);
    fl_arena_release(&h->arena);
}
