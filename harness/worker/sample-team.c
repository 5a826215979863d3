/* SPDX-License-Identifier: Apache-2.0 */
/* From the cell's levels and the runner's processors to an open team. */
#include "sample-team.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Processors and places of a team's threads, from text. */
struct places {
    unsigned cpus[FL_TEAM_THREADS_MAX];
    struct fl_barrier_place places[FL_TEAM_THREADS_MAX];
    unsigned count;
};

static unsigned processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

/* The runner has resolved the level; where nobody did, processors are those of the mask. */
static unsigned threads_of(const struct fl_sample *sample)
{
    const char *level = fl_cell_get(&sample->cell, "threads");
    if (sample->request.threads)
        return sample->request.threads;
    if (!strcmp(level, "nproc"))
        return processors();
    if (!strcmp(level, "2*nproc"))
        return 2 * processors();
    return (unsigned)fl_cell_number(&sample->cell, "threads", 1);
}

static int bad_places(const char *text, struct fl_err *err)
{
    return fl_fail(err, -EINVAL, "'%.60s' is no list of processor:package:core", text);
}

static int read_places(const char *text, struct places *places, struct fl_err *err)
{
    const char *rest = text;
    places->count = 0;
    while (*rest) {
        unsigned at = places->count;
        int length = 0;
        if (at == FL_TEAM_THREADS_MAX ||
            sscanf(rest, "%u:%u:%u%n", &places->cpus[at], &places->places[at].package,
                   &places->places[at].core, &length) != 3)
            return bad_places(text, err);
        places->count++;
        rest += length;
        if (*rest && *rest++ != ',')
            return bad_places(text, err);
    }
    return 0;
}

static void fill_parts(const struct fl_sample *sample, struct fl_team_plan *plan)
{
    const char *barrier = fl_cell_get(&sample->cell, "barrier");
    const char *wait = fl_cell_get(&sample->cell, "wait");
    plan->barrier = sample->request.counting ? fl_registry_counting_barrier(barrier)
                                             : fl_registry_barrier(barrier);
    plan->wait = fl_registry_wait(wait);
    plan->barrier_options = fl_registry_options(barrier);
    plan->wait_options = fl_registry_options(wait);
}

static void tell_facts(struct fl_sample *sample)
{
    const struct fl_wait *wait = &sample->team.wait;
    fl_facts_set(&sample->facts, "threads", "%u", sample->team.threads);
    if (wait->ops->budget_ns)
        fl_facts_set(&sample->facts, "wait-budget-ns", "%llu",
                     (unsigned long long)wait->ops->budget_ns(wait->state));
}

static int open_shared(struct fl_sample *sample, struct fl_err *err)
{
    struct places places = {.count = 0};
    struct fl_team_plan plan = {
        .threads = threads_of(sample),
        .counting = sample->request.counting,
        .arena = &sample->arena,
        .facts = &sample->facts,
    };
    int rc = sample->request.places ? read_places(sample->request.places, &places, err) : 0;
    if (!rc && places.count && places.count != plan.threads)
        rc = fl_fail(err, -EINVAL, "%u processors are given for %u threads", places.count,
                     plan.threads);
    if (rc)
        return rc;
    if (places.count) {
        plan.cpus = places.cpus;
        plan.places = places.places;
    }
    fill_parts(sample, &plan);
    rc = fl_team_open(&sample->team, fl_registry_team(fl_cell_get(&sample->cell, "team")), &plan,
                      err);
    if (!rc)
        tell_facts(sample);
    return rc;
}

static int open_caller_only(struct fl_sample *sample, struct fl_err *err)
{
    const struct fl_team_plan plan = {
        .threads = 1,
        .barrier = fl_registry_barrier("null"),
        .wait = fl_registry_wait("null"),
        .barrier_options = "",
        .wait_options = "",
        .arena = &sample->arena,
    };
    return fl_team_open(&sample->team, fl_registry_team("null"), &plan, err);
}

int fl_sample_open_team(struct fl_sample *sample, struct fl_err *err)
{
    if (fl_cell_get(&sample->cell, "team"))
        return open_shared(sample, err);
    return open_caller_only(sample, err);
}
