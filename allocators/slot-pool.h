/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slot pool: one table of slots shared by all callers, as OpenBLAS has it. A slot owns one mapping,
 * large enough for every call, made when the slot is first used and kept until close. A call claims
 * a slot, cuts its mapping into buffers and releases the slot. How it claims and releases is what
 * the workspaces `slots-*` differ in: their policy.
 *
 * When every slot is in use, a call takes one of FL_OVERFLOW_SLOTS in a second array, found under
 * the pool's lock; when these are in use too, or a mapping cannot be had, or a call asks for more
 * than open() was told, malloc serves it.
 *
 * Claiming a slot acquires what its last release released, by the lock or by `used`: what one call
 * wrote into the mapping happens before what the next one reads there. So the owner of a slot may
 * read `address` relaxed. A search by address may too: it looks for the caller's own mapping, and
 * what other slots hold at that moment, NULL or another address, is never equal to it.
 */
#ifndef FL_SLOT_POOL_H
#define FL_SLOT_POOL_H

#include <pthread.h>
#include <stdatomic.h>

#include "carve.h"

enum { FL_OVERFLOW_SLOTS = 512, FL_SLOT_LINE = 64 };

/* 64 bytes with OpenBLAS' order of fields; the base of the table decides where lines begin. */
struct fl_slot {
    _Atomic(uint64_t) lock;  /* of `slots-lock`: 0 free */
    _Atomic(void *) address; /* of the mapping; NULL before the first use */
    atomic_uint used;        /* 1: a call runs in it */
    char pad[36];
    atomic_uint homes; /* of `slots-hint`: living threads that begin here */
    char end[4];
};

_Static_assert(sizeof(struct fl_slot) == FL_SLOT_LINE, "a slot is as large as a line");

struct fl_slot_pool {
    struct fl_slot *slots;
    size_t count;
    size_t header; /* bytes of a mapping in front of the buffers */
    size_t bytes;  /* of a mapping */
    size_t asked;  /* slots of the option or its default; count may be more */
    void *table;   /* mapping that holds the slots */
    size_t table_bytes;
    /* On lines of its own: whoever takes the lock does not disturb those who read the above. */
    _Alignas(FL_SLOT_LINE) pthread_mutex_t lock;
    struct fl_slot *overflow;   /* NULL before its first use; guarded by the lock */
    uint64_t overflow_calls;    /* served by it; guarded by the lock */
    atomic_ullong malloc_calls; /* served by malloc */
};

/* What a workspace says of its pool at open. */
struct fl_pool_plan {
    const char *name;
    size_t header;       /* bytes in front of the buffers, a multiple of FL_SLOT_LINE */
    size_t extra;        /* slots beside those that the option counts */
    bool tableless;      /* the workspace has tables of its own, and no base= */
    unsigned threads;    /* as open() was told */
    const char *options; /* likewise */
};

/* The options slots=N and, where there is a table, base=BYTES. 0 or -EINVAL. */
int fl_pool_check(const char *name, bool tableless, const char *options,
                  struct fl_err *err) FL_MUST_CHECK;

/* 0, -EINVAL for an option, or -ENOMEM. On failure there is nothing to close. */
int fl_pool_open(struct fl_slot_pool *pool, const struct fl_pool_plan *plan,
                 const struct fl_request *requests, size_t count, struct fl_err *err) FL_MUST_CHECK;

/*
 * Slots of a workspace whose state begins with a pool. Held are the mappings and the overflow
 * array; facts are workspace-slots and workspace-overflow: unused, used, or malloc where that
 * served calls.
 */
size_t fl_pool_held(const void *state);
int fl_pool_facts(const void *state, struct fl_facts *facts);
void fl_pool_close(void *state);

/* Mapping of a slot that the caller has claimed and found without one; NULL: it is free again. */
void *fl_slot_map(const struct fl_slot_pool *pool, struct fl_slot *slot);

/* One mapping of pool->bytes or NULL, and its end. */
void *fl_pool_map(const struct fl_slot_pool *pool);
void fl_pool_unmap(const struct fl_slot_pool *pool, void *address);

/* A slot of the overflow array or NULL; the first takes the pool's lock, the second has it. */
struct fl_slot *fl_overflow_claim(struct fl_slot_pool *pool);
struct fl_slot *fl_overflow_claim_locked(struct fl_slot_pool *pool);

/* The slot of the overflow array with this mapping is free again. */
void fl_overflow_release(struct fl_slot_pool *pool, const void *address);
void fl_overflow_release_locked(struct fl_slot_pool *pool, const void *address);

/* with() by malloc, counted. */
int fl_pool_malloc_with(struct fl_slot_pool *pool, const struct fl_request *requests, size_t count,
                        fl_body_fn body, void *arg);

/* How a workspace claims and releases. Both take what with() was given as `state`. */
struct fl_pool_policy {
    /* A slot of the table or of the overflow array, used = 1; NULL: all are in use. */
    struct fl_slot *(*claim)(void *state);
    /* Gives back the slot whose mapping begins at `address`. */
    void (*release)(void *state, void *address);
};

/* Pairs with the acquire of whoever claims the slot next. */
static inline void fl_slot_free(struct fl_slot *slot)
{
    atomic_store_explicit(&slot->used, 0, memory_order_release);
}

/* The slot with this mapping, or NULL. */
static inline struct fl_slot *fl_slot_search(struct fl_slot *slots, size_t count,
                                             const void *address)
{
    for (size_t i = 0; i < count; i++)
        if (atomic_load_explicit(&slots[i].address, memory_order_relaxed) == address)
            return &slots[i];
    return NULL;
}

/* Claims by compare-exchange; the load before it only spares the line of a slot in use. */
static inline bool fl_slot_try(struct fl_slot *slot)
{
    unsigned free = 0;
    return !atomic_load_explicit(&slot->used, memory_order_relaxed) &&
           atomic_compare_exchange_strong_explicit(&slot->used, &free, 1, memory_order_acquire,
                                                   memory_order_relaxed);
}

/*
 * In front of the buffers where plan.header says so: the slot to release, found without a search.
 * Written once, by whoever maps the slot.
 */
struct fl_slot_header {
    struct fl_slot *slot;
};

/* release() through the header: a slot of the table by one store, others under the lock. */
static inline void fl_slot_release_by_header(void *state, void *address)
{
    struct fl_slot_pool *pool = state;
    struct fl_slot *slot = ((const struct fl_slot_header *)address)->slot;
    if ((uintptr_t)slot - (uintptr_t)pool->slots < pool->count * sizeof *slot)
        fl_slot_free(slot);
    else
        fl_overflow_release(pool, address);
}

/* with() of a workspace whose state begins with a pool. Inlined, so that a policy costs no call. */
__attribute__((always_inline)) static inline int
fl_pool_with(void *state, const struct fl_pool_policy *policy, const struct fl_request *requests,
             size_t count, fl_body_fn body, void *arg)
{
    struct fl_slot_pool *pool = state;
    void *pointers[FL_REQUESTS_MAX];
    struct fl_slot *slot = policy->claim(state);
    if (!slot)
        return fl_pool_malloc_with(pool, requests, count, body, arg);
    char *address = atomic_load_explicit(&slot->address, memory_order_relaxed);
    if (!address)
        address = fl_slot_map(pool, slot);
    if (!address)
        return fl_pool_malloc_with(pool, requests, count, body, arg);
    if (!fl_carve((uintptr_t)address + pool->header, (uintptr_t)address + pool->bytes, requests,
                  count, pointers)) {
        policy->release(state, address);
        return fl_pool_malloc_with(pool, requests, count, body, arg);
    }
    int result = body(arg, pointers);
    policy->release(state, address);
    return result;
}

#endif
