/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slots that the product kernels share.
 *
 * With several threads one run is a region in which each makes one call, on operands of its own: as
 * many callers at once as there are threads. With one there is no region.
 *
 * One call makes two requests at once, A's packing buffer before B's, so that a workspace which
 * frees in reverse order frees B first, as Eigen does.
 */
#include "product-kernel.h"

#include <errno.h>

#include "gebp.h"
#include "region.h"
#include "verify.h"

static int body_f64(void *arg, void *const *buffers)
{
    const struct fl_product_state *s = arg;

    fl_gebp_f64(&s->product, s->micro, buffers);
    return 0;
}

static int body_f32(void *arg, void *const *buffers)
{
    const struct fl_product_state *s = arg;

    fl_gebp_f32(&s->product, s->micro, buffers);
    return 0;
}

static void choose_micro(struct fl_product_state *s, bool single, struct fl_blocking_input *input)
{
    if (single) {
        const struct fl_micro_f32 *micro = fl_micro_f32(s->isa);

        input->lanes = micro->lanes, input->mr = micro->mr, input->nr = micro->nr;
        s->micro = micro;
        s->body = body_f32;
    } else {
        const struct fl_micro_f64 *micro = fl_micro_f64(s->isa);

        input->lanes = micro->lanes, input->mr = micro->mr, input->nr = micro->nr;
        s->micro = micro;
        s->body = body_f64;
    }
}

int fl_product_resolve(struct fl_product_state *s, bool single, const struct fl_kernel_env *env,
                       struct fl_err *err)
{
    struct fl_product *p = &s->product;
    struct fl_blocking_input input = {
        .m = p->m,
        .n = p->n,
        .k = p->k,
        .syrk = p->syrk,
        .scalar = single ? sizeof(float) : sizeof(double),
        .l1 = env->cache_bytes[1],
        .l2 = env->cache_bytes[2],
    };
    int rc = fl_isa_choose(fl_cell_get(env->cell, "isa"), &s->isa, err);

    if (rc)
        return rc;
    s->scalar = single ? &fl_scalar_f32 : &fl_scalar_f64;
    choose_micro(s, single, &input);
    rc = fl_blocking_resolve(fl_cell_get(env->cell, "blocking"), &input, &p->blocking, err);
    if (rc)
        return rc;
    const size_t a = fl_product_packed_a(p) * s->scalar->bytes;
    const size_t b = fl_product_packed_b(p) * s->scalar->bytes;

    s->requests[0] = (struct fl_request){a, p->blocking.align};
    s->requests[1] = (struct fl_request){b, p->blocking.align};
    rc = fl_facts_set(env->facts, "isa", "%s", fl_isa_name(s->isa));
    if (!rc)
        rc = fl_facts_set(env->facts, "blocking", "%zux%zux%zu", p->blocking.kc, p->blocking.mc,
                          p->syrk ? p->n : p->blocking.nc);
    return rc ? rc : fl_facts_set(env->facts, "workspace-bytes", "%zu", a + b);
}

static struct fl_verify verify_of(const struct fl_product_state *s)
{
    const struct fl_blocking *b = &s->product.blocking;

    return (struct fl_verify){
        .product = &s->product,
        .scalar = s->scalar,
        .seed = s->seed,
        .roundings = (s->product.k + b->kc - 1) / b->kc,
    };
}

int fl_product_allocate(struct fl_product *p, const struct fl_scalar *scalar,
                        struct fl_arena *arena, struct fl_err *err)
{
    const size_t bytes = scalar->bytes;
    const size_t in_a = p->lda * (p->trans_a ? p->m : p->k);
    const size_t in_b = p->ldb * (p->trans_b ? p->k : p->n);

    p->a = fl_arena_alloc(arena, in_a * bytes, 64);
    p->b = p->syrk ? p->a : fl_arena_alloc(arena, in_b * bytes, 64);
    p->c = fl_arena_alloc(arena, p->ldc * p->n * bytes, 64);
    if (!p->a || !p->b || !p->c)
        return fl_fail(err, -ENOMEM, "cannot allocate operands of %.0f MiB: out of memory",
                       (double)(in_a + (p->syrk ? 0 : in_b) + p->ldc * p->n) * (double)bytes /
                           1048576);
    return 0;
}

static void fill(const struct fl_product_state *s)
{
    const struct fl_verify verify = verify_of(s);

    fl_verify_fill(&verify);
}

/* Operands and seeds of the other callers: results of two differ, so that each is told apart. */
static int open_members(struct fl_product_state *s, struct fl_err *err)
{
    const unsigned threads = fl_region_threads(s->team);

    if (threads == 1)
        return 0;
    s->members = fl_arena_alloc(s->arena, threads * sizeof(*s->members), 64);
    if (!s->members)
        return fl_fail(err, -ENOMEM, "cannot open %u callers: out of memory", threads);
    s->members[0] = *s;
    for (unsigned t = 1; t < threads; t++) {
        struct fl_product_state *member = &s->members[t];

        *member = *s;
        member->seed = s->seed + ((uint64_t)t << 32);
        int rc = fl_product_allocate(&member->product, s->scalar, s->arena, err);
        if (rc)
            return fl_fail_within(err, rc, "caller %u of %u", t + 1, threads);
        fill(member);
    }
    return 0;
}

int fl_product_open(const struct fl_product_kind *kind, struct fl_product_state *state,
                    const struct fl_kernel_env *env, struct fl_err *err)
{
    int rc = fl_product_read(kind, env->cell, &state->product, err);

    state->seed = env->seed;
    state->arena = env->arena;
    state->team = env->team;
    if (!rc)
        rc = fl_product_resolve(state, kind->single, env, err);
    if (!rc)
        rc = fl_product_allocate(&state->product, state->scalar, env->arena, err);
    if (rc)
        return rc;
    fill(state);
    return open_members(state, err);
}

uint64_t fl_product_calls(const void *state)
{
    const struct fl_product_state *s = state;

    return s->members ? s->team->threads : 1;
}

size_t fl_product_requests(const void *state, struct fl_request requests[FL_REQUESTS_MAX])
{
    const struct fl_product_state *s = state;

    requests[0] = s->requests[0];
    requests[1] = s->requests[1];
    return 2;
}

int fl_product_call(const struct fl_product_state *state, const struct fl_workspace *workspace)
{
    return fl_workspace_with(workspace, state->requests, 2, state->body, (void *)(uintptr_t)state);
}

/* What a region is handed. */
struct region {
    const struct fl_product_state *members;
    const struct fl_workspace *workspace;
};

static int part(void *arg, unsigned thread)
{
    const struct region *region = arg;

    return fl_product_call(&region->members[thread], region->workspace);
}

int fl_product_run(void *state, const struct fl_workspace *workspace)
{
    const struct fl_product_state *s = state;
    struct region region = {s->members, workspace};

    return s->members ? fl_team_run(s->team, part, &region) : fl_product_call(s, workspace);
}

int fl_product_check(void *state, const struct fl_workspace *workspace, struct fl_err *err)
{
    struct fl_product_state *s = state;
    const size_t count = (size_t)fl_product_calls(s);
    const struct fl_verify_run all = {
        .products = fl_arena_alloc(s->arena, count * sizeof(struct fl_verify), sizeof(double)),
        .count = count,
        .arena = s->arena,
        .run = fl_product_run,
        .state = s,
    };

    if (!all.products)
        return fl_fail(err, -ENOMEM, "cannot check the product: out of memory");
    for (size_t i = 0; i < count; i++)
        all.products[i] = verify_of(s->members ? &s->members[i] : s);
    return fl_verify_run(&all, workspace, err);
}

/* The arena belongs to the harness. */
void fl_product_close(void *state)
{
    (void)state;
}
