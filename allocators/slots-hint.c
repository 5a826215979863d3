/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workspace `slots-hint`: a pool of slots in which each thread begins its search at a slot of its
 * own, its home, and gives back through the header of its mapping. With no more threads than slots,
 * a call claims its home at the first look, by one compare-exchange on a line that no other thread
 * touches, and gives it back by one store. Slots remain common property: a call whose home is
 * taken, by a call around it or by another thread, goes on to the next. Options slots=N,
 * base=BYTES.
 *
 * A thread finds its home through a pthread key; it makes the slot with the fewest threads its home
 * at its first call, and leaves it when it ends, so that threads that come and go use the same few
 * slots.
 */
#include <errno.h>
#include <string.h>

#include "slot-pool.h"

struct hint {
    struct fl_slot_pool pool; /* first, since its slots take the state */
    pthread_key_t key;        /* of the calling thread's home */
};

/* The slot with the fewest threads, the first of several. */
static struct fl_slot *loneliest(const struct fl_slot_pool *pool, unsigned *fewest)
{
    struct fl_slot *best = NULL;
    for (size_t i = 0; i < pool->count && (!best || *fewest); i++) {
        unsigned homes = atomic_load_explicit(&pool->slots[i].homes, memory_order_relaxed);
        if (best && homes >= *fewest)
            continue;
        *fewest = homes;
        best = &pool->slots[i];
    }
    return best;
}

/* Relaxed: `homes` spreads the threads and orders nothing. */
static struct fl_slot *settle(struct hint *ws)
{
    unsigned fewest = 0;
    struct fl_slot *home = loneliest(&ws->pool, &fewest);
    while (!atomic_compare_exchange_strong_explicit(&home->homes, &fewest, fewest + 1,
                                                    memory_order_relaxed, memory_order_relaxed))
        home = loneliest(&ws->pool, &fewest);
    /* Without the key's memory the thread looks for a home again in its next call. */
    if (pthread_setspecific(ws->key, home))
        atomic_fetch_sub_explicit(&home->homes, 1, memory_order_relaxed);
    return home;
}

/* Destructor of the key: the thread ends. */
static void leave(void *home)
{
    atomic_fetch_sub_explicit(&((struct fl_slot *)home)->homes, 1, memory_order_relaxed);
}

static struct fl_slot *claim_elsewhere(struct fl_slot_pool *pool, const struct fl_slot *home)
{
    size_t first = (size_t)(home - pool->slots);
    for (size_t i = 1; i < pool->count; i++) {
        size_t at = first + i;
        struct fl_slot *slot = &pool->slots[at < pool->count ? at : at - pool->count];
        if (fl_slot_try(slot))
            return slot;
    }
    return fl_overflow_claim(pool);
}

static inline struct fl_slot *claim(void *state)
{
    struct hint *ws = state;
    struct fl_slot *home = pthread_getspecific(ws->key);
    if (!home)
        home = settle(ws);
    return fl_slot_try(home) ? home : claim_elsewhere(&ws->pool, home);
}

static int slots_hint_with(void *state, const struct fl_request *requests, size_t count,
                           fl_body_fn body, void *arg)
{
    static const struct fl_pool_policy policy = {claim, fl_slot_release_by_header};
    return fl_pool_with(state, &policy, requests, count, body, arg);
}

static int slots_hint_check(const char *options, struct fl_err *err)
{
    return fl_pool_check("slots-hint", false, options, err);
}

static int slots_hint_open(void *state, const struct fl_request *requests, size_t count,
                           unsigned threads, const char *options, struct fl_err *err)
{
    const struct fl_pool_plan plan = {
        .name = "slots-hint", .header = FL_SLOT_LINE, .threads = threads, .options = options};
    struct hint *ws = state;
    int rc = fl_pool_open(&ws->pool, &plan, requests, count, err);
    if (rc)
        return rc;
    rc = pthread_key_create(&ws->key, leave);
    if (!rc)
        return 0;
    fl_pool_close(&ws->pool);
    return fl_fail(err, -rc, "cannot make a thread key: %s", strerror(rc));
}

static void slots_hint_close(void *state)
{
    struct hint *ws = state;
    /* From here on no thread's end runs the destructor. */
    pthread_key_delete(ws->key);
    fl_pool_close(&ws->pool);
}

const struct fl_workspace_ops fl_workspace_slots_hint = {
    .part = {.name = "slots-hint",
             .summary = "pool of slots, each thread beginning at its own: no lock, no search",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct hint)},
    .check = slots_hint_check,
    .open = slots_hint_open,
    .with = slots_hint_with,
    .held = fl_pool_held,
    .facts = fl_pool_facts,
    .close = slots_hint_close,
};
