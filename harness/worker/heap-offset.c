/* SPDX-License-Identifier: Apache-2.0 */
/* Padding the heap's top to a fixed offset in its page. */
#include "heap-offset.h"

#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
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

/* Never freed on purpose: the block is the padding. NULL when there is no memory. */
static void *leak(size_t bytes)
{
    void *volatile block = malloc(bytes);
    return block;
}

/* Between the end of the program's data and the break? The arenas of threads are mapped. */
static bool in_main_heap(const void *block)
{
    extern char end[]; /* set by the linker, see end(3) */
    return (uintptr_t)block >= (uintptr_t)end && (uintptr_t)block < (uintptr_t)sbrk(0);
}

static int foreign_heap(size_t wanted, struct fl_err *err)
{
    return fl_fail(err, -EIO,
                   "cannot set heap-offset %zu: this process does not run on glibc's main heap",
                   wanted);
}

/* A thread's arena has a top of its own, whose offset nothing moves but the cell's own calls. */
static int no_main_heap(size_t wanted, struct fl_err *err)
{
    if (gettid() == getpid())
        return foreign_heap(wanted, err);
    if (!wanted)
        return 0;
    return fl_fail(err, -EIO,
                   "cannot set heap-offset %zu: the calling thread does not allocate from glibc's "
                   "main heap: use caller=main or malloc=glibc-arena1",
                   wanted);
}

int fl_heap_offset_set(size_t wanted, struct fl_err *err)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (!leak(1)) /* the heap exists only after a first allocation */
        return fl_fail(err, -ENOMEM, "cannot pad the heap: out of memory");
    /* NOLINTBEGIN(clang-analyzer-unix.Malloc): the blocks are the padding */
    for (int i = 0; i < TRIES; i++) {
        size_t pad = (wanted - fl_heap_offset()) & (page - 1);
        if (!pad)
            return 0;
        if (pad % 16)
            break;
        if (pad < CHUNK_LEAST)
            pad += page;
        const void *block = leak(pad - CHUNK_HEADER);
        if (!block)
            return fl_fail(err, -ENOMEM, "cannot pad the heap: out of memory");
        if (!in_main_heap(block))
            return no_main_heap(wanted, err);
    }
    /* NOLINTEND(clang-analyzer-unix.Malloc) */
    return foreign_heap(wanted, err);
}
