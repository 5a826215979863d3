/* SPDX-License-Identifier: Apache-2.0 */
/* Padding the heap's top to a fixed offset in its page. */
#include "heap-offset.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    CHUNK_HEADER = 8, /* bytes of a chunk that its user does not get */
    CHUNK_LEAST = 32, /* smallest chunk glibc makes */
    TRIES = 4096,     /* blocks that free lists may swallow before the top moves */
};

size_t fl_heap_offset(void)
{
    uintptr_t end = (uintptr_t)sbrk(0);
    return (end - mallinfo2().keepcost) & ((size_t)sysconf(_SC_PAGESIZE) - 1);
}

/* Never freed on purpose: the block is the padding. */
static int leak(size_t bytes)
{
    void *volatile block = malloc(bytes);
    /* cppcheck-suppress memleak */
    return block ? 0 : -ENOMEM;
}

int fl_heap_offset_set(size_t wanted, struct fl_err *err)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (leak(1)) /* the heap exists only after a first allocation */
        return fl_fail(err, -ENOMEM, "cannot pad the heap: out of memory");
    for (int i = 0; i < TRIES; i++) {
        size_t pad = (wanted - fl_heap_offset()) & (page - 1);
        if (!pad)
            return 0;
        if (pad % 16)
            break;
        if (pad < CHUNK_LEAST)
            pad += page;
        if (leak(pad - CHUNK_HEADER))
            return fl_fail(err, -ENOMEM, "cannot pad the heap: out of memory");
    }
    return fl_fail(err, -EIO,
                   "cannot set heap-offset %zu: this process does not run on glibc's main heap",
                   wanted);
}
