/* SPDX-License-Identifier: Apache-2.0 */
/* What the pools of slots have in common: table, mappings, overflow. */
#include "slot-pool.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "workspace-options.h"

enum { SLOTS_MIN = 50, SLOTS_LIMIT = 65536, BASE_STEP = 8 };

static int read_options(const char *name, bool tableless, const char *options, size_t *slots,
                        size_t *base, struct fl_err *err)
{
    *base = 0;
    const struct fl_ws_option table[] = {
        {.name = "slots", .value = slots, .min = 1, .max = SLOTS_LIMIT, .counts = true},
        {.name = tableless ? NULL : "base",
         .value = base,
         .max = FL_SLOT_LINE - BASE_STEP,
         .step = BASE_STEP},
        {.name = NULL}};
    return fl_ws_options_read(name, options, table, err);
}

int fl_pool_check(const char *name, bool tableless, const char *options, struct fl_err *err)
{
    size_t slots, base;
    return read_options(name, tableless, options, &slots, &base, err);
}

/* Bytes of a mapping; false: more than a size_t holds. */
static bool mapping_bytes(size_t header, const struct fl_request *requests, size_t count,
                          size_t *bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *bytes = header + page - 1;
    if (!fl_carve_bytes(requests, count, bytes))
        return false;
    *bytes &= ~(page - 1);
    /* A call without requests has a slot too. */
    *bytes += *bytes ? 0 : page;
    return true;
}

static void *map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static int map_table(struct fl_slot_pool *pool, size_t base)
{
    pool->table_bytes = base + pool->count * sizeof *pool->slots;
    pool->table = map(pool->table_bytes);
    /* Zeroed memory is a table of free slots. */
    pool->slots = pool->table ? (struct fl_slot *)((char *)pool->table + base) : NULL;
    return pool->table ? 0 : -ENOMEM;
}

int fl_pool_open(struct fl_slot_pool *pool, const struct fl_pool_plan *plan,
                 const struct fl_request *requests, size_t count, struct fl_err *err)
{
    size_t base;
    memset(pool, 0, sizeof *pool);
    pool->asked = plan->threads > SLOTS_MIN / 2 ? 2 * (size_t)plan->threads : SLOTS_MIN;
    int rc = read_options(plan->name, plan->tableless, plan->options, &pool->asked, &base, err);
    if (rc)
        return rc;
    pool->header = plan->header;
    if (!mapping_bytes(pool->header, requests, count, &pool->bytes))
        return fl_fail(err, -ENOMEM, "workspace '%s': a slot for these buffers is too large",
                       plan->name);
    rc = pthread_mutex_init(&pool->lock, NULL);
    if (rc)
        return fl_fail(err, -rc, "cannot make a lock: %s", strerror(rc));
    pool->count = plan->tableless ? 0 : pool->asked + plan->extra;
    if (plan->tableless || !map_table(pool, base))
        return 0;
    pthread_mutex_destroy(&pool->lock);
    return fl_fail(err, -ENOMEM, "cannot map the slots of workspace '%s'", plan->name);
}

static size_t count_mapped(const struct fl_slot *slots, size_t count)
{
    size_t mapped = 0;
    for (size_t i = 0; slots && i < count; i++)
        mapped += atomic_load_explicit(&slots[i].address, memory_order_relaxed) != NULL;
    return mapped;
}

size_t fl_pool_held(const void *state)
{
    const struct fl_slot_pool *pool = state;
    size_t mapped =
        count_mapped(pool->slots, pool->count) + count_mapped(pool->overflow, FL_OVERFLOW_SLOTS);
    return mapped * pool->bytes + (pool->overflow ? FL_OVERFLOW_SLOTS * sizeof *pool->overflow : 0);
}

int fl_pool_facts(const void *state, struct fl_facts *facts)
{
    const struct fl_slot_pool *pool = state;
    bool by_malloc = atomic_load_explicit(&pool->malloc_calls, memory_order_relaxed) > 0;
    int rc = fl_facts_set(facts, "workspace-slots", "%zu", pool->asked);
    return rc ? rc
              : fl_facts_set(facts, "workspace-overflow", "%s",
                             by_malloc        ? "malloc"
                             : pool->overflow ? "used"
                                              : "unused");
}

static void unmap_slots(const struct fl_slot_pool *pool, struct fl_slot *slots, size_t count)
{
    for (size_t i = 0; slots && i < count; i++) {
        void *address = atomic_load_explicit(&slots[i].address, memory_order_relaxed);
        if (address)
            fl_pool_unmap(pool, address);
    }
}

void fl_pool_close(void *state)
{
    struct fl_slot_pool *pool = state;
    unmap_slots(pool, pool->slots, pool->count);
    unmap_slots(pool, pool->overflow, FL_OVERFLOW_SLOTS);
    if (pool->overflow)
        munmap(pool->overflow, FL_OVERFLOW_SLOTS * sizeof *pool->overflow);
    if (pool->table)
        munmap(pool->table, pool->table_bytes);
    pthread_mutex_destroy(&pool->lock);
}

void *fl_pool_map(const struct fl_slot_pool *pool)
{
    return map(pool->bytes);
}

void fl_pool_unmap(const struct fl_slot_pool *pool, void *address)
{
    munmap(address, pool->bytes);
}

void *fl_slot_map(const struct fl_slot_pool *pool, struct fl_slot *slot)
{
    void *address = fl_pool_map(pool);
    if (!address) {
        fl_slot_free(slot);
        return NULL;
    }
    if (pool->header)
        *(struct fl_slot_header *)address = (struct fl_slot_header){slot};
    atomic_store_explicit(&slot->address, address, memory_order_relaxed);
    return address;
}

/* Relaxed: the pool's lock orders the array's `used`. */
struct fl_slot *fl_overflow_claim_locked(struct fl_slot_pool *pool)
{
    if (!pool->overflow)
        pool->overflow = map(FL_OVERFLOW_SLOTS * sizeof *pool->overflow);
    for (size_t i = 0; pool->overflow && i < FL_OVERFLOW_SLOTS; i++) {
        struct fl_slot *slot = &pool->overflow[i];
        if (atomic_load_explicit(&slot->used, memory_order_relaxed))
            continue;
        atomic_store_explicit(&slot->used, 1, memory_order_relaxed);
        pool->overflow_calls++;
        return slot;
    }
    return NULL;
}

struct fl_slot *fl_overflow_claim(struct fl_slot_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    struct fl_slot *slot = fl_overflow_claim_locked(pool);
    pthread_mutex_unlock(&pool->lock);
    return slot;
}

void fl_overflow_release_locked(struct fl_slot_pool *pool, const void *address)
{
    struct fl_slot *slot = fl_slot_search(pool->overflow, FL_OVERFLOW_SLOTS, address);
    atomic_store_explicit(&slot->used, 0, memory_order_relaxed);
}

void fl_overflow_release(struct fl_slot_pool *pool, const void *address)
{
    pthread_mutex_lock(&pool->lock);
    fl_overflow_release_locked(pool, address);
    pthread_mutex_unlock(&pool->lock);
}

int fl_pool_malloc_with(struct fl_slot_pool *pool, const struct fl_request *requests, size_t count,
                        fl_body_fn body, void *arg)
{
    /* A count for later, no order. */
    atomic_fetch_add_explicit(&pool->malloc_calls, 1, memory_order_relaxed);
    return fl_hand_with(NULL, requests, count, body, arg);
}
