/* SPDX-License-Identifier: Apache-2.0 */
/* Resolving `threads`, `library-threads` and `pin` on this machine. */
#include "runner/thread-plan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* `otherwise` where the cell lacks the factor; levels were checked when the cell was read. */
static unsigned resolve(const struct fl_topology *topology, const struct fl_cell *cell,
                        const char *factor, unsigned otherwise)
{
    const char *level = fl_cell_get(cell, factor);
    if (!level)
        return otherwise;
    if (!strcmp(level, "nproc"))
        return topology->usable;
    if (!strcmp(level, "2*nproc"))
        return 2 * topology->usable;
    return (unsigned)fl_cell_number(cell, factor, otherwise);
}

static bool has_level(const struct fl_cell *cell, const char *factor, const char *level)
{
    const char *mine = fl_cell_get(cell, factor);
    return mine && !strcmp(mine, level);
}

static int write_cpus(const struct fl_topology *topology, struct fl_thread_plan *plan,
                      struct fl_err *err)
{
    struct fl_cpulist cpus = {.bits = {0}};
    for (size_t i = 0; i < plan->processors; i++)
        fl_cpulist_add(&cpus, fl_thread_plan_cpu(topology, plan, i));
    if (fl_cpulist_format(&cpus, plan->cpus, sizeof plan->cpus))
        return fl_fail(err, -E2BIG, "the list of %zu processors is too long", plan->processors);
    return 0;
}

static void write_places(const struct fl_topology *topology, struct fl_thread_plan *plan)
{
    size_t used = 0;
    for (unsigned i = 0; i < plan->team && used < sizeof plan->places; i++) {
        const struct fl_processor *at = fl_topology_place(topology, plan->pin, i);
        used += (size_t)snprintf(plan->places + used, sizeof plan->places - used, "%s%u:%u:%u",
                                 i ? "," : "", at->cpu, at->package, at->core);
    }
}

int fl_thread_plan_make(const struct fl_topology *topology, const struct fl_cell *cell,
                        struct fl_thread_plan *plan, struct fl_err *err)
{
    *plan = (struct fl_thread_plan){
        .team = resolve(topology, cell, "threads", 0),
        .library = resolve(topology, cell, "library-threads", 1),
        .pin = has_level(cell, "pin", "scatter") ? FL_PIN_SCATTER : FL_PIN_COMPACT,
        .cpu = -1,
    };
    if (plan->team > FL_TEAM_THREADS_MAX)
        return fl_fail(err, -ENOTSUP, "%u threads are more than a team can have, %u: name a number",
                       plan->team, FL_TEAM_THREADS_MAX);
    size_t threads = fl_thread_plan_threads(plan);
    bool everywhere = plan->team && has_level(cell, "pin", "none");
    plan->oversubscribed = threads > topology->usable;
    plan->processors = everywhere || threads > topology->count ? topology->count : threads;
    /* Threads that a library starts may run where the thread that starts them may: a caller on one
     * processor would keep all of them there. */
    if (!everywhere && plan->library == 1) {
        plan->cpu = (int)fl_thread_plan_cpu(topology, plan, 0);
        write_places(topology, plan);
    }
    return write_cpus(topology, plan, err);
}
