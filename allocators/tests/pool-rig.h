/* SPDX-License-Identifier: Apache-2.0 */
/* Pool rig: opens pools of slots and calls them, from one thread or from several. */
#ifndef FL_POOL_RIG_H
#define FL_POOL_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "faultline/registry.h"
#include "slot-pool.h"

enum { POOL_BYTES = 3000, POOL_THREADS_MAX = 16 };

/* An open workspace; its state begins with the pool. */
struct pool_rig {
    _Alignas(64) char state[1024];
    struct fl_workspace ws;
    struct fl_request request;
};

static inline void pool_open(struct pool_rig *rig, const char *name, const char *options,
                             unsigned threads)
{
    struct fl_err err = {""};
    memset(rig->state, 0, sizeof rig->state);
    rig->ws = (struct fl_workspace){fl_registry_workspace(name), rig->state};
    rig->request = (struct fl_request){POOL_BYTES, 64};
    assert_non_null(rig->ws.ops);
    assert_true(rig->ws.ops->part.state_size <= sizeof rig->state);
    if (rig->ws.ops->open(rig->state, &rig->request, 1, threads, options, &err))
        fail_msg("%s: %s", name, err.text);
}

static inline void pool_close(struct pool_rig *rig)
{
    rig->ws.ops->close(rig->state);
}

static inline const struct fl_slot_pool *pool_of(const struct pool_rig *rig)
{
    return (const struct fl_slot_pool *)(const void *)rig->state;
}

static inline int pool_call(struct pool_rig *rig, fl_body_fn body, void *arg)
{
    return fl_workspace_with(&rig->ws, &rig->request, 1, body, arg);
}

#endif
