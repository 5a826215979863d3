/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Real functions: what stands behind the probe in the lookup order.
 *
 * Found with dlsym(RTLD_NEXT), all at start, and again on demand for those that were not there
 * yet. dlsym itself may ask for memory before malloc is found: that comes from a small buffer.
 */
#ifndef FL_PROBE_REAL_H
#define FL_PROBE_REAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define FL_PROBE_EXPORT __attribute__((visibility("default")))

/* Name, and the version to ask for first: dlsym may answer with the oldest of several. */
#define FL_REAL_FUNCTIONS(X)                                                                       \
    X(malloc, NULL)                                                                                \
    X(calloc, NULL)                                                                                \
    X(realloc, NULL)                                                                               \
    X(free, NULL)                                                                                  \
    X(posix_memalign, NULL)                                                                        \
    X(aligned_alloc, NULL)                                                                         \
    X(memalign, NULL)                                                                              \
    X(valloc, NULL)                                                                                \
    X(pvalloc, NULL)                                                                               \
    X(pthread_mutex_lock, NULL)                                                                    \
    X(pthread_mutex_trylock, NULL)                                                                 \
    X(pthread_mutex_timedlock, NULL)                                                               \
    X(pthread_mutex_clocklock, NULL)                                                               \
    X(pthread_cond_wait, "GLIBC_2.3.2")                                                            \
    X(pthread_cond_timedwait, "GLIBC_2.3.2")                                                       \
    X(pthread_cond_clockwait, NULL)                                                                \
    X(mtx_lock, NULL)                                                                              \
    X(mtx_trylock, NULL)                                                                           \
    X(mtx_timedlock, NULL)                                                                         \
    X(cnd_wait, NULL)                                                                              \
    X(cnd_timedwait, NULL)                                                                         \
    X(_Znwm, NULL)                                                                                 \
    X(_Znam, NULL)                                                                                 \
    X(_ZnwmRKSt9nothrow_t, NULL)                                                                   \
    X(_ZnamRKSt9nothrow_t, NULL)                                                                   \
    X(_ZnwmSt11align_val_t, NULL)                                                                  \
    X(_ZnamSt11align_val_t, NULL)                                                                  \
    X(_ZnwmSt11align_val_tRKSt9nothrow_t, NULL)                                                    \
    X(_ZnamSt11align_val_tRKSt9nothrow_t, NULL)                                                    \
    X(_ZdlPv, NULL)                                                                                \
    X(_ZdaPv, NULL)                                                                                \
    X(_ZdlPvm, NULL)                                                                               \
    X(_ZdaPvm, NULL)                                                                               \
    X(_ZdlPvRKSt9nothrow_t, NULL)                                                                  \
    X(_ZdaPvRKSt9nothrow_t, NULL)                                                                  \
    X(_ZdlPvSt11align_val_t, NULL)                                                                 \
    X(_ZdaPvSt11align_val_t, NULL)                                                                 \
    X(_ZdlPvmSt11align_val_t, NULL)                                                                \
    X(_ZdaPvmSt11align_val_t, NULL)                                                                \
    X(_ZdlPvSt11align_val_tRKSt9nothrow_t, NULL)                                                   \
    X(_ZdaPvSt11align_val_tRKSt9nothrow_t, NULL)

enum fl_real {
#define FL_REAL_ENUM(name, version) FL_REAL_##name,
    FL_REAL_FUNCTIONS(FL_REAL_ENUM)
#undef FL_REAL_ENUM
        FL_REALS,
};

typedef void (*fl_real_fn)(void);

/* Filled with the same values by whoever comes first; a thread that sees NULL looks itself. */
extern _Atomic(fl_real_fn) fl_real_table[FL_REALS];

/* NULL: not there, or this thread is in the middle of looking something up. */
fl_real_fn fl_real_find(enum fl_real function);

static inline fl_real_fn fl_real_get(enum fl_real function)
{
    /* Relaxed: the pointer is all there is to see. */
    fl_real_fn found = atomic_load_explicit(&fl_real_table[function], memory_order_relaxed);
    return __builtin_expect(found != NULL, 1) ? found : fl_real_find(function);
}

/* The real `name`, with the type of a declaration of that name. */
#define FL_REAL(name) ((__typeof__(&name))fl_real_get(FL_REAL_##name))

/* Memory from the buffer; NULL when it is used up. Never given back. */
void *fl_real_early_alloc(size_t bytes, size_t align);
bool fl_real_early_owns(const void *memory);
size_t fl_real_early_size(const void *memory); /* of an owned block, or a little more */

#endif
