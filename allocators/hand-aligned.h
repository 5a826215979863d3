/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers from malloc, aligned by hand as Eigen does it: malloc's own alignment serves up to 16
 * bytes; beyond, `align` bytes more are asked for and the buffer begins 1..align bytes into them.
 * How many pages a buffer touches depends on that.
 */
#ifndef FL_HAND_ALIGNED_H
#define FL_HAND_ALIGNED_H

#include <stdbool.h>
#include <stdint.h>

#include "faultline/workspace.h"

enum { FL_MALLOC_ALIGN = 16 };

/* The first multiple of `align` at or above `address`. */
static inline uintptr_t fl_align_up(uintptr_t address, size_t align)
{
    return (address + align - 1) & ~((uintptr_t)align - 1);
}

/* Bytes to ask malloc for; false where no size_t holds them. */
static inline bool fl_hand_bytes(const struct fl_request *request, size_t *bytes)
{
    size_t more = request->align <= FL_MALLOC_ALIGN ? 0 : request->align;
    return !__builtin_add_overflow(request->bytes, more, bytes);
}

/* The buffer inside what malloc returned for fl_hand_bytes(). */
static inline void *fl_hand_pointer(void *raw, size_t align)
{
    if (align <= FL_MALLOC_ALIGN)
        return raw;
    /* One whole step up even where `raw` is aligned already: as Eigen, which keeps malloc's pointer
     * in front of the buffer. */
    return (void *)fl_align_up((uintptr_t)raw + 1, align);
}

/* One buffer: *raw is what free() takes. 0 or -ENOMEM. */
int fl_hand_alloc(const struct fl_request *request, void **raw, void **pointer) FL_MUST_CHECK;

/* with() of the workspace `malloc`: what others fall back to. */
int fl_hand_with(void *state, const struct fl_request *requests, size_t count, fl_body_fn body,
                 void *arg);

#endif
