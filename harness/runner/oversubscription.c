/* SPDX-License-Identifier: Apache-2.0 */
/* Looking through a plan for cells with more threads than processors. */
#include "runner/oversubscription.h"

#include <stdio.h>
#include <string.h>

#include "faultline/registry.h"
#include "runner/thread-plan.h"

struct findings {
    size_t cells;      /* with more threads than can run at once */
    unsigned most;     /* threads of one of them */
    size_t spinning;   /* of these cells, those whose waiting threads keep their processor */
    char spinner[128]; /* factor and level of the first such cell */
};

/* Does a thread of the team keep its processor for as long as it waits? Writes what makes it so. */
static bool spins(const struct fl_cell *cell, char *how, size_t size)
{
    const char *wait = fl_cell_get(cell, "wait"), *runtime = fl_cell_get(cell, "omp-wait");
    if (wait && fl_registry_wait(wait)->keeps_processor) {
        snprintf(how, size, "wait=%s", wait);
        return true;
    }
    if (!runtime || strcmp(runtime, "active"))
        return false;
    snprintf(how, size, "omp-wait=active");
    return true;
}

static int look_at(const struct fl_campaign *campaign, const char *key, struct findings *findings,
                   struct fl_err *err)
{
    struct fl_cell cell;
    struct fl_thread_plan plan;
    char how[sizeof findings->spinner];
    int rc = fl_cell_parse(&cell, key, err);
    if (rc)
        return rc;
    if (fl_thread_plan_make(campaign->sampler.topology, &cell, &plan, NULL) || !plan.oversubscribed)
        return 0;
    unsigned threads = fl_thread_plan_threads(&plan);
    findings->cells++;
    findings->most = threads > findings->most ? threads : findings->most;
    if (spins(&cell, how, sizeof how) && !findings->spinning++)
        memcpy(findings->spinner, how, sizeof how);
    return 0;
}

/* What keeps threads from running at once: the smaller of affinity mask and quota. */
static void name_limit(const struct fl_topology *topology, char *text, size_t size)
{
    char cpus[FL_CPULIST_TEXT_MAX];
    struct fl_cpulist allowed = {.bits = {0}};
    for (size_t i = 0; i < topology->count; i++)
        fl_cpulist_add(&allowed, topology->processors[i].cpu);
    if (topology->quota > 0 && topology->quota < (double)topology->count)
        snprintf(text, size, "the control group's quota of %g processors", topology->quota);
    else if (fl_cpulist_format(&allowed, cpus, 64))
        snprintf(text, size, "the affinity mask");
    else
        snprintf(text, size, "the affinity mask %s", cpus);
}

static void tell(const struct fl_campaign *campaign, const struct findings *findings)
{
    const struct fl_topology *topology = campaign->sampler.topology;
    const struct fl_progress *progress = campaign->request->progress;
    char text[512], limit[128];
    name_limit(topology, limit, sizeof limit);
    snprintf(text, sizeof text,
             "%zu of %zu cells have more threads, up to %u, than the %u that %s lets run at once; "
             "their samples have the fact oversubscribed=yes",
             findings->cells, campaign->plan.count, findings->most, topology->usable, limit);
    progress->warning(progress->arg, text);
    if (!findings->spinning)
        return;
    snprintf(text, sizeof text,
             "in %zu of these a thread keeps its processor while it waits (%s) from the one it "
             "waits for: each meeting takes time slices, milliseconds instead of microseconds; "
             "let them meet seldom, raise the time-out, or take a policy that sleeps",
             findings->spinning, findings->spinner);
    progress->warning(progress->arg, text);
}

int fl_oversubscription_tell(const struct fl_campaign *campaign, struct fl_err *err)
{
    struct findings findings = {.cells = 0};
    for (size_t i = 0; i < campaign->plan.count; i++) {
        int rc = look_at(campaign, campaign->plan.keys[i], &findings, err);
        if (rc)
            return rc;
    }
    if (findings.cells)
        tell(campaign, &findings);
    return 0;
}
