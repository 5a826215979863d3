/* SPDX-License-Identifier: Apache-2.0 */
/* Per-thread blocks with an owner list. */
#include "kept-block.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "carve.h"

enum { CACHE_LINE = 64 };

/* Stands in front of the memory that it describes, on a line of its own. */
struct fl_kept_block {
    _Alignas(CACHE_LINE) struct fl_kept *owner;
    struct fl_kept_block *next, **link; /* in owner->blocks; guarded by its lock */
    bool attached;                      /* belongs to a living thread; guarded by the lock */
    bool busy;                          /* a call is running; the attached thread's alone */
    void *raw;                          /* what the source gave */
    size_t bytes;                       /* of it */
};

static bool lay_out(struct fl_kept_block *block, const struct fl_request *requests, size_t count,
                    void **pointers)
{
    return fl_carve((uintptr_t)(block + 1), (uintptr_t)block->raw + block->bytes, requests, count,
                    pointers);
}

/* Bytes of a block in which the requests fit wherever it begins; false: more than a size_t. */
static bool worst_bytes(const struct fl_request *requests, size_t count, size_t *bytes)
{
    *bytes = sizeof(struct fl_kept_block) + CACHE_LINE;
    return fl_carve_bytes(requests, count, bytes);
}

static void unlink_and_give(struct fl_kept *kept, struct fl_kept_block *block)
{
    *block->link = block->next;
    if (block->next)
        block->next->link = block->link;
    kept->source->give(block->raw, block->bytes);
}

static struct fl_kept_block *take_and_link(struct fl_kept *kept, size_t bytes)
{
    void *raw = kept->source->take(&bytes);
    if (!raw)
        return NULL;
    struct fl_kept_block *block = (void *)fl_align_up((uintptr_t)raw, CACHE_LINE);
    *block = (struct fl_kept_block){.owner = kept,
                                    .next = kept->blocks,
                                    .link = &kept->blocks,
                                    .attached = true,
                                    .raw = raw,
                                    .bytes = bytes};
    if (kept->blocks)
        kept->blocks->link = &block->next;
    kept->blocks = block;
    return block;
}

static struct fl_kept_block *left_behind(struct fl_kept *kept)
{
    for (struct fl_kept_block *block = kept->blocks; block; block = block->next)
        if (!block->attached)
            return block;
    return NULL;
}

/*
 * The calling thread's block for these requests: the one that an ended thread left, else a new one.
 * A block that is too small goes first, so that two never stand side by side.
 */
static int refit(struct fl_kept *kept, struct fl_kept_block *block,
                 const struct fl_request *requests, size_t count, void **pointers)
{
    size_t bytes;
    if (!worst_bytes(requests, count, &bytes))
        return -ENOMEM;
    pthread_mutex_lock(&kept->lock);
    if (!block)
        block = left_behind(kept);
    if (block && !lay_out(block, requests, count, pointers)) {
        unlink_and_give(kept, block);
        block = NULL;
    }
    if (!block)
        block = take_and_link(kept, bytes);
    if (block)
        block->attached = true;
    int rc = pthread_setspecific(kept->key, block);
    if (rc && block)
        unlink_and_give(kept, block);
    pthread_mutex_unlock(&kept->lock);
    return !rc && block && lay_out(block, requests, count, pointers) ? 0 : -ENOMEM;
}

int fl_kept_with(void *state, const struct fl_request *requests, size_t count, fl_body_fn body,
                 void *arg)
{
    struct fl_kept *kept = state;
    void *pointers[FL_REQUESTS_MAX];
    struct fl_kept_block *block = pthread_getspecific(kept->key);
    if (block && block->busy)
        return fl_hand_with(NULL, requests, count, body, arg);
    if (!block || !lay_out(block, requests, count, pointers)) {
        if (refit(kept, block, requests, count, pointers))
            return -ENOMEM;
        block = pthread_getspecific(kept->key);
    }
    block->busy = true;
    int result = body(arg, pointers);
    block->busy = false;
    return result;
}

/* Destructor of the key: the thread ends, its block waits for the next one. */
static void leave_behind(void *value)
{
    struct fl_kept_block *block = value;
    struct fl_kept *kept = block->owner;
    pthread_mutex_lock(&kept->lock);
    block->attached = false;
    pthread_mutex_unlock(&kept->lock);
}

int fl_kept_open(struct fl_kept *kept, const struct fl_kept_source *source, struct fl_err *err)
{
    kept->source = source;
    kept->blocks = NULL;
    int rc = pthread_mutex_init(&kept->lock, NULL);
    if (rc)
        return fl_fail(err, -rc, "cannot make a lock: %s", strerror(rc));
    rc = pthread_key_create(&kept->key, leave_behind);
    if (rc) {
        pthread_mutex_destroy(&kept->lock);
        return fl_fail(err, -rc, "cannot make a thread key: %s", strerror(rc));
    }
    return 0;
}

size_t fl_kept_held(const void *state)
{
    const struct fl_kept *kept = state;
    size_t bytes = 0;
    for (const struct fl_kept_block *block = kept->blocks; block; block = block->next)
        bytes += block->bytes;
    return bytes;
}

void fl_kept_close(void *state)
{
    struct fl_kept *kept = state;
    /* From here on no thread's end runs the destructor. */
    pthread_key_delete(kept->key);
    while (kept->blocks)
        unlink_and_give(kept, kept->blocks);
    pthread_mutex_destroy(&kept->lock);
}
