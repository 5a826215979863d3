/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading a library and finding the cell's symbol in it.
 *
 * RTLD_NOW, so that no symbol is bound in the window. RTLD_LOCAL, since nothing of ours calls BLAS.
 * Not RTLD_DEEPBIND: it would bind the library's malloc and pthread_mutex_lock past a preloaded
 * malloc and past the probe, and measure another library than the one users run. Never unloaded: a
 * library may have threads or exit handlers, and the process ends right after its sample.
 *
 * Cost of opening: milliseconds for OpenBLAS (relocations and its core's tables), less for others;
 * outside the window. The library's own first call may map memory and choose kernels: settling
 * takes that in.
 */
#include "binding.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "identity.h"

/* The worker does not search by itself: reading files would move malloc's thresholds. */
static int load(const struct fl_kernel_env *env, void **handle, struct fl_err *err)
{
    const char *alias = fl_cell_get(env->cell, "library");
    if (!env->library)
        return fl_fail(err, -ENOENT,
                       "cannot open library '%s': its path is not known here; start the worker "
                       "with --library=PATH",
                       alias);
    *handle = dlopen(env->library, RTLD_NOW | RTLD_LOCAL);
    if (*handle)
        return 0;
    int code = strchr(env->library, '/') && access(env->library, R_OK) ? -ENOENT : -ENOTSUP;
    return fl_fail(err, code,
                   "cannot open library '%s' at '%s': %s; install it, or name another with "
                   "--library %s=PATH",
                   alias, env->library, dlerror(), alias);
}

static int find_symbol(const struct fl_kernel_env *env, void *handle,
                       const struct fl_blas_symbol *symbol, fl_blas_fn *function,
                       struct fl_err *err)
{
    const char *spelling;
    int rc = fl_blas_symbol_find(handle, symbol, function, &spelling, err);
    if (rc)
        return fl_fail_within(err, rc, "cannot call '%s' of library '%s' ('%s')", symbol->base,
                              fl_cell_get(env->cell, "library"), env->library);
    return fl_facts_set(env->facts, "library-symbol", "%s", spelling);
}

/* Whether the library runs on the instruction set that the key claims. */
static int check_core(const struct fl_kernel_env *env, const struct fl_identity *identity,
                      struct fl_err *err)
{
    const char *isa = fl_cell_get(env->cell, "isa"), *alias = fl_cell_get(env->cell, "library");
    if (!strcmp(isa, "auto"))
        return 0;
    const char *core = fl_library_core(identity->family, isa);
    if (!core || !identity->core)
        return fl_fail(err, -ENOTSUP,
                       "cannot tell which instruction set library '%s' uses: want isa=auto", alias);
    if (strcasecmp(core, identity->core) != 0)
        return fl_fail(err, -ENOTSUP,
                       "cannot run library '%s' with isa=%s: it chose '%s', not '%s'; its "
                       "environment must be set before it is loaded, and this processor must have "
                       "the instructions",
                       alias, isa, identity->core, core);
    return 0;
}

int fl_foreign_bind(const struct fl_kernel_env *env, const struct fl_blas_symbol *symbol,
                    fl_blas_fn *function, struct fl_err *err)
{
    void *handle = NULL;
    struct fl_identity identity;
    int rc = load(env, &handle, err);
    if (!rc)
        rc = find_symbol(env, handle, symbol, function, err);
    if (rc)
        return rc;
    fl_identify(handle, &identity);
    rc = fl_identity_record(handle, &identity, env->facts);
    return rc ? rc : check_core(env, &identity, err);
}
