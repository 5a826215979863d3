/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ledger: what a test's program asks malloc and the kernel for. The linker wraps malloc, calloc,
 * free, mmap and munmap with the functions of memory-ledger.c (see CMakeLists.txt).
 */
#ifndef FL_MEMORY_LEDGER_H
#define FL_MEMORY_LEDGER_H

#include <stdbool.h>
#include <stddef.h>

enum { BLOCKS_MAX = 256 };

/* What went through the wrapped functions; the wrapper of a C function has no other place. */
struct ledger {
    struct block {
        void *address;
        size_t bytes;
    } blocks[BLOCKS_MAX]; /* living ones from malloc, in order */
    size_t count;
    unsigned mallocs, frees, mmaps, munmaps;
    long live;                    /* bytes: malloc'ed and mapped, not given back */
    size_t sizes[BLOCKS_MAX];     /* asked of malloc, in order */
    bool freed_last_first;        /* every free took the youngest living block */
    unsigned mallocs_before_fail; /* 0: never fails */
    unsigned mmaps_before_fail;
};

extern struct ledger ledger;

#endif
