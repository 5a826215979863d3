/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel `template`: doubles a vector by way of scratch memory.
 *
 * To add a kernel of your own: copy this file, replace `template` by its name throughout, and add
 * `fl_add_part(kernel NAME FILE.c)` to CMakeLists.txt. Nothing else names it. The symbol is
 * fl_kernel_NAME.
 *
 * Outside this tree it is a plug-in: include faultline/plugin.h instead and end with the line
 * `FL_PLUGIN(&fl_kernel_template);` (docs/plugins.md).
 */
#include <errno.h>
#include <string.h>

#include "faultline/kernel.h"

/* Private state, zeroed before open(); no other mutable data belongs in a kernel. */
struct state {
    size_t n;
    double *in, *out;
    struct fl_request request;
};

/* Optional. What a scenario can vary; the list is NULL-terminated and in key order. A factor
 * without a fallback must be named in every cell. */
static const struct fl_factor n_factor = {
    .name = "n",
    .summary = "length of the vector",
    .type = FL_FACTOR_INT,
    .min = 1,
    .max = 1 << 24,
};
static const struct fl_factor *const factors[] = {&n_factor, NULL};

/* Optional. 0, or -ENOTSUP with the reason why this kernel cannot run on this machine. Cheap and
 * without side effects. Leave it out where it runs everywhere. */
static int probe(struct fl_err *why)
{
    return sizeof(void *) >= 8 ? 0 : fl_fail(why, -ENOTSUP, "needs a 64-bit process");
}

/* Required. Work of one call, from the cell alone: called before anything is measured. -EINVAL
 * where levels contradict each other. */
static int cost(const struct fl_cell *cell, struct fl_cost *out, struct fl_err *err)
{
    const double n = fl_cell_number(cell, "n", 1);

    (void)err;
    *out = (struct fl_cost){.flops = n, .bytes = 2 * n * sizeof(double)};
    return 0;
}

/* Required. Operands come from the arena, never from malloc: the smallest block could move the heap
 * that is being measured. Resolved values go to env->facts. */
static int open(void *state, const struct fl_kernel_env *env, struct fl_err *err)
{
    struct state *s = state;

    s->n = (size_t)fl_cell_number(env->cell, "n", 1);
    s->request = (struct fl_request){s->n * sizeof(double), sizeof(double)};
    s->in = fl_arena_alloc(env->arena, s->request.bytes, 64);
    s->out = fl_arena_alloc(env->arena, s->request.bytes, 64);
    if (!s->in || !s->out)
        return fl_fail(err, -ENOMEM, "cannot allocate vectors of %zu bytes: out of memory",
                       s->request.bytes);
    for (size_t i = 0; i < s->n; i++)
        s->in[i] = (double)(env->seed % 97 + i);
    return fl_facts_set(env->facts, "workspace-bytes", "%zu", s->request.bytes);
}

/* Required with FL_USES_WORKSPACE. The largest requests that run() will make. */
static size_t requests(const void *state, struct fl_request out[FL_REQUESTS_MAX])
{
    const struct state *s = state;

    out[0] = s->request;
    return 1;
}

/* The call itself, once the workspace has handed out its memory. */
static int body(void *arg, void *const *pointers)
{
    const struct state *s = arg;

    memcpy(pointers[0], s->in, s->request.bytes);
    for (size_t i = 0; i < s->n; i++)
        s->out[i] = 2 * ((double *)pointers[0])[i];
    return 0;
}

/* Required. One call: the only slot that is measured. No allocation, no output. */
static int run(void *state, const struct fl_workspace *workspace)
{
    struct state *s = state;

    return fl_workspace_with(workspace, &s->request, 1, body, s);
}

/* Required. One more call on fresh operands, compared with a reference; cheap, since every sample
 * pays for it. */
static int check(void *state, const struct fl_workspace *workspace, struct fl_err *err)
{
    struct state *s = state;
    int rc;

    for (size_t i = 0; i < s->n; i++)
        s->out[i] = -1;
    rc = run(s, workspace);
    if (rc)
        return fl_fail(err, rc, "cannot make the call that is checked: no workspace");
    for (size_t i = 0; i < s->n; i++)
        if (s->out[i] != 2 * s->in[i])
            return fl_fail(err, -EBADMSG, "element %zu is %g, want %g", i, s->out[i], 2 * s->in[i]);
    return 0;
}

/* Required. What open() took from elsewhere than the arena is given back here. */
static void close(void *state)
{
    (void)state;
}

const struct fl_kernel_ops fl_kernel_template = {
    .part =
        {
            .name = "template",
            .summary = "doubles a vector by way of scratch memory",
            .abi = FL_PART_ABI,
            .state_size = sizeof(struct state),
            .probe = probe,
        },
    .factors = factors,
    .uses = FL_USES_WORKSPACE,
    .cost = cost,
    .open = open,
    .requests = requests,
    .run = run,
    .check = check,
    .close = close,
};
