/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workspace `size-class`: buffers up to the limit on the stack; larger ones from a cache of freed
 * blocks, one list per size class, shared by all threads. Option limit=BYTES, 128K.
 *
 * Classes are four to a doubling, so a block wastes at most a quarter. A class has eight slots for
 * each caller that open() was told of, on a line of their own; a thread begins at a line chosen by
 * its identity and goes on to others when that one is empty or full. So blocks are shared, yet
 * threads seldom write one line. A block that finds no free slot goes back to malloc.
 *
 * Each slot holds one block or NULL. Taking is an exchange with acquire, putting back a
 * compare-exchange with release: what one thread wrote into a block, and malloc's own bookkeeping
 * before it, happens before the next use. No order between slots is needed, and since a slot's
 * value is owned by whoever exchanged it out, a block that returns in between does no harm (no
 * ABA).
 */
#include <alloca.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "hand-aligned.h"
#include "stack-limit.h"

enum {
    SMALLEST_LOG = 12, /* class 0 holds blocks of 4 KiB, for limits below */
    LARGEST_LOG = 47,  /* beyond the address space of a process */
    STEPS_LOG = 2,     /* log2 of the classes in a doubling */
    CLASSES = ((LARGEST_LOG - SMALLEST_LOG) << STEPS_LOG) + 1,
    SLOTS = 8, /* one line: enough for one call of FL_REQUESTS_MAX buffers */
};

struct line {
    _Alignas(64) _Atomic(void *) slots[SLOTS];
};

struct size_class {
    size_t limit;       /* largest buffer that goes on the stack, bytes */
    size_t lines;       /* of one class, a power of two */
    struct line *cache; /* CLASSES * lines; untouched pages of it cost nothing */
};

_Static_assert(SLOTS >= FL_REQUESTS_MAX, "a call's blocks fit into one line");

/* Class whose blocks hold `bytes`, and the size of its blocks. False: no class is large enough. */
static bool class_of(size_t bytes, size_t *index, size_t *size)
{
    if (bytes <= (size_t)1 << SMALLEST_LOG) {
        *index = 0;
        *size = (size_t)1 << SMALLEST_LOG;
        return true;
    }
    if (bytes > (size_t)1 << LARGEST_LOG)
        return false;
    /* 2^log < bytes <= 2^(log + 1), in steps of a quarter of 2^log */
    unsigned log = 63u - (unsigned)__builtin_clzll(bytes - 1);
    size_t step = (size_t)1 << (log - STEPS_LOG);
    size_t steps = (bytes + step - 1) / step; /* 5..8 */
    *index = ((size_t)(log - SMALLEST_LOG) << STEPS_LOG) + steps - (1u << STEPS_LOG);
    *size = steps * step;
    return true;
}

/* Where the calling thread begins in a class; thread descriptors lie pages apart. */
static size_t first_line(const struct size_class *ws)
{
    if (ws->lines == 1)
        return 0;
    uint64_t thread = (uint64_t)(uintptr_t)pthread_self();
    return (size_t)((thread >> 12) * 0x9e3779b97f4a7c15u >> 32) & (ws->lines - 1);
}

static void *take_cached(struct size_class *ws, size_t class)
{
    size_t first = first_line(ws);
    struct line *lines = &ws->cache[class * ws->lines];
    for (size_t l = 0; l < ws->lines; l++) {
        struct line *line = &lines[(first + l) & (ws->lines - 1)];
        for (size_t s = 0; s < SLOTS; s++) {
            /* The relaxed load only spares the exchange of an empty slot. */
            if (!atomic_load_explicit(&line->slots[s], memory_order_relaxed))
                continue;
            void *block = atomic_exchange_explicit(&line->slots[s], NULL, memory_order_acquire);
            if (block)
                return block;
        }
    }
    return NULL;
}

static void put_back(struct size_class *ws, size_t class, void *block)
{
    size_t first = first_line(ws);
    struct line *lines = &ws->cache[class * ws->lines];
    for (size_t l = 0; l < ws->lines; l++) {
        struct line *line = &lines[(first + l) & (ws->lines - 1)];
        for (size_t s = 0; s < SLOTS; s++) {
            void *empty = NULL;
            if (atomic_load_explicit(&line->slots[s], memory_order_relaxed))
                continue;
            if (atomic_compare_exchange_strong_explicit(&line->slots[s], &empty, block,
                                                        memory_order_release, memory_order_relaxed))
                return;
        }
    }
    free(block);
}

struct taken {
    void *block; /* NULL: on the stack */
    size_t class;
};

static int take(struct size_class *ws, const struct fl_request *request, struct taken *taken,
                void **pointer)
{
    size_t bytes, size;
    if (!fl_hand_bytes(request, &bytes) || !class_of(bytes, &taken->class, &size))
        return -ENOMEM;
    taken->block = take_cached(ws, taken->class);
    if (!taken->block)
        taken->block = malloc(size);
    if (!taken->block)
        return -ENOMEM;
    *pointer = fl_hand_pointer(taken->block, request->align);
    return 0;
}

static int size_class_with(void *state, const struct fl_request *requests, size_t count,
                           fl_body_fn body, void *arg)
{
    struct size_class *ws = state;
    struct taken taken[FL_REQUESTS_MAX];
    void *pointers[FL_REQUESTS_MAX] = {NULL};
    size_t i = 0;
    for (; i < count; i++) {
        if (requests[i].bytes <= ws->limit) {
            taken[i].block = NULL;
            pointers[i] = fl_stack_pointer(alloca(fl_stack_bytes(&requests[i])), &requests[i]);
        } else if (take(ws, &requests[i], &taken[i], &pointers[i])) {
            break;
        }
    }
    int result = i == count ? body(arg, pointers) : -ENOMEM;
    while (i > 0)
        if (taken[--i].block)
            put_back(ws, taken[i].class, taken[i].block);
    return result;
}

static int size_class_check(const char *options, struct fl_err *err)
{
    size_t limit;
    return fl_stack_limit_read("size-class", options, NULL, 0, &limit, err);
}

static int size_class_open(void *state, const struct fl_request *requests, size_t count,
                           unsigned threads, const char *options, struct fl_err *err)
{
    struct size_class *ws = state;
    int rc = fl_stack_limit_read("size-class", options, requests, count, &ws->limit, err);
    if (rc)
        return rc;
    for (ws->lines = 1; ws->lines < threads; ws->lines *= 2)
        ;
    ws->cache = mmap(NULL, CLASSES * ws->lines * sizeof(struct line), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ws->cache == MAP_FAILED)
        return fl_fail(err, -ENOMEM, "cannot map the cache of workspace 'size-class'");
    return 0;
}

/* Size of the blocks of a class: the inverse of class_of(). */
static size_t class_bytes(size_t class)
{
    size_t step = (size_t)1 << (SMALLEST_LOG - STEPS_LOG + (class >> STEPS_LOG));
    return step * ((1u << STEPS_LOG) + (class & ((1u << STEPS_LOG) - 1)));
}

static size_t size_class_held(const void *state)
{
    const struct size_class *ws = state;
    size_t bytes = 0;
    for (size_t l = 0; l < CLASSES * ws->lines; l++)
        for (size_t s = 0; s < SLOTS; s++)
            if (atomic_load_explicit(&ws->cache[l].slots[s], memory_order_relaxed))
                bytes += class_bytes(l / ws->lines);
    return bytes;
}

static void size_class_close(void *state)
{
    struct size_class *ws = state;
    for (size_t l = 0; l < CLASSES * ws->lines; l++)
        for (size_t s = 0; s < SLOTS; s++)
            free(atomic_load_explicit(&ws->cache[l].slots[s], memory_order_relaxed));
    munmap(ws->cache, CLASSES * ws->lines * sizeof(struct line));
}

const struct fl_workspace_ops fl_workspace_size_class = {
    .part = {.name = "size-class",
             .summary =
                 "buffers up to limit=128K on the stack, larger from a cache of freed blocks",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct size_class)},
    .check = size_class_check,
    .open = size_class_open,
    .with = size_class_with,
    .held = size_class_held,
    .close = size_class_close,
};
