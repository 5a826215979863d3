/* SPDX-License-Identifier: Apache-2.0 */
/* One block cut into the buffers of a call, one behind the other. */
#ifndef FL_CARVE_H
#define FL_CARVE_H

#include "hand-aligned.h"

/* Bytes of one buffer: one of 0 bytes takes 1, so that no two have the same address. */
static inline size_t fl_carve_size(const struct fl_request *request)
{
    return request->bytes + !request->bytes;
}

/* Places the buffers from `cursor` on; false where they do not end at or before `end`. */
static inline bool fl_carve(uintptr_t cursor, uintptr_t end, const struct fl_request *requests,
                            size_t count, void **pointers)
{
    for (size_t i = 0; i < count; i++) {
        cursor = fl_align_up(cursor, requests[i].align);
        size_t bytes = fl_carve_size(&requests[i]);
        if (cursor > end || bytes > end - cursor)
            return false;
        pointers[i] = (void *)cursor;
        cursor += bytes;
    }
    return true;
}

/*
 * Adds to *bytes what the buffers take wherever the block begins; false: more than a size_t holds.
 */
static inline bool fl_carve_bytes(const struct fl_request *requests, size_t count, size_t *bytes)
{
    for (size_t i = 0; i < count; i++)
        if (__builtin_add_overflow(*bytes, fl_carve_size(&requests[i]), bytes) ||
            __builtin_add_overflow(*bytes, requests[i].align - 1, bytes))
            return false;
    return true;
}

#endif
