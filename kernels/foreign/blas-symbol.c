/* SPDX-License-Identifier: Apache-2.0 */
/* Spellings of BLAS symbols, and the calls through them. */
#include "blas-symbol.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "a 32-bit integer must lie at the address of a 64-bit one");
_Static_assert(sizeof(fl_blas_fn) == sizeof(void *), "dlsym() returns functions as data");

static const char *const narrow[] = {"_", "", NULL};
static const char *const wide[] = {"_64_", "64_", "_64", "64", NULL};

static bool listed(const char *const *suffixes, const char *suffix)
{
    for (; *suffixes; suffixes++)
        if (!strcmp(*suffixes, suffix))
            return true;
    return false;
}

static void add(struct fl_blas_symbol *symbol, const char *suffix)
{
    char *out = symbol->spellings[symbol->count++];
    size_t letters = strlen(symbol->base);
    memcpy(out, symbol->base, letters);
    snprintf(out + letters, FL_BLAS_NAME_MAX - letters, "%s", suffix);
}

int fl_blas_symbol_read(const char *level, struct fl_blas_symbol *symbol, struct fl_err *err)
{
    const char *name = strncmp(level, "blas:", 5) ? level : level + 5;
    size_t letters = strspn(name, "abcdefghijklmnopqrstuvwxyz");
    const char *written = name == level ? "_" : name + letters; /* ours are named without suffix */
    if (!letters || letters + sizeof "_64_" > FL_BLAS_NAME_MAX ||
        (!listed(narrow, written) && !listed(wide, written)))
        return fl_fail(err, -EINVAL,
                       "'%.80s' is no BLAS symbol: a name such as dgemm_, or dgemm_64_ for 64-bit "
                       "integers, is accepted",
                       name);
    memset(symbol, 0, sizeof *symbol);
    memcpy(symbol->base, name, letters);
    symbol->wide = listed(wide, written);
    add(symbol, written);
    for (const char *const *s = symbol->wide ? wide : narrow; *s; s++)
        if (strcmp(*s, written) != 0)
            add(symbol, *s);
    return 0;
}

/* dlsym() gives functions as data pointers, which ISO C cannot convert. */
static fl_blas_fn look_up(void *handle, const char *name)
{
    void *address = dlsym(handle, name);
    fl_blas_fn function;
    memcpy(&function, &address, sizeof function);
    return function;
}

/* A spelling of the other integer width that the library does have, or NULL. */
static const char *other_width(void *handle, const struct fl_blas_symbol *symbol,
                               char name[FL_BLAS_NAME_MAX])
{
    for (const char *const *s = symbol->wide ? narrow : wide; *s; s++) {
        snprintf(name, FL_BLAS_NAME_MAX, "%s%s", symbol->base, *s);
        if (look_up(handle, name))
            return name;
    }
    return NULL;
}

int fl_blas_symbol_find(void *handle, const struct fl_blas_symbol *symbol, fl_blas_fn *function,
                        const char **spelling, struct fl_err *err)
{
    char tried[FL_BLAS_SPELLINGS * (FL_BLAS_NAME_MAX + 2)] = "", other[FL_BLAS_NAME_MAX];
    for (size_t i = 0; i < symbol->count; i++) {
        *spelling = symbol->spellings[i];
        *function = look_up(handle, *spelling);
        if (*function)
            return 0;
        size_t used = strlen(tried);
        snprintf(tried + used, sizeof tried - used, "%s%s", i ? ", " : "", *spelling);
    }
    const char *has = other_width(handle, symbol, other);
    return fl_fail(err, -ENOENT, "it has no symbol %s%s%s%s", tried,
                   has ? "; its integers have another width: use kernel=blas:" : "", has ? has : "",
                   has ? "" : "; `nm -D` lists what it has");
}

typedef void (*gemm_fn)(const char *trans_a, const char *trans_b, const int64_t *m,
                        const int64_t *n, const int64_t *k, const void *alpha, const void *a,
                        const int64_t *lda, const void *b, const int64_t *ldb, const void *beta,
                        void *c, const int64_t *ldc, size_t trans_a_length, size_t trans_b_length);

typedef void (*syrk_fn)(const char *uplo, const char *trans, const int64_t *n, const int64_t *k,
                        const void *alpha, const void *a, const int64_t *lda, const void *beta,
                        void *c, const int64_t *ldc, size_t uplo_length, size_t trans_length);

void fl_blas_gemm(const struct fl_blas_call *call)
{
    ((gemm_fn)call->function)(&call->trans_a, &call->trans_b, &call->m, &call->n, &call->k,
                              call->alpha, call->a, &call->lda, call->b, &call->ldb, call->beta,
                              call->c, &call->ldc, 1, 1);
}

void fl_blas_syrk(const struct fl_blas_call *call)
{
    ((syrk_fn)call->function)(&call->uplo, &call->trans_a, &call->n, &call->k, call->alpha, call->a,
                              &call->lda, call->beta, call->c, &call->ldc, 1, 1);
}
