/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Foreign kernels: loading, checking and calling.
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
#include "foreign.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "../verify.h"

static int read_cell(bool syrk, const struct fl_cell *cell, struct fl_blas_symbol *symbol,
                     struct fl_product_kind *kind, struct fl_err *err)
{
    int rc = fl_blas_symbol_read(fl_cell_get(cell, "kernel"), symbol, err);
    if (rc)
        return rc;
    if (symbol->base[0] != 'd' && symbol->base[0] != 's')
        return fl_fail(err, -EINVAL, "cannot call '%s': only the types d and s are supported",
                       symbol->base);
    *kind = (struct fl_product_kind){.syrk = syrk, .single = symbol->base[0] == 's'};
    return 0;
}

int fl_foreign_cost(bool syrk, const struct fl_cell *cell, struct fl_cost *cost, struct fl_err *err)
{
    struct fl_blas_symbol symbol;
    struct fl_product_kind kind;
    int rc = read_cell(syrk, cell, &symbol, &kind, err);
    return rc ? rc : fl_product_cost(&kind, cell, cost, err);
}

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
                       const struct fl_blas_symbol *symbol, struct fl_foreign_state *state,
                       struct fl_err *err)
{
    const char *spelling;
    int rc = fl_blas_symbol_find(handle, symbol, &state->call.function, &spelling, err);
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

static int bind(const struct fl_kernel_env *env, const struct fl_blas_symbol *symbol,
                struct fl_foreign_state *state, struct fl_err *err)
{
    void *handle = NULL;
    struct fl_identity identity;
    int rc = load(env, &handle, err);
    if (!rc)
        rc = find_symbol(env, handle, symbol, state, err);
    if (rc)
        return rc;
    fl_identify(handle, &identity);
    rc = fl_identity_record(handle, &identity, env->facts);
    return rc ? rc : check_core(env, &identity, err);
}

/* A scale factor in the type of the operands, at an address that stays. */
static const void *scale(const struct fl_foreign_state *state, double value, double *place)
{
    float narrow = (float)value;
    if (state->scalar->bytes == sizeof narrow)
        memcpy(place, &narrow, sizeof narrow);
    else
        *place = value;
    return place;
}

static void set_arguments(struct fl_foreign_state *state)
{
    const struct fl_product *p = &state->product;
    struct fl_blas_call *call = &state->call;
    call->trans_a = p->trans_a ? 'T' : 'N';
    call->trans_b = p->trans_b ? 'T' : 'N';
    call->uplo = p->lower ? 'L' : 'U';
    call->m = (int64_t)p->m;
    call->n = (int64_t)p->n;
    call->k = (int64_t)p->k;
    call->lda = (int64_t)p->lda;
    call->ldb = (int64_t)p->ldb;
    call->ldc = (int64_t)p->ldc;
    call->alpha = scale(state, p->alpha, &state->alpha);
    call->beta = scale(state, p->beta, &state->beta);
    call->a = p->a;
    call->b = p->b;
    call->c = p->c;
    state->run = p->syrk ? fl_blas_syrk : fl_blas_gemm;
}

/* How often a library rounds an element of C is its secret: no more than once for each product. */
static struct fl_verify verify_of(const struct fl_foreign_state *state)
{
    return (struct fl_verify){.product = &state->product,
                              .scalar = state->scalar,
                              .seed = state->seed,
                              .roundings = state->product.k};
}

int fl_foreign_open(bool syrk, struct fl_foreign_state *state, const struct fl_kernel_env *env,
                    struct fl_err *err)
{
    struct fl_blas_symbol symbol;
    struct fl_product_kind kind;
    int rc = read_cell(syrk, env->cell, &symbol, &kind, err);
    if (!rc)
        rc = fl_product_read(&kind, env->cell, &state->product, err);
    if (!rc)
        rc = bind(env, &symbol, state, err);
    if (rc)
        return rc;
    state->scalar = kind.single ? &fl_scalar_f32 : &fl_scalar_f64;
    state->arena = env->arena;
    state->seed = env->seed;
    rc = fl_product_allocate(&state->product, state->scalar, env->arena, err);
    if (rc)
        return rc;
    set_arguments(state);
    const struct fl_verify verify = verify_of(state);
    fl_verify_fill(&verify);
    return 0;
}

int fl_foreign_run(void *state, const struct fl_workspace *workspace)
{
    const struct fl_foreign_state *s = state;
    (void)workspace;
    s->run(&s->call);
    return 0;
}

int fl_foreign_check(void *state, const struct fl_workspace *workspace, struct fl_err *err)
{
    struct fl_foreign_state *s = state;
    struct fl_verify verify = verify_of(s);
    (void)workspace;
    verify.vectors =
        fl_arena_alloc(s->arena, fl_verify_vectors(&s->product) * sizeof(double), sizeof(double));
    if (!verify.vectors)
        return fl_fail(err, -ENOMEM, "cannot check the product: out of memory");
    fl_verify_prepare(&verify);
    s->run(&s->call);
    return fl_verify(&verify, err);
}

/* The arena belongs to the harness, and the library stays. */
void fl_foreign_close(void *state)
{
    (void)state;
}
