/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arena: memory of the measured process that must not touch malloc.
 *
 * One malloc/free of a large buffer before the window raises glibc's dynamic thresholds and erases
 * the very faults that are to be counted. So operands, reference data, part states and messages
 * come from here: anonymous mappings, taken with mmap and given back all at once. Thread-safe: no;
 * one arena belongs to one thread at a time.
 */
#ifndef FAULTLINE_ARENA_H
#define FAULTLINE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "faultline/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fl_arena_block;

/* A zeroed struct is an empty arena. */
struct fl_arena {
    struct fl_arena_block *blocks;
    size_t mapped;   /* bytes taken from the kernel or from malloc */
    size_t mappings; /* how many times */
    size_t limit;    /* most bytes to take; 0: what the kernel gives, and its killer after it */
    /* Take every request from malloc instead, and free it: for a history that says how a program
     * that mallocs its operands moves glibc's thresholds. Set it before the first request. */
    bool heap;
};

/*
 * `bytes` of zeroed memory aligned to `align` (a power of two <= 2 MiB); NULL beyond the limit or
 * when the kernel refuses. Requests of 64 KiB and more get a mapping of their own, with every page
 * touched, so that no first touch is left for the window.
 */
FL_API void *fl_arena_alloc(struct fl_arena *arena, size_t bytes, size_t align);

/* Unmaps everything. The arena is empty again and can be used, under the same limit and on the same
 * heap. */
FL_API void fl_arena_release(struct fl_arena *arena);

#ifdef __cplusplus
}
#endif

#endif
