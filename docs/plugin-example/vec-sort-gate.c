/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vec_sort() with scratch memory from faultline's workspace, so that `workspace` is a factor: does
 * it pay to keep the memory from call to call? A team of threads is used in the same way: see
 * docs/plugins.md.
 */
#include <faultline/plugin.h>
#include <string.h>

#include "vec.h"

struct state {
    size_t n;
    double *in, *x;
    struct fl_request scratch;
};

static const struct fl_factor n_factor = FL_SIZE_FACTOR("n", "numbers to sort", 1, 1 << 24);
static const struct fl_factor *const factors[] = {&n_factor, NULL};

static int open(void *state, const struct fl_kernel_env *env, struct fl_err *err)
{
    struct state *s = state;
    uint64_t random = env->seed | 1;
    s->n = (size_t)fl_cell_number(env->cell, "n", 1);
    s->scratch = (struct fl_request){s->n * sizeof *s->x, sizeof *s->x};
    s->in = fl_arena_alloc(env->arena, 2 * s->n * sizeof *s->x, 64);
    if (!s->in)
        return fl_fail(err, -ENOMEM, "cannot allocate two vectors of %zu", s->n);
    s->x = s->in + s->n;
    for (size_t i = 0; i < s->n; i++)
        s->in[i] = (double)((random = random * 6364136223846793005u + 1) >> 40);
    return 0;
}

static size_t requests(const void *state, struct fl_request out[FL_REQUESTS_MAX])
{
    const struct state *s = state;
    out[0] = s->scratch;
    return 1;
}

static int sort(void *arg, void *const *memory)
{
    struct state *s = arg;
    memcpy(s->x, s->in, s->n * sizeof *s->x);
    vec_sort(s->n, s->x, memory[0]);
    return 0;
}

static int run(void *state, const struct fl_workspace *workspace)
{
    struct state *s = state;
    return fl_workspace_with(workspace, &s->scratch, 1, sort, s);
}

static int check(void *state, const struct fl_workspace *workspace, struct fl_err *err)
{
    struct state *s = state;
    int rc = run(s, workspace);
    if (rc)
        return fl_fail(err, rc, "cannot make the call that is checked: no workspace");
    for (size_t i = 1; i < s->n; i++)
        if (s->x[i - 1] > s->x[i])
            return fl_fail(err, -EBADMSG, "number %zu is out of order", i);
    return 0;
}

static const struct fl_kernel_ops kernel = {
    .part =
        {
            .name = "vec-sort",
            .summary = "sorts numbers with scratch memory",
            .abi = FL_PART_ABI,
            .state_size = sizeof(struct state),
        },
    .factors = factors,
    .uses = FL_USES_WORKSPACE,
    .cost = fl_kernel_no_cost,
    .open = open,
    .requests = requests,
    .run = run,
    .check = check,
    .close = fl_kernel_no_close,
};

FL_PLUGIN(&kernel);
