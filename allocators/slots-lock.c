/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workspace `slots-lock`: the pool of OpenBLAS' OpenMP builds. Each slot has a spin lock of its
 * own: a call takes the first slot from 0 that looks free, checks again under its lock, and marks
 * it; it gives back by one store, after a search for its mapping without any lock. No mutex unless
 * the table is full. All callers still begin at slot 0, so they fight for the lowest free ones and
 * read the lines of all below. Options slots=N, base=BYTES.
 */
#include "slot-pool.h"

/* Test and test-and-set: waiting reads, so that the line is not torn from its holder. */
static void lock_slot(struct fl_slot *slot)
{
    /* Acquire: what the last holder found and wrote under the lock is seen. */
    while (atomic_exchange_explicit(&slot->lock, 1, memory_order_acquire))
        while (atomic_load_explicit(&slot->lock, memory_order_relaxed))
            __asm__ volatile("nop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop");
}

static bool take(struct fl_slot *slot)
{
    if (atomic_load_explicit(&slot->used, memory_order_relaxed))
        return false;
    lock_slot(slot);
    /* Acquire: pairs with release(), which does not take the lock. */
    bool free = !atomic_load_explicit(&slot->used, memory_order_acquire);
    /* Relaxed, for the lock's release orders it before the next holder's look; whoever reads it
     * without the lock only passes by. */
    if (free)
        atomic_store_explicit(&slot->used, 1, memory_order_relaxed);
    atomic_store_explicit(&slot->lock, 0, memory_order_release);
    return free;
}

static struct fl_slot *claim(void *state)
{
    struct fl_slot_pool *pool = state;
    for (size_t i = 0; i < pool->count; i++)
        if (take(&pool->slots[i]))
            return &pool->slots[i];
    return fl_overflow_claim(pool);
}

static void release(void *state, void *address)
{
    struct fl_slot_pool *pool = state;
    struct fl_slot *slot = fl_slot_search(pool->slots, pool->count, address);
    if (slot)
        fl_slot_free(slot);
    else
        fl_overflow_release(pool, address);
}

static int slots_lock_with(void *state, const struct fl_request *requests, size_t count,
                           fl_body_fn body, void *arg)
{
    static const struct fl_pool_policy policy = {claim, release};
    return fl_pool_with(state, &policy, requests, count, body, arg);
}

static int slots_lock_check(const char *options, struct fl_err *err)
{
    return fl_pool_check("slots-lock", false, options, err);
}

static int slots_lock_open(void *state, const struct fl_request *requests, size_t count,
                           unsigned threads, const char *options, struct fl_err *err)
{
    const struct fl_pool_plan plan = {.name = "slots-lock", .threads = threads, .options = options};
    return fl_pool_open(state, &plan, requests, count, err);
}

const struct fl_workspace_ops fl_workspace_slots_lock = {
    .part = {.name = "slots-lock",
             .summary = "pool of slots with a spin lock each: OpenBLAS with OpenMP",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct fl_slot_pool)},
    .check = slots_lock_check,
    .open = slots_lock_open,
    .with = slots_lock_with,
    .held = fl_pool_held,
    .facts = fl_pool_facts,
    .close = fl_pool_close,
};
