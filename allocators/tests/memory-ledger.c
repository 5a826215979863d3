/* SPDX-License-Identifier: Apache-2.0 */
/* The wrapped functions, which write the ledger. */
#include "memory-ledger.h"

#include <string.h>
#include <sys/mman.h>

struct ledger ledger;

void *__real_malloc(size_t bytes);
void __real_free(void *address);
void *__real_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
int __real_munmap(void *address, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void __wrap_free(void *address);
void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
int __wrap_munmap(void *address, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    if (ledger.mallocs_before_fail && !--ledger.mallocs_before_fail)
        return NULL;
    void *address = __real_malloc(bytes);
    if (!address)
        return NULL;
    ledger.sizes[ledger.mallocs++ % BLOCKS_MAX] = bytes;
    ledger.blocks[ledger.count++] = (struct block){address, bytes};
    ledger.live += (long)bytes;
    return address;
}

/* Parts ask for few bytes and say so: the product cannot overflow. */
void *__wrap_calloc(size_t count, size_t bytes)
{
    void *address = __wrap_malloc(count * bytes);
    return address ? memset(address, 0, count * bytes) : NULL;
}

void __wrap_free(void *address)
{
    ledger.frees++;
    for (size_t i = ledger.count; address && i-- > 0;) {
        if (ledger.blocks[i].address != address)
            continue;
        if (i != ledger.count - 1)
            ledger.freed_last_first = false;
        ledger.live -= (long)ledger.blocks[i].bytes;
        memmove(&ledger.blocks[i], &ledger.blocks[i + 1],
                (--ledger.count - i) * sizeof *ledger.blocks);
        break;
    }
    __real_free(address);
}

void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset)
{
    if (ledger.mmaps_before_fail && !--ledger.mmaps_before_fail)
        return MAP_FAILED;
    void *mapped = __real_mmap(address, bytes, protection, flags, file, offset);
    if (mapped != MAP_FAILED) {
        ledger.mmaps++;
        ledger.live += (long)bytes;
    }
    return mapped;
}

int __wrap_munmap(void *address, size_t bytes)
{
    ledger.munmaps++;
    ledger.live -= (long)bytes;
    return __real_munmap(address, bytes);
}

/* A sanitizer's malloc ends the process for absurd sizes unless told otherwise. */
const char *__asan_default_options(void);
const char *__tsan_default_options(void);
__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}
__attribute__((visibility("default"))) const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1";
}
