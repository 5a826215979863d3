/* SPDX-License-Identifier: Apache-2.0 */
/* The slots that symv and trsv share. */
#include "level2-kernel.h"

#include "../region.h"

const struct fl_factor *const fl_symv_factors[] = {
    &fl_factor_level2_n,
    &fl_factor_level2_uplo,
    &fl_factor_level2_chunks,
    NULL,
};

const struct fl_factor *const fl_trsv_factors[] = {
    &fl_factor_level2_n,    &fl_factor_level2_trans,  &fl_factor_level2_uplo,
    &fl_factor_level2_diag, &fl_factor_level2_chunks, NULL,
};

int fl_level2_kernel_open(const struct fl_level2_kind *kind, struct fl_level2_state *state,
                          const struct fl_kernel_env *env, struct fl_err *err)
{
    int rc = fl_level2_open(kind, &state->operands, env, err);
    if (rc)
        return rc;
    if (kind->solve)
        state->call = kind->single ? fl_trsv_f32 : fl_trsv_f64;
    else
        state->call = kind->single ? fl_symv_f32 : fl_symv_f64;
    const size_t scalars = kind->solve ? state->operands.n : (size_t)FL_SYMV_BLOCK * FL_SYMV_BLOCK;

    state->request = (struct fl_request){scalars * state->operands.scalar->bytes, 64};
    return fl_facts_set(env->facts, "workspace-bytes", "%zu", state->request.bytes);
}

size_t fl_level2_kernel_requests(const void *state, struct fl_request requests[FL_REQUESTS_MAX])
{
    const struct fl_level2_state *s = state;

    requests[0] = s->request;
    return 1;
}

uint64_t fl_level2_kernel_calls(const void *state)
{
    const struct fl_level2_state *s = state;

    return fl_level2_calls(&s->operands);
}

/* One call by one thread. */
struct call {
    const struct fl_level2_state *kernel;
    const void *in;
    void *out;
};

static int body(void *arg, void *const *pointers)
{
    const struct call *call = arg;

    call->kernel->call(&call->kernel->operands, call->in, call->out, pointers[0]);
    return 0;
}

/* What a region is handed. */
struct region {
    const struct fl_level2_state *kernel;
    const struct fl_workspace *workspace;
};

static int part(void *arg, unsigned thread)
{
    const struct region *region = arg;
    const struct fl_level2_state *s = region->kernel;
    struct call call = {s, fl_level2_in(&s->operands, thread), fl_level2_out(&s->operands, thread)};
    int rc = 0;

    for (size_t i = 0; i < s->operands.chunks && !rc; i++)
        rc = fl_workspace_with(region->workspace, &s->request, 1, body, &call);
    return rc;
}

int fl_level2_kernel_run(void *state, const struct fl_workspace *workspace)
{
    const struct fl_level2_state *s = state;
    struct region region = {s, workspace};

    return fl_region(s->operands.team, part, &region);
}

int fl_level2_kernel_check(void *state, const struct fl_workspace *workspace, struct fl_err *err)
{
    struct fl_level2_state *s = state;

    fl_level2_spoil(&s->operands);
    int rc = fl_level2_kernel_run(s, workspace);
    if (rc)
        return fl_fail(err, rc, "cannot make the calls that are checked: no workspace");
    return fl_level2_verify(&s->operands, err);
}

/* The arena belongs to the harness. */
void fl_level2_kernel_close(void *state)
{
    (void)state;
}
