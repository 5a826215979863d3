/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C++ operator new and delete. libstdc++'s come to malloc, but jemalloc, mimalloc and tcmalloc
 * bring their own, which do not: so they are counted here, and the calls that a real one makes
 * itself are not counted again.
 *
 * Written in C under their mangled names, compiled with -fexceptions: a real operator new throws
 * through these frames.
 */
#include <stdlib.h>

#include "probe-count.h"
#include "probe-real.h"

struct nothrow; /* std::nothrow_t */

/* Ends quiet, also where an exception passes. */
static void end_quiet(struct fl_probe_record **mine)
{
    (*mine)->quiet--;
}

#define QUIET                                                                                      \
    struct fl_probe_record *mine __attribute__((cleanup(end_quiet))) = fl_probe_record_mine();     \
    mine->quiet++

/* No C++ library in front of the program's libraries: dlopen brought one, and put it where
 * RTLD_NEXT does not look. Its operators would take from malloc, and so do we. */
static void *without_operator(size_t bytes, size_t align)
{
    void *memory = NULL;
    QUIET;
    if (align <= 16)
        memory = malloc(bytes ? bytes : 1);
    else if (posix_memalign(&memory, align, bytes))
        memory = NULL;
    return memory;
}

/* Cannot throw std::bad_alloc without a C++ library. */
static void *or_abort(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

#define OPERATOR_NEW(symbol)                                                                       \
    void *symbol(size_t bytes);                                                                    \
    FL_PROBE_EXPORT void *symbol(size_t bytes)                                                     \
    {                                                                                              \
        __typeof__(&symbol) real = FL_REAL(symbol);                                                \
        fl_probe_count_alloc(bytes);                                                               \
        QUIET;                                                                                     \
        return real ? real(bytes) : or_abort(without_operator(bytes, 16));                         \
    }

#define OPERATOR_NEW_NOTHROW(symbol)                                                               \
    void *symbol(size_t bytes, const struct nothrow *tag);                                         \
    FL_PROBE_EXPORT void *symbol(size_t bytes, const struct nothrow *tag)                          \
    {                                                                                              \
        __typeof__(&symbol) real = FL_REAL(symbol);                                                \
        fl_probe_count_alloc(bytes);                                                               \
        QUIET;                                                                                     \
        return real ? real(bytes, tag) : without_operator(bytes, 16);                              \
    }

#define OPERATOR_NEW_ALIGNED(symbol)                                                               \
    void *symbol(size_t bytes, size_t align);                                                      \
    FL_PROBE_EXPORT void *symbol(size_t bytes, size_t align)                                       \
    {                                                                                              \
        __typeof__(&symbol) real = FL_REAL(symbol);                                                \
        fl_probe_count_alloc(bytes);                                                               \
        QUIET;                                                                                     \
        return real ? real(bytes, align) : or_abort(without_operator(bytes, align));               \
    }

#define OPERATOR_NEW_ALIGNED_NOTHROW(symbol)                                                       \
    void *symbol(size_t bytes, size_t align, const struct nothrow *tag);                           \
    FL_PROBE_EXPORT void *symbol(size_t bytes, size_t align, const struct nothrow *tag)            \
    {                                                                                              \
        __typeof__(&symbol) real = FL_REAL(symbol);                                                \
        fl_probe_count_alloc(bytes);                                                               \
        QUIET;                                                                                     \
        return real ? real(bytes, align, tag) : without_operator(bytes, align);                    \
    }

/* `parameters` and `arguments` in parentheses; the first is `memory`. */
#define OPERATOR_DELETE(symbol, parameters, arguments)                                             \
    void symbol parameters;                                                                        \
    FL_PROBE_EXPORT void symbol parameters                                                         \
    {                                                                                              \
        if (!memory)                                                                               \
            return;                                                                                \
        __typeof__(&symbol) real = FL_REAL(symbol);                                                \
        fl_probe_count_free();                                                                     \
        QUIET;                                                                                     \
        if (real)                                                                                  \
            real arguments;                                                                        \
        else                                                                                       \
            free(memory);                                                                          \
    }

OPERATOR_NEW(_Znwm)
OPERATOR_NEW(_Znam)
OPERATOR_NEW_NOTHROW(_ZnwmRKSt9nothrow_t)
OPERATOR_NEW_NOTHROW(_ZnamRKSt9nothrow_t)
OPERATOR_NEW_ALIGNED(_ZnwmSt11align_val_t)
OPERATOR_NEW_ALIGNED(_ZnamSt11align_val_t)
OPERATOR_NEW_ALIGNED_NOTHROW(_ZnwmSt11align_val_tRKSt9nothrow_t)
OPERATOR_NEW_ALIGNED_NOTHROW(_ZnamSt11align_val_tRKSt9nothrow_t)

OPERATOR_DELETE(_ZdlPv, (void *memory), (memory))
OPERATOR_DELETE(_ZdaPv, (void *memory), (memory))
OPERATOR_DELETE(_ZdlPvm, (void *memory, size_t bytes), (memory, bytes))
OPERATOR_DELETE(_ZdaPvm, (void *memory, size_t bytes), (memory, bytes))
OPERATOR_DELETE(_ZdlPvRKSt9nothrow_t, (void *memory, const struct nothrow *tag), (memory, tag))
OPERATOR_DELETE(_ZdaPvRKSt9nothrow_t, (void *memory, const struct nothrow *tag), (memory, tag))
OPERATOR_DELETE(_ZdlPvSt11align_val_t, (void *memory, size_t align), (memory, align))
OPERATOR_DELETE(_ZdaPvSt11align_val_t, (void *memory, size_t align), (memory, align))
OPERATOR_DELETE(_ZdlPvmSt11align_val_t, (void *memory, size_t bytes, size_t align),
                (memory, bytes, align))
OPERATOR_DELETE(_ZdaPvmSt11align_val_t, (void *memory, size_t bytes, size_t align),
                (memory, bytes, align))
OPERATOR_DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t,
                (void *memory, size_t align, const struct nothrow *tag), (memory, align, tag))
OPERATOR_DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t,
                (void *memory, size_t align, const struct nothrow *tag), (memory, align, tag))
