/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kept blocks: one block of memory per calling thread, grown to the largest call and kept.
 *
 * A thread finds its block through a pthread key, whose value only that thread reads or writes, so
 * the fast path has no atomic operation, no lock and no line that another thread writes. The lock
 * guards the list of all blocks, and is taken when a thread makes its first call, needs a larger
 * block, or ends. It also orders the hand-over of a block from a thread that ended to one that
 * begins: what the first wrote happens before what the second reads.
 *
 * A thread that ends leaves its block to the next thread that has none. It may end at any time but
 * beside close(). A cache in thread-local storage in front of the key would save 1.2 of 7 ns a
 * call, but could name a block of a workspace that was closed since; the key cannot.
 *
 * A call inside a call finds its thread's block busy and is served by malloc.
 */
#ifndef FL_KEPT_BLOCK_H
#define FL_KEPT_BLOCK_H

#include <pthread.h>

#include "faultline/workspace.h"

struct fl_kept_block;

/* Where blocks come from. */
struct fl_kept_source {
    /* Block of at least *bytes, rounded up in place; 64-byte alignment is not needed. NULL: none.
     */
    void *(*take)(size_t *bytes);
    void (*give)(void *block, size_t bytes);
};

/* Private state of a workspace: it may be the whole state. */
struct fl_kept {
    pthread_key_t key; /* of the calling thread's block */
    const struct fl_kept_source *source;
    pthread_mutex_t lock;         /* guards all below, and the links of the blocks */
    struct fl_kept_block *blocks; /* all of them */
};

int fl_kept_open(struct fl_kept *kept, const struct fl_kept_source *source,
                 struct fl_err *err) FL_MUST_CHECK;

/* The slots of a workspace whose state begins with a struct fl_kept. */
int fl_kept_with(void *state, const struct fl_request *requests, size_t count, fl_body_fn body,
                 void *arg);
size_t fl_kept_held(const void *state);
void fl_kept_close(void *state);

#endif
