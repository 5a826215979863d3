/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel null-region: a parallel region in which the threads do nothing but meet at the team's
 * barrier `phases` times. With 0 phases it is what fork and join cost, with many what a phase does.
 * Metrics are per phase where there are any (the join is one phase more), else per region.
 */
#include <errno.h>

#include "faultline/kernel.h"

/* What one thread saw of the phases in a check; alone on its lines. */
struct seen {
    _Alignas(128) uint64_t phases;
    uint64_t early; /* phases that it left before another had arrived */
};

struct state {
    const struct fl_team *team;
    uint64_t phases;
    struct seen *seen;
};

static const struct fl_factor phases_factor = {
    .name = "phases",
    .summary = "how often the threads meet in one region, beside the join",
    .type = FL_FACTOR_INT,
    .fallback = "0",
    .min = 0,
    .max = 1000000,
};

static const struct fl_factor *const factors[] = {&phases_factor, NULL};

static int cost(const struct fl_cell *cell, struct fl_cost *out, struct fl_err *err)
{
    (void)cell, (void)err;
    *out = (struct fl_cost){0, 0};
    return 0;
}

static int open(void *state, const struct fl_kernel_env *env, struct fl_err *err)
{
    struct state *s = state;
    s->team = env->team;
    s->phases = (uint64_t)fl_cell_number(env->cell, "phases", 0);
    s->seen = fl_arena_alloc(env->arena, env->team->threads * sizeof *s->seen, 128);
    return s->seen ? 0 : fl_fail(err, -ENOMEM, "no memory for %u threads", env->team->threads);
}

static uint64_t calls(const void *state)
{
    const struct state *s = state;
    return s->phases ? s->phases : 1;
}

static int meet(void *arg, unsigned thread)
{
    const struct state *s = arg;
    for (uint64_t i = 0; i < s->phases; i++)
        fl_team_barrier(s->team, thread);
    return 0;
}

static int run(void *state, const struct fl_workspace *workspace)
{
    struct state *s = state;
    (void)workspace;
    return fl_team_run(s->team, meet, s);
}

/* Two barriers around each look: between them nobody counts. */
static int meet_and_look(void *arg, unsigned thread)
{
    struct state *s = arg;
    struct seen *mine = &s->seen[thread];
    *mine = (struct seen){.phases = 0};
    for (uint64_t i = 1; i <= 3; i++) {
        mine->phases = i;
        fl_team_barrier(s->team, thread);
        for (unsigned other = 0; other < s->team->threads; other++)
            mine->early += s->seen[other].phases != i;
        fl_team_barrier(s->team, thread);
    }
    return 0;
}

static int check(void *state, const struct fl_workspace *workspace, struct fl_err *err)
{
    struct state *s = state;
    (void)workspace;
    int rc = fl_team_run(s->team, meet_and_look, s);
    if (rc)
        return rc;
    for (unsigned i = 0; i < s->team->threads; i++)
        if (s->seen[i].phases != 3 || s->seen[i].early)
            return fl_fail(err, -EBADMSG,
                           "thread %u of %u passed %llu phases of 3, and found others missing %llu "
                           "times",
                           i, s->team->threads, (unsigned long long)s->seen[i].phases,
                           (unsigned long long)s->seen[i].early);
    return 0;
}

static void close(void *state)
{
    (void)state;
}

const struct fl_kernel_ops fl_kernel_null_region = {
    .part =
        {
            .name = "null-region",
            .summary = "an empty parallel region, with as many barriers in it as asked for",
            .abi = FL_PART_ABI,
            .state_size = sizeof(struct state),
        },
    .factors = factors,
    .uses = FL_USES_TEAM,
    .cost = cost,
    .open = open,
    .calls = calls,
    .run = run,
    .check = check,
    .close = close,
};
