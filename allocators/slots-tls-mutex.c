/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workspace `slots-tls-mutex`: OpenBLAS built with USE_TLS=1. Each thread has a table of its own,
 * so nobody waits for a slot, and a buffer is given back through a header in front of it without a
 * search; but on the way to the table a call takes three mutexes: one to read whether the key
 * exists, one to read the key, one to read the key's value. Option slots=N: entries of a table.
 *
 * A thread that ends gives its mappings back. Calls nested deeper than a table has entries are
 * served by malloc.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "slot-pool.h"

/* In front of the buffers, on a line of its own; only the table's thread touches it. */
struct header {
    _Alignas(FL_SLOT_LINE) bool used;
};

struct table {
    struct tls *owner;
    struct table *next, **link; /* in owner->tables; guarded by the pool's lock */
    struct header *entries[];   /* NULL before the first use */
};

struct tls {
    struct fl_slot_pool pool; /* options, size of a mapping, and the lock that all callers take */
    pthread_mutex_t key_lock; /* guards the key */
    pthread_key_t key;        /* of the calling thread's table */
    bool initialized;         /* there is a key; guarded by the pool's lock */
    struct table *tables;     /* of living threads; guarded by the pool's lock */
};

/* The table is in no list, or will not be looked for there. */
static void free_table(struct table *table)
{
    const struct fl_slot_pool *pool = &table->owner->pool;
    for (size_t i = 0; i < pool->asked && table->entries[i]; i++)
        fl_pool_unmap(pool, table->entries[i]);
    free(table);
}

/* Destructor of the key: the thread ends. */
static void leave(void *value)
{
    struct table *table = value;
    pthread_mutex_t *lock = &table->owner->pool.lock;
    pthread_mutex_lock(lock);
    *table->link = table->next;
    if (table->next)
        table->next->link = table->link;
    pthread_mutex_unlock(lock);
    free_table(table);
}

/* The first lock: is there a key? The first call makes it. */
static bool initialize(struct tls *ws)
{
    pthread_mutex_lock(&ws->pool.lock);
    if (!ws->initialized)
        ws->initialized = !pthread_key_create(&ws->key, leave);
    bool initialized = ws->initialized;
    pthread_mutex_unlock(&ws->pool.lock);
    return initialized;
}

/* A table for the calling thread or NULL. */
static struct table *make_table(struct tls *ws, pthread_key_t key)
{
    size_t bytes = sizeof(struct table) + ws->pool.asked * sizeof(struct header *);
    struct table *table = calloc(1, bytes);
    if (!table)
        return NULL;
    if (pthread_setspecific(key, table)) {
        free(table);
        return NULL;
    }
    pthread_mutex_lock(&ws->pool.lock);
    table->owner = ws;
    table->next = ws->tables;
    table->link = &ws->tables;
    if (ws->tables)
        ws->tables->link = &table->next;
    ws->tables = table;
    pthread_mutex_unlock(&ws->pool.lock);
    return table;
}

/* The second and the third lock. */
static struct table *find_table(struct tls *ws)
{
    pthread_mutex_lock(&ws->key_lock);
    pthread_key_t key = ws->key;
    pthread_mutex_unlock(&ws->key_lock);
    pthread_mutex_lock(&ws->key_lock);
    struct table *table = pthread_getspecific(key);
    pthread_mutex_unlock(&ws->key_lock);
    return table ? table : make_table(ws, key);
}

/* The first entry that is free, mapped; NULL: none is, or it cannot be mapped. */
static struct header *claim(struct tls *ws)
{
    struct table *table = initialize(ws) ? find_table(ws) : NULL;
    for (size_t i = 0; table && i < ws->pool.asked; i++) {
        struct header *header = table->entries[i];
        if (header && header->used)
            continue;
        if (!header)
            header = table->entries[i] = fl_pool_map(&ws->pool);
        if (header)
            header->used = true;
        return header;
    }
    return NULL;
}

static int slots_tls_mutex_with(void *state, const struct fl_request *requests, size_t count,
                                fl_body_fn body, void *arg)
{
    struct tls *ws = state;
    void *pointers[FL_REQUESTS_MAX];
    struct header *header = claim(ws);
    if (!header)
        return fl_pool_malloc_with(&ws->pool, requests, count, body, arg);
    bool fits = fl_carve((uintptr_t)(header + 1), (uintptr_t)header + ws->pool.bytes, requests,
                         count, pointers);
    int result =
        fits ? body(arg, pointers) : fl_pool_malloc_with(&ws->pool, requests, count, body, arg);
    header->used = false;
    return result;
}

static int slots_tls_mutex_check(const char *options, struct fl_err *err)
{
    return fl_pool_check("slots-tls-mutex", true, options, err);
}

static int slots_tls_mutex_open(void *state, const struct fl_request *requests, size_t count,
                                unsigned threads, const char *options, struct fl_err *err)
{
    const struct fl_pool_plan plan = {.name = "slots-tls-mutex",
                                      .header = sizeof(struct header),
                                      .tableless = true,
                                      .threads = threads,
                                      .options = options};
    struct tls *ws = state;
    int rc = fl_pool_open(&ws->pool, &plan, requests, count, err);
    if (rc)
        return rc;
    rc = pthread_mutex_init(&ws->key_lock, NULL);
    if (!rc)
        return 0;
    fl_pool_close(&ws->pool);
    return fl_fail(err, -rc, "cannot make a lock: %s", strerror(rc));
}

static size_t slots_tls_mutex_held(const void *state)
{
    const struct tls *ws = state;
    size_t bytes = 0;
    for (const struct table *table = ws->tables; table; table = table->next) {
        bytes += sizeof *table + ws->pool.asked * sizeof(struct header *);
        for (size_t i = 0; i < ws->pool.asked && table->entries[i]; i++)
            bytes += ws->pool.bytes;
    }
    return bytes;
}

static void slots_tls_mutex_close(void *state)
{
    struct tls *ws = state;
    /* From here on no thread's end runs the destructor. */
    if (ws->initialized)
        pthread_key_delete(ws->key);
    for (struct table *table = ws->tables, *next; table; table = next) {
        next = table->next;
        free_table(table);
    }
    pthread_mutex_destroy(&ws->key_lock);
    fl_pool_close(&ws->pool);
}

const struct fl_workspace_ops fl_workspace_slots_tls_mutex = {
    .part = {.name = "slots-tls-mutex",
             .summary = "a table of slots per thread behind three mutexes: OpenBLAS with USE_TLS",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct tls)},
    .check = slots_tls_mutex_check,
    .open = slots_tls_mutex_open,
    .with = slots_tls_mutex_with,
    .held = slots_tls_mutex_held,
    .facts = fl_pool_facts,
    .close = slots_tls_mutex_close,
};
