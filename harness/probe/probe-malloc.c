/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The malloc family. A call is counted with the bytes it asks for, whether it succeeds or not;
 * realloc is one call of malloc and none of free; a null pointer that is freed is nothing.
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "probe-count.h"
#include "probe-real.h"

FL_PROBE_EXPORT void *malloc(size_t bytes)
{
    __typeof__(&malloc) real = FL_REAL(malloc);
    if (!real)
        return fl_real_early_alloc(bytes, 16);
    fl_probe_count_alloc(bytes);
    return real(bytes);
}

FL_PROBE_EXPORT void *calloc(size_t count, size_t size)
{
    __typeof__(&calloc) real = FL_REAL(calloc);
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        bytes = 0; /* fails; asks for nothing that could be added */
    if (!real)
        return fl_real_early_alloc(bytes, 16); /* zeroed, as all static memory */
    fl_probe_count_alloc(bytes);
    return real(count, size);
}

/* A block of the early buffer moves to the real malloc. */
static void *leave_early(void *old, size_t bytes)
{
    size_t known = fl_real_early_size(old);
    void *fresh = malloc(bytes);
    if (fresh)
        memcpy(fresh, old, bytes < known ? bytes : known);
    return fresh;
}

FL_PROBE_EXPORT void *realloc(void *old, size_t bytes)
{
    if (old && fl_real_early_owns(old))
        return leave_early(old, bytes);
    __typeof__(&realloc) real = FL_REAL(realloc);
    if (!real)
        return fl_real_early_alloc(bytes, 16);
    fl_probe_count_alloc(bytes);
    return real(old, bytes);
}

FL_PROBE_EXPORT void *reallocarray(void *old, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        fl_probe_count_alloc(0);
        errno = ENOMEM;
        return NULL;
    }
    return realloc(old, bytes);
}

FL_PROBE_EXPORT void free(void *memory)
{
    if (!memory || fl_real_early_owns(memory))
        return;
    __typeof__(&free) real = FL_REAL(free);
    fl_probe_count_free();
    if (real)
        real(memory);
}

FL_PROBE_EXPORT int posix_memalign(void **out, size_t align, size_t bytes)
{
    fl_probe_count_alloc(bytes);
    return FL_REAL(posix_memalign)(out, align, bytes);
}

FL_PROBE_EXPORT void *aligned_alloc(size_t align, size_t bytes)
{
    fl_probe_count_alloc(bytes);
    return FL_REAL(aligned_alloc)(align, bytes);
}

FL_PROBE_EXPORT void *memalign(size_t align, size_t bytes)
{
    fl_probe_count_alloc(bytes);
    return FL_REAL(memalign)(align, bytes);
}

FL_PROBE_EXPORT void *valloc(size_t bytes)
{
    fl_probe_count_alloc(bytes);
    return FL_REAL(valloc)(bytes);
}

FL_PROBE_EXPORT void *pvalloc(size_t bytes)
{
    fl_probe_count_alloc(bytes);
    return FL_REAL(pvalloc)(bytes);
}
