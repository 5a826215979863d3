/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel, workspace and counters of a sample: found by name, opened, closed. */
#include "parts.h"

#include <errno.h>
#include <string.h>

#include "sample-team.h"

static void *part_state(struct fl_arena *arena, const struct fl_part *part)
{
    return fl_arena_alloc(arena, part->state_size ? part->state_size : 1, 64);
}

static int out_of_memory(struct fl_err *err)
{
    return fl_fail(err, -ENOMEM, "cannot map memory: out of memory");
}

int fl_sample_open_kernel(const struct fl_sample *sample, const struct fl_cell *cell,
                          struct fl_arena *arena, struct fl_facts *facts,
                          struct fl_open_kernel *kernel, struct fl_err *err)
{
    kernel->ops = fl_registry_kernel(fl_cell_get(cell, "kernel"), fl_cell_get(cell, "library"));
    int rc = fl_part_probe(&kernel->ops->part, err);
    if (rc)
        return rc;
    struct fl_cost cost;
    rc = kernel->ops->cost(cell, &cost, err);
    if (rc)
        return rc;
    kernel->state = part_state(arena, &kernel->ops->part);
    if (!kernel->state)
        return out_of_memory(err);
    struct fl_kernel_env env = {
        .cell = cell,
        .arena = arena,
        .facts = facts,
        .seed = sample->request.seed,
        .library = sample->request.library,
        .team = &sample->team,
        .gap = sample->gap,
    };
    memcpy(env.cache_bytes, sample->request.caches, sizeof env.cache_bytes);
    return kernel->ops->open(kernel->state, &env, err);
}

static int open_workspace(struct fl_sample *sample, struct fl_err *err)
{
    const char *level = fl_cell_get(&sample->cell, "workspace");
    if (!level)
        return 0;
    const struct fl_workspace_ops *ops = fl_registry_workspace(level);
    int rc = fl_part_probe(&ops->part, err);
    if (rc)
        return rc;
    struct fl_request requests[FL_REQUESTS_MAX];
    size_t count = sample->kernel->requests(sample->kernel_state, requests);
    void *state = part_state(&sample->arena, &ops->part);
    if (!state)
        return out_of_memory(err);
    const char *options = strchr(level, ':');
    rc = ops->open(state, requests, count, sample->team.threads, options ? options + 1 : "", err);
    if (!rc)
        sample->workspace = (struct fl_workspace){ops, state};
    return rc;
}

int fl_sample_open(struct fl_sample *sample, struct fl_err *err)
{
    struct fl_open_kernel kernel;
    sample->gap = fl_cell_number(&sample->cell, "gap", 0);
    int rc = fl_sample_open_team(sample, err);
    if (rc) {
        sample->team.ops = NULL;
        return rc;
    }
    rc = fl_sample_open_kernel(sample, &sample->cell, &sample->arena, &sample->facts, &kernel, err);
    if (rc)
        return rc;
    sample->calls_each = kernel.ops->calls ? kernel.ops->calls(kernel.state) : 1;
    sample->kernel = kernel.ops;
    sample->kernel_state = kernel.state;
    return open_workspace(sample, err);
}

/* The slot of a counter, made on first use; NULL when there are too many. */
static struct fl_sample_counter *counter_slot(struct fl_sample *sample,
                                              const struct fl_counter_ops *ops)
{
    for (size_t i = 0; i < sample->counter_count; i++)
        if (sample->counters[i].ops == ops)
            return &sample->counters[i];
    if (sample->counter_count == FL_SAMPLE_COUNTERS)
        return NULL;
    struct fl_sample_counter *slot = &sample->counters[sample->counter_count++];
    slot->ops = ops;
    return slot;
}

static int want(struct fl_sample *sample, const char *name, struct fl_err *err)
{
    struct fl_metric metric;
    const struct fl_counter_ops *ops;
    int rc = fl_registry_metric(name, &metric, &ops, err);
    if (rc || !ops || (metric.mode == FL_IN_COUNTING_SAMPLES && !sample->request.counting))
        return rc;
    struct fl_sample_counter *slot = counter_slot(sample, ops);
    if (!slot || slot->count == FL_SAMPLE_METRICS)
        return fl_fail(err, -E2BIG, "too many metrics in one sample");
    slot->wanted[slot->count++] = name;
    return 0;
}

static int want_all(struct fl_sample *sample, struct fl_err *err)
{
    if (!sample->request.metrics)
        return 0;
    size_t length = strlen(sample->request.metrics);
    if (length >= sizeof sample->metric_names)
        return fl_fail(err, -E2BIG, "the list of metrics is too long");
    memcpy(sample->metric_names, sample->request.metrics, length + 1);
    char *rest = NULL;
    for (char *name = strtok_r(sample->metric_names, ",", &rest); name;
         name = strtok_r(NULL, ",", &rest)) {
        int rc = want(sample, name, err);
        if (rc)
            return rc;
    }
    return 0;
}

/*
 * A counter that forks in its open() write-protects the states of all others, whose first write
 * would be a fault between the edges. So every edge is walked over once when all are open.
 */
static void rehearse(struct fl_sample *sample)
{
    for (size_t i = 0; i < sample->counter_count; i++)
        sample->counters[i].ops->start(sample->counters[i].state);
    for (size_t i = sample->counter_count; i-- > 0;)
        sample->counters[i].ops->stop(sample->counters[i].state);
}

int fl_sample_open_counters(struct fl_sample *sample, struct fl_err *err)
{
    int rc = want_all(sample, err);
    size_t wanted = sample->counter_count;
    sample->counter_count = 0; /* counts the open ones from here on */
    if (rc)
        return rc;
    for (size_t i = 0; i < wanted; i++) {
        struct fl_sample_counter *counter = &sample->counters[i];
        counter->state = part_state(&sample->arena, &counter->ops->part);
        if (!counter->state)
            return out_of_memory(err);
        struct fl_counter_env env = {
            .wanted = counter->wanted,
            .workspace = sample->workspace.ops ? &sample->workspace : NULL,
            .library = sample->request.library,
            .facts = &sample->facts,
            .team = fl_cell_get(&sample->cell, "team") ? &sample->team : NULL,
        };
        rc = counter->ops->open(counter->state, &env, err);
        if (rc)
            return rc;
        sample->counter_count++;
    }
    rehearse(sample);
    return 0;
}

void fl_sample_close(struct fl_sample *sample)
{
    for (size_t i = sample->counter_count; i-- > 0;)
        sample->counters[i].ops->close(sample->counters[i].state);
    if (sample->workspace.ops)
        sample->workspace.ops->close(sample->workspace.state);
    if (sample->kernel)
        sample->kernel->close(sample->kernel_state);
    if (sample->team.ops)
        fl_team_close(&sample->team);
    fl_arena_release(&sample->arena);
}
