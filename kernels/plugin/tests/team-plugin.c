/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in whose kernel shares its call out to the team that it is handed. */
#include "faultline/plugin.h"

struct state {
    const struct fl_team *team;
    size_t n;
    double *in, *parts, sum;
};

static const struct fl_factor n_factor = FL_SIZE_FACTOR("n", "numbers to add", 1, 1 << 20);
static const struct fl_factor *const factors[] = {&n_factor, NULL};

static int open_sum(void *state, const struct fl_kernel_env *env, struct fl_err *err)
{
    struct state *s = state;
    s->team = env->team;
    s->n = (size_t)fl_cell_number(env->cell, "n", 1);
    s->in = fl_arena_alloc(env->arena, s->n * sizeof *s->in, 64);
    s->parts = fl_arena_alloc(env->arena, env->team->threads * sizeof *s->parts, 64);
    if (!s->in || !s->parts)
        return fl_fail(err, -ENOMEM, "cannot allocate %zu numbers", s->n);
    for (size_t i = 0; i < s->n; i++)
        s->in[i] = (double)i;
    return 0;
}

static int add_part(void *arg, unsigned thread)
{
    struct state *s = arg;
    size_t begin, end;
    double sum = 0;
    fl_team_split(s->n, thread, s->team->threads, &begin, &end);
    for (size_t i = begin; i < end; i++)
        sum += s->in[i];
    s->parts[thread] = sum;
    fl_team_barrier(s->team, thread);
    if (thread)
        return 0;
    s->sum = 0;
    for (unsigned t = 0; t < s->team->threads; t++)
        s->sum += s->parts[t];
    return 0;
}

static int run(void *state, const struct fl_workspace *none)
{
    struct state *s = state;
    (void)none;
    return fl_team_run(s->team, add_part, s);
}

static int check(void *state, const struct fl_workspace *none, struct fl_err *err)
{
    struct state *s = state;
    double want = (double)s->n * (double)(s->n - 1) / 2;
    int rc = run(s, none);
    if (!rc && s->sum != want)
        rc = fl_fail(err, -EBADMSG, "the sum is %g, want %g", s->sum, want);
    return rc;
}

static const struct fl_kernel_ops kernel = {
    .part =
        {
            .name = "shared-sum",
            .summary = "adds numbers, each thread a part",
            .abi = FL_PART_ABI,
            .state_size = sizeof(struct state),
        },
    .factors = factors,
    .uses = FL_USES_TEAM,
    .cost = fl_kernel_no_cost,
    .open = open_sum,
    .run = run,
    .check = check,
    .close = fl_kernel_no_close,
};

FL_PLUGIN(&kernel);
