/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workspace `slots-mutex`: the pool of OpenBLAS' pthread builds since 0.2.20. One mutex guards the
 * table: a call locks it to find the first free slot from 0, and again to find the slot of its
 * mapping, from 0 too. So every call takes it exactly twice, and the searches, which grow with the
 * number of callers, run inside. Options slots=N, base=BYTES.
 */
#include "slot-pool.h"

/* All loads and stores of the slots are relaxed: the mutex orders them. */
static struct fl_slot *claim(void *state)
{
    struct fl_slot_pool *pool = state;
    struct fl_slot *slot = NULL;
    pthread_mutex_lock(&pool->lock);
    for (size_t i = 0; i < pool->count && !slot; i++)
        if (!atomic_load_explicit(&pool->slots[i].used, memory_order_relaxed))
            slot = &pool->slots[i];
    if (slot)
        atomic_store_explicit(&slot->used, 1, memory_order_relaxed);
    else
        slot = fl_overflow_claim_locked(pool);
    pthread_mutex_unlock(&pool->lock);
    return slot;
}

static void release(void *state, void *address)
{
    struct fl_slot_pool *pool = state;
    pthread_mutex_lock(&pool->lock);
    struct fl_slot *slot = fl_slot_search(pool->slots, pool->count, address);
    if (slot)
        atomic_store_explicit(&slot->used, 0, memory_order_relaxed);
    else
        fl_overflow_release_locked(pool, address);
    pthread_mutex_unlock(&pool->lock);
}

static int slots_mutex_with(void *state, const struct fl_request *requests, size_t count,
                            fl_body_fn body, void *arg)
{
    static const struct fl_pool_policy policy = {claim, release};
    return fl_pool_with(state, &policy, requests, count, body, arg);
}

static int slots_mutex_check(const char *options, struct fl_err *err)
{
    return fl_pool_check("slots-mutex", false, options, err);
}

static int slots_mutex_open(void *state, const struct fl_request *requests, size_t count,
                            unsigned threads, const char *options, struct fl_err *err)
{
    const struct fl_pool_plan plan = {
        .name = "slots-mutex", .threads = threads, .options = options};
    return fl_pool_open(state, &plan, requests, count, err);
}

const struct fl_workspace_ops fl_workspace_slots_mutex = {
    .part = {.name = "slots-mutex",
             .summary = "pool of slots under one mutex, taken twice a call: OpenBLAS with pthreads",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct fl_slot_pool)},
    .check = slots_mutex_check,
    .open = slots_mutex_open,
    .with = slots_mutex_with,
    .held = fl_pool_held,
    .facts = fl_pool_facts,
    .close = fl_pool_close,
};
