/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arena of anonymous mappings: small requests share blocks of 256 KiB, large ones have their own.
 * Every page is touched when it is mapped: an arena page never faults inside the window.
 */
#include "faultline/arena.h"

#include <stdint.h>
#include <sys/mman.h>

enum { BLOCK_BYTES = 256 * 1024, OWN_BYTES = 64 * 1024, PAGE_BYTES = 4096 };

struct fl_arena_block {
    struct fl_arena_block *next;
    size_t mapped; /* bytes, this header included */
    size_t used;   /* offset of the first free byte */
};

static struct fl_arena_block *map_block(struct fl_arena *arena, size_t bytes)
{
    size_t mapped = (bytes + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);
    if (mapped < bytes)
        return NULL;
    void *memory = mmap(NULL, mapped, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    struct fl_arena_block *block = memory;
    *block = (struct fl_arena_block){arena->blocks, mapped, sizeof *block};
    arena->blocks = block;
    arena->mapped += mapped;
    return block;
}

/* Takes `bytes` from a block, or NULL when they do not fit behind its used part. */
static void *carve(struct fl_arena_block *block, size_t bytes, size_t align)
{
    uintptr_t base = (uintptr_t)block;
    uintptr_t start = (base + block->used + align - 1) & ~(uintptr_t)(align - 1);
    if (start - base > block->mapped || bytes > block->mapped - (start - base))
        return NULL;
    block->used = start - base + bytes;
    return (void *)start;
}

void *fl_arena_alloc(struct fl_arena *arena, size_t bytes, size_t align)
{
    if (align < 16)
        align = 16;
    if (bytes > SIZE_MAX / 2)
        return NULL;
    size_t worst = sizeof(struct fl_arena_block) + align + bytes;
    if (worst < OWN_BYTES && arena->blocks) {
        void *memory = carve(arena->blocks, bytes, align);
        if (memory)
            return memory;
    }
    struct fl_arena_block *block = map_block(arena, worst < OWN_BYTES ? BLOCK_BYTES : worst);
    return block ? carve(block, bytes, align) : NULL;
}

void fl_arena_release(struct fl_arena *arena)
{
    for (struct fl_arena_block *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        munmap(block, block->mapped);
    }
    *arena = (struct fl_arena){0};
}
