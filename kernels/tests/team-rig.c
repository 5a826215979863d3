/* SPDX-License-Identifier: Apache-2.0 */
/* Regions on threads that live no longer. */
#include "team-rig.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "faultline/registry.h"

struct member {
    pthread_t handle;
    fl_region_fn body;
    void *arg;
    unsigned thread;
    int rc;
};

static void *live(void *arg)
{
    struct member *member = arg;

    member->rc = member->body(member->arg, member->thread);
    return NULL;
}

static int run(void *state, fl_region_fn body, void *arg)
{
    struct team_rig *rig = state;
    struct member members[FL_TEAM_THREADS_MAX];
    int rc = 0;

    rig->regions++;
    members[0] = (struct member){.body = body, .arg = arg};
    for (unsigned t = 1; t < rig->team.threads; t++) {
        members[t] = (struct member){.body = body, .arg = arg, .thread = t};
        if (pthread_create(&members[t].handle, NULL, live, &members[t]))
            fail_msg("cannot create thread %u", t);
    }
    live(&members[0]);
    for (unsigned t = 1; t < rig->team.threads; t++)
        pthread_join(members[t].handle, NULL);
    for (unsigned t = 0; t < rig->team.threads; t++)
        rc = rc ? rc : members[t].rc;
    return rc;
}

static const struct fl_team_ops ops = {
    .part = {.name = "rig", .summary = "threads for one region", .abi = FL_PART_ABI},
    .run = run,
};

void team_rig_open(struct team_rig *rig, unsigned threads)
{
    struct fl_team *team = &rig->team;
    struct fl_err err = {""};

    memset(rig, 0, sizeof *rig);
    team->ops = &ops;
    team->state = rig;
    team->threads = threads;
    const struct fl_barrier_team members = {.threads = threads, .arena = &rig->arena};
    if (fl_wait_open(&team->wait, fl_registry_wait("spin-yield"), "", &rig->arena, &err) ||
        fl_barrier_open(&team->barrier, fl_registry_barrier("central"), "", &members, &team->wait,
                        &err))
        fail_msg("%s", err.text);
}

void team_rig_close(struct team_rig *rig)
{
    fl_barrier_close(&rig->team.barrier);
    fl_wait_close(&rig->team.wait);
    fl_arena_release(&rig->arena);
}
