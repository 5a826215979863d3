/* SPDX-License-Identifier: Apache-2.0 */
/* Slabs of records, in a list that only grows; a record is taken and left with one atomic word. */
#include "probe-record.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>

#define SLAB_BYTES   (64 * 1024)
#define SLAB_RECORDS (SLAB_BYTES / sizeof(struct fl_probe_record) - 1)

struct slab {
    struct slab *next;
    _Atomic size_t used; /* records ever taken */
    struct fl_probe_record records[SLAB_RECORDS];
};

_Static_assert(sizeof(struct slab) <= SLAB_BYTES, "a slab fits its mapping");

/* An interposer has one state for its process. */
static _Atomic(struct slab *) slabs;
static struct fl_probe_record shared; /* used where no memory is to be had */
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key; /* else no record is ever left */

/* Initial-exec: no call and no allocation to reach it. The probe is always loaded at start. */
static __thread struct fl_probe_record *mine __attribute__((tls_model("initial-exec")));

/* The thread's other destructors may still count: they take a record again, often this one. */
static void leave_record(void *record)
{
    struct fl_probe_record *r = record;
    mine = NULL;
    /* Release: the next owner goes on from our counts. */
    atomic_store_explicit(&r->taken, 0, memory_order_release);
}

static void make_key(void)
{
    has_key = !pthread_key_create(&key, leave_record);
}

/* One winner for each free record. Acquire: see leave_record(). */
static bool claim(struct fl_probe_record *record)
{
    uint32_t free_word = 0;
    return atomic_compare_exchange_strong_explicit(&record->taken, &free_word, 1,
                                                   memory_order_acquire, memory_order_relaxed);
}

/* A new record is claimed like an old one: once `used` has grown, others see it, too. */
static struct fl_probe_record *take_from(struct slab *slab)
{
    size_t used = atomic_load_explicit(&slab->used, memory_order_acquire);
    for (size_t i = 0; i < used; i++)
        if (claim(&slab->records[i]))
            return &slab->records[i];
    while (used < SLAB_RECORDS)
        if (atomic_compare_exchange_weak_explicit(&slab->used, &used, used + 1,
                                                  memory_order_acq_rel, memory_order_acquire)) {
            if (claim(&slab->records[used]))
                return &slab->records[used];
            used++;
        }
    return NULL;
}

/* Populated: a thread that starts in the window must not fault for its record. */
static struct slab *map_slab(void)
{
    void *memory = mmap(NULL, SLAB_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static struct fl_probe_record *take_record(void)
{
    struct slab *first = atomic_load_explicit(&slabs, memory_order_acquire);
    for (struct slab *slab = first; slab; slab = slab->next) {
        struct fl_probe_record *record = take_from(slab);
        if (record)
            return record;
    }
    struct slab *fresh = map_slab();
    if (!fresh)
        return &shared;
    struct fl_probe_record *record = take_from(fresh);
    /* Release publishes the record; a failed exchange reloads the head for another try. */
    do
        fresh->next = first;
    while (!atomic_compare_exchange_weak_explicit(&slabs, &first, fresh, memory_order_release,
                                                  memory_order_relaxed));
    return record;
}

static __attribute__((noinline)) struct fl_probe_record *first_event(void)
{
    struct fl_probe_record *record = take_record();
    mine = record;
    if (record == &shared)
        return record;
    /* Quiet: with many keys in use, the first value of a thread takes memory from malloc. */
    record->quiet++;
    pthread_once(&key_once, make_key);
    if (has_key)
        pthread_setspecific(key, record);
    record->quiet--;
    return record;
}

struct fl_probe_record *fl_probe_record_mine(void)
{
    struct fl_probe_record *record = mine;
    return __builtin_expect(record != NULL, 1) ? record : first_event();
}

static void add_counts(uint64_t sum[FL_PROBE_EVENTS], const struct fl_probe_record *record)
{
    for (int event = 0; event < FL_PROBE_EVENTS; event++)
        sum[event] += atomic_load_explicit(&record->counts[event], memory_order_relaxed);
}

void fl_probe_record_sum(uint64_t sum[FL_PROBE_EVENTS])
{
    for (int event = 0; event < FL_PROBE_EVENTS; event++)
        sum[event] = 0;
    add_counts(sum, &shared);
    struct slab *slab = atomic_load_explicit(&slabs, memory_order_acquire);
    for (; slab; slab = slab->next) {
        size_t used = atomic_load_explicit(&slab->used, memory_order_acquire);
        for (size_t i = 0; i < used; i++)
            add_counts(sum, &slab->records[i]);
    }
}

size_t fl_probe_record_count(void)
{
    size_t count = 0;
    struct slab *slab = atomic_load_explicit(&slabs, memory_order_acquire);
    for (; slab; slab = slab->next)
        count += atomic_load_explicit(&slab->used, memory_order_acquire);
    return count;
}

void fl_probe_record_after_fork(void)
{
    struct slab *slab = atomic_load_explicit(&slabs, memory_order_relaxed);
    for (; slab; slab = slab->next)
        for (size_t i = 0; i < slab->used; i++) {
            struct fl_probe_record *record = &slab->records[i];
            atomic_store_explicit(&record->taken, record == mine, memory_order_relaxed);
            if (record != mine)
                record->quiet = 0;
        }
}
