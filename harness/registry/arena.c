/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arena of anonymous mappings: small requests share blocks of 256 KiB, large ones have their own.
 * Every page is touched when it is mapped: an arena page never faults inside the window.
 */
#include "faultline/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    BLOCK_BYTES = 256 * 1024,
    OWN_BYTES = 64 * 1024,
    PAGE_BYTES = 4096,
    /* Large operands start at different offsets in their pages: with all at the same, loads of one
     * alias stores to another in the low 12 bits of the address, and every kernel is slowed down.
     */
    COLOUR_BYTES = 13 * 64,
};

struct fl_arena_block {
    struct fl_arena_block *next;
    size_t mapped; /* bytes, this header included */
    size_t used;   /* offset of the first free byte */
};

/* Zeroed memory from malloc or the kernel; NULL when there is none. */
static void *take(const struct fl_arena *arena, size_t bytes)
{
    if (arena->heap) {
        void *memory = malloc(bytes);
        return memory ? memset(memory, 0, bytes) : NULL;
    }
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static struct fl_arena_block *add_block(struct fl_arena *arena, size_t bytes)
{
    if (arena->limit && (bytes > arena->limit || arena->mapped > arena->limit - bytes))
        return NULL;
    struct fl_arena_block *block = take(arena, bytes);
    if (!block)
        return NULL;
    *block = (struct fl_arena_block){arena->blocks, bytes, sizeof *block};
    if (!arena->heap)
        block->used += arena->mappings++ * COLOUR_BYTES % PAGE_BYTES;
    arena->blocks = block;
    arena->mapped += bytes;
    return block;
}

/* What to take for a request that needs `worst` bytes with header and alignment. From malloc it is
 * just that, so that glibc sees the size of the operand; mappings are whole pages. */
static size_t block_bytes(const struct fl_arena *arena, size_t worst)
{
    if (arena->heap)
        return worst;
    size_t bytes = worst < OWN_BYTES ? BLOCK_BYTES : worst;
    return (bytes + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);
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
    size_t worst = sizeof(struct fl_arena_block) + (arena->heap ? 0 : PAGE_BYTES) + align + bytes;
    if (worst < OWN_BYTES && arena->blocks && !arena->heap) {
        void *memory = carve(arena->blocks, bytes, align);
        if (memory)
            return memory;
    }
    struct fl_arena_block *block = add_block(arena, block_bytes(arena, worst));
    return block ? carve(block, bytes, align) : NULL;
}

void fl_arena_release(struct fl_arena *arena)
{
    for (struct fl_arena_block *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        if (arena->heap)
            free(block);
        else
            munmap(block, block->mapped);
    }
    *arena = (struct fl_arena){.limit = arena->limit, .heap = arena->heap};
}
