/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slots that the small gemms share.
 *
 * A packed call acquires its two buffers and gives them back once, as a BLAS library's does: under
 * a pool with one lock that is what the threads of a region meet at.
 */
#include "small-tn.h"

#include "../region.h"

const struct fl_factor *const fl_small_tn_factors[] = {
    &fl_factor_chunk_k,
    &fl_factor_chunk_d,
    &fl_factor_chunks,
    &fl_factor_small_path,
    &fl_factor_blocking,
    &fl_factor_isa,
    NULL,
};

int fl_small_tn_open(bool single, struct fl_small_tn *state, const struct fl_kernel_env *env,
                     struct fl_err *err)
{
    int rc = fl_chunks_open(&state->chunks, single, env, err);
    if (rc)
        return rc;
    state->call.product = state->chunks.all;
    state->call.product.n = FL_CHUNK_ROWS;
    rc = fl_product_resolve(&state->call, single, env, err);
    if (rc)
        return rc;
    const bool direct = fl_small_path_taken(fl_cell_get(env->cell, fl_factor_small_path.name),
                                            &state->call.product);

    state->direct = direct ? fl_small_function(state->call.isa, single) : NULL;
    return fl_facts_set(env->facts, "path", "%s", direct ? "without packing" : "packed");
}

size_t fl_small_tn_requests(const void *state, struct fl_request requests[FL_REQUESTS_MAX])
{
    const struct fl_small_tn *s = state;

    return fl_product_requests(&s->call, requests);
}

uint64_t fl_small_tn_calls(const void *state)
{
    const struct fl_small_tn *s = state;

    return s->chunks.count;
}

/* What a region is handed. */
struct region {
    const struct fl_small_tn *kernel;
    const struct fl_workspace *workspace;
};

static int one_call(const struct fl_small_tn *kernel, const struct fl_product_state *call,
                    const struct fl_workspace *workspace)
{
    if (!kernel->direct)
        return fl_product_call(call, workspace);
    kernel->direct(&call->product);
    return 0;
}

static int part(void *arg, unsigned thread)
{
    const struct region *region = arg;
    const struct fl_chunks *chunks = &region->kernel->chunks;
    struct fl_product_state call = region->kernel->call;
    size_t begin, end;
    int rc = 0;

    fl_team_split(chunks->count, thread, fl_region_threads(chunks->team), &begin, &end);
    for (size_t i = begin; i < end && !rc; i++) {
        fl_chunks_at(chunks, i, &call.product.b, &call.product.c);
        rc = one_call(region->kernel, &call, region->workspace);
    }
    return rc;
}

int fl_small_tn_run(void *state, const struct fl_workspace *workspace)
{
    const struct fl_small_tn *s = state;
    struct region region = {s, workspace};

    return fl_region(s->chunks.team, part, &region);
}

int fl_small_tn_check(void *state, const struct fl_workspace *workspace, struct fl_err *err)
{
    struct fl_small_tn *s = state;

    return fl_chunks_check(&s->chunks, fl_small_tn_run, s, workspace, err);
}

/* The arena belongs to the harness. */
void fl_small_tn_close(void *state)
{
    (void)state;
}
