/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Team `template`: threads that wait on one word for a region, the least that a team does.
 *
 * To add a kind of team: copy this file, replace `template` by its name throughout, and add
 * `fl_add_part(team NAME FILE.c)` to CMakeLists.txt. Nothing else names it. The symbol is
 * fl_team_NAME. The barrier and the wait policy are open when open() is called.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "team-region.h"

struct member {
    _Alignas(128) struct state *state;
    unsigned thread;
    pthread_t id;
};

/* Private state, zeroed before open(); no other mutable data belongs in a team. */
struct state {
    struct fl_wait_word go; /* number of the region */
    fl_region_fn body;      /* NULL: end */
    void *arg;
    struct fl_team *team;
    struct member *members;
    unsigned started; /* threads that run, the caller included */
    _Atomic int failed;
};

static struct fl_wait_stat *stat_of(const struct state *s, unsigned thread)
{
    return s->team->stats ? &s->team->stats[thread].wait : NULL;
}

static void *serve(void *arg)
{
    struct member *me = arg;
    struct state *s = me->state;
    for (uint32_t region = 0;; region++) {
        fl_wait_until(&s->team->wait, &s->go, region, stat_of(s, me->thread));
        if (!s->body)
            return NULL;
        fl_team_take_part(s->team, me->thread, s->body, s->arg, &s->failed);
    }
}

/* What is written before the word changes is seen by all who see it changed. */
static void go(struct state *s, fl_region_fn body, void *arg)
{
    s->body = body;
    s->arg = arg;
    fl_wait_set(&s->team->wait, &s->go, atomic_load(&s->go.value) + 1, stat_of(s, 0));
}

/* Required. Ends what open() started, and what it started before it failed. */
static void close(void *state)
{
    struct state *s = state;
    go(s, NULL, NULL);
    for (unsigned i = 1; i < s->started; i++)
        pthread_join(s->members[i].id, NULL);
}

/* Required. Threads that cannot be had are refused here, not in the first region. */
static int open(void *state, struct fl_team *team, const struct fl_team_plan *plan,
                struct fl_err *err)
{
    struct state *s = state;
    s->team = team;
    if (plan->cpus || plan->wait->runtime)
        return fl_fail(err, -ENOTSUP, "team 'template' takes pin=none and a wait policy of ours");
    s->members = fl_arena_alloc(plan->arena, plan->threads * sizeof *s->members, 128);
    if (!s->members)
        return fl_fail(err, -ENOMEM, "no memory for a team of %u threads", plan->threads);
    for (s->started = 1; s->started < plan->threads; s->started++) {
        struct member *member = &s->members[s->started];
        member->state = s;
        member->thread = s->started;
        int rc = pthread_create(&member->id, NULL, serve, member);
        if (!rc)
            continue;
        close(s);
        return fl_fail(err, -rc, "cannot create thread %u: %s", s->started, strerror(rc));
    }
    return 0;
}

/* Required. Every thread executes the body once, the caller being thread 0, and the last phase of
 * the barrier brings all back. */
static int run(void *state, fl_region_fn body, void *arg)
{
    struct state *s = state;
    go(s, body, arg);
    fl_team_take_part(s->team, 0, body, arg, &s->failed);
    return fl_team_take_failure(&s->failed);
}

const struct fl_team_ops fl_team_template = {
    .part =
        {
            .name = "template",
            .summary = "threads that wait on one word for a region",
            .abi = FL_PART_ABI,
            .state_size = sizeof(struct state),
        },
    .open = open,
    .run = run,
    .close = close,
};
