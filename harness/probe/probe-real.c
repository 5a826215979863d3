/* SPDX-License-Identifier: Apache-2.0 */
/* Looks the real functions up. */
#include "probe-real.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "probe-record.h"

#define EARLY_BYTES (64 * 1024)

/* An interposer has one state for its process. */
_Atomic(fl_real_fn) fl_real_table[FL_REALS];
static _Alignas(64) char early[EARLY_BYTES];
static _Atomic size_t early_used;
static __thread bool looking __attribute__((tls_model("initial-exec")));

static const struct {
    const char *name, *version;
} functions[FL_REALS] = {
#define FL_REAL_ROW(name, version) {#name, version},
    FL_REAL_FUNCTIONS(FL_REAL_ROW)
#undef FL_REAL_ROW
};

static void *look_up(enum fl_real function)
{
    void *found = NULL;
    if (functions[function].version)
        found = dlvsym(RTLD_NEXT, functions[function].name, functions[function].version);
    return found ? found : dlsym(RTLD_NEXT, functions[function].name);
}

fl_real_fn fl_real_find(enum fl_real function)
{
    if (looking)
        return NULL;
    int saved = errno;
    struct fl_probe_record *mine = fl_probe_record_mine();
    looking = true;
    mine->quiet++;
    void *object = look_up(function);
    mine->quiet--;
    looking = false;
    errno = saved;
    fl_real_fn found;
    memcpy(&found, &object, sizeof(found)); /* POSIX lets dlsym return functions, C no cast */
    atomic_store_explicit(&fl_real_table[function], found, memory_order_relaxed);
    return found;
}

void *fl_real_early_alloc(size_t bytes, size_t align)
{
    if (align < 16)
        align = 16;
    if (bytes > EARLY_BYTES || align > EARLY_BYTES)
        return NULL;
    size_t used = atomic_fetch_add(&early_used, bytes + align);
    uintptr_t start = ((uintptr_t)early + used + align - 1) & ~(uintptr_t)(align - 1);
    return used > EARLY_BYTES || start + bytes > (uintptr_t)early + EARLY_BYTES ? NULL
                                                                                : (void *)start;
}

bool fl_real_early_owns(const void *memory)
{
    return (uintptr_t)memory - (uintptr_t)early < EARLY_BYTES;
}

size_t fl_real_early_size(const void *memory)
{
    return (size_t)(early + EARLY_BYTES - (const char *)memory);
}
