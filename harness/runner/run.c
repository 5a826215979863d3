/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a run: plan, lock, begin or resume, measure, judge, finish. */
#include "runner/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/registry.h"
#include "machine/measurement-lock.h"
#include "runner/campaign.h"
#include "runner/expectation.h"
#include "runner/run-description.h"

static int out_of_memory(struct fl_err *err)
{
    return fl_fail(err, -ENOMEM, "out of memory");
}

/* ---- what every sample shares ---- */

static int add_metric(struct fl_campaign *campaign, const char *name, struct fl_err *err)
{
    struct fl_sampler *sampler = &campaign->sampler;
    const struct fl_counter_ops *counter;
    size_t i = sampler->metric_count, used = strlen(sampler->metrics);
    if (i == FL_SAMPLER_METRICS)
        return fl_fail(err, -E2BIG, "a scenario has more than %d metrics", FL_SAMPLER_METRICS);
    int rc = fl_registry_metric(name, &sampler->wanted[i], &counter, err);
    if (!rc)
        rc = fl_store_metric(campaign->request->store, &sampler->wanted[i], &sampler->metric_ids[i],
                             err);
    if (rc)
        return rc;
    snprintf(sampler->metrics + used, sizeof sampler->metrics - used, "%s%s", used ? "," : "",
             name);
    sampler->metric_count++;
    return 0;
}

static int set_up_sampler(struct fl_campaign *campaign, struct fl_run_description *description,
                          struct fl_err *err)
{
    const struct fl_run_request *request = campaign->request;
    struct fl_sampler *sampler = &campaign->sampler;
    sampler->scenario = request->scenario;
    sampler->stop = request->stop;
    snprintf(sampler->worker, sizeof sampler->worker, "%s", request->worker);
    snprintf(sampler->probe, sizeof sampler->probe, "%s", request->probe ? request->probe : "");
    sampler->cpu = description->cpu;
    snprintf(sampler->cpus, sizeof sampler->cpus, "%d", description->cpu);
    snprintf(sampler->caches, sizeof sampler->caches, "%lu,%lu,%lu", description->caches[1],
             description->caches[2], description->caches[3]);
    for (size_t i = 0; i < request->scenario->metric_count; i++) {
        int rc = add_metric(campaign, request->scenario->metrics[i], err);
        if (rc)
            return rc;
    }
    return 0;
}

/* ---- cells ---- */

static int make_cells(struct fl_campaign *campaign, struct fl_err *err)
{
    struct fl_err why;
    campaign->cells = calloc(campaign->plan.count, sizeof *campaign->cells);
    if (!campaign->cells)
        return out_of_memory(err);
    for (size_t i = 0; i < campaign->plan.count; i++) {
        struct fl_campaign_cell *cell = &campaign->cells[i];
        cell->done = calloc(fl_campaign_rounds(campaign) + 1, 1);
        if (!cell->done)
            return out_of_memory(err);
        if (!fl_sampler_probe(&campaign->sampler, campaign->plan.keys[i], &why))
            continue;
        cell->unavailable = strdup(why.text);
        if (!cell->unavailable)
            return out_of_memory(err);
        campaign->result->unavailable++;
    }
    return 0;
}

/* Stores one cell's plan; its levels live in the stack of this call. */
static int store_cell(struct fl_campaign *campaign, size_t index, struct fl_err *err)
{
    struct fl_cell cell;
    struct fl_stored_level levels[FL_CELL_LEVELS];
    int rc = fl_cell_parse(&cell, campaign->plan.keys[index], err);
    if (rc)
        return rc;
    for (size_t i = 0; i < cell.count; i++)
        levels[i] = (struct fl_stored_level){cell.levels[i].factor->name, cell.levels[i].text,
                                             !fl_cell_in_key(&cell.levels[i])};
    const struct fl_planned_cell planned = {campaign->plan.keys[index], levels, cell.count,
                                            campaign->cells[index].unavailable};
    return fl_store_plan(campaign->request->store, campaign->run, &planned, 1,
                         &campaign->cells[index].id, err);
}

static int store_plan(struct fl_campaign *campaign, struct fl_err *err)
{
    int rc =
        fl_store_plan_metrics(campaign->request->store, campaign->run, campaign->sampler.metric_ids,
                              campaign->sampler.metric_count, err);
    for (size_t i = 0; i < campaign->plan.count && !rc; i++)
        rc = store_cell(campaign, i, err);
    return rc;
}

static size_t samples_left(const struct fl_campaign *campaign)
{
    size_t left = 0;
    for (size_t i = 0; i < campaign->plan.count; i++)
        for (size_t r = 0; r < fl_campaign_rounds(campaign) && !campaign->cells[i].unavailable; r++)
            left += !campaign->cells[i].done[r];
    return left;
}

/* ---- resuming ---- */

static int take_settings(void *arg, const struct fl_run_record *record)
{
    struct fl_campaign *campaign = arg;
    const struct fl_scenario *scenario = campaign->request->scenario;
    campaign->seed = record->info.seed;
    bool same = !strcmp(record->info.scenario_text, scenario->text) &&
                record->cells == (int64_t)campaign->plan.count &&
                record->info.rounds == scenario->rounds &&
                record->info.counted_rounds == scenario->counting_rounds &&
                record->info.counted_calls == scenario->calls &&
                record->info.settle_ns == fl_run_nanoseconds(scenario->settle) &&
                record->info.window_ns == fl_run_nanoseconds(scenario->window);
    return same ? 0 : -EINVAL;
}

static int note_cell(void *arg, const struct fl_stored_cell *stored)
{
    struct fl_campaign *campaign = arg;
    for (size_t i = 0; i < campaign->plan.count; i++)
        if (!strcmp(campaign->plan.keys[i], stored->key)) {
            campaign->cells[i].id = stored->id;
            return 0;
        }
    return -EINVAL;
}

/* Values of one stored sample, gathered for fl_campaign_note(). */
struct gathered {
    struct fl_value values[FL_SAMPLER_METRICS];
    size_t count;
};

static int gather_value(void *arg, const struct fl_value *value)
{
    struct gathered *gathered = arg;
    if (gathered->count < FL_SAMPLER_METRICS)
        gathered->values[gathered->count++] = *value;
    return 0;
}

static int note_sample(void *arg, const struct fl_stored_sample *stored)
{
    struct fl_campaign *campaign = arg;
    struct gathered gathered = {.count = 0};
    struct fl_sample row = stored->sample;
    int rc = fl_store_values(campaign->request->store, stored->id, gather_value, &gathered, NULL);
    row.values = gathered.values;
    row.value_count = gathered.count;
    for (size_t i = 0; i < campaign->plan.count && !rc; i++)
        if (campaign->cells[i].id == row.cell)
            rc = fl_campaign_note(campaign, i, &row, row.reason);
    campaign->done++;
    return rc;
}

static int resume(struct fl_campaign *campaign, struct fl_err *err)
{
    struct fl_store *store = campaign->request->store;
    err->text[0] = 0;
    int rc =
        fl_store_find_unfinished(store, campaign->request->scenario->name, &campaign->run, err);
    if (!rc)
        rc = fl_store_run(store, campaign->run, take_settings, campaign, err);
    if (!rc)
        rc = make_cells(campaign, err);
    if (!rc)
        rc = fl_store_cells(store, campaign->run, note_cell, campaign, err);
    if (!rc)
        rc = fl_store_samples(store, campaign->run, note_sample, campaign, err);
    if (!rc)
        rc = fl_store_set_status(store, campaign->run, FL_RUN_RUNNING, err);
    if (rc == -EINVAL && !err->text[0])
        return fl_fail(err, rc,
                       "cannot resume run %lld: the scenario or its settings are not those it was "
                       "started with; start a new run without --resume",
                       (long long)campaign->run);
    return rc;
}

static int begin(struct fl_campaign *campaign, const struct fl_run_description *description,
                 struct fl_err *err)
{
    struct fl_run_info info;
    campaign->seed = campaign->request->seed;
    fl_run_describe(description, campaign->request, &info);
    int rc = make_cells(campaign, err);
    if (!rc)
        rc = fl_store_begin_run(campaign->request->store, &info, &campaign->run, err);
    return rc ? rc : store_plan(campaign, err);
}

/* ---- the run ---- */

static bool tell_waiting(void *arg, int holder, double seconds)
{
    const struct fl_run_request *request = arg;
    request->progress->waiting(request->progress->arg, holder, seconds);
    return !(request->stop && *request->stop);
}

static int judge_and_finish(struct fl_campaign *campaign, struct fl_err *err)
{
    int rc = fl_expectations_judge(campaign, err);
    if (!rc)
        rc = fl_store_set_status(campaign->request->store, campaign->run, FL_RUN_FINISHED, err);
    return rc;
}

static int measure(struct fl_campaign *campaign, struct fl_err *err)
{
    const struct fl_progress *progress = campaign->request->progress;
    campaign->total = campaign->done + samples_left(campaign);
    campaign->result->run = campaign->run;
    campaign->result->cells = campaign->plan.count;
    progress->begin(progress->arg, campaign->run, campaign->plan.count, campaign->done,
                    campaign->total);
    int rc = fl_campaign_measure(campaign, err);
    if (!rc)
        return judge_and_finish(campaign, err);
    struct fl_err ignored; /* the first error is the one to tell */
    enum fl_run_status status = rc == -EINTR ? FL_RUN_INTERRUPTED : FL_RUN_FAILED;
    int also = fl_store_set_status(campaign->request->store, campaign->run, status, &ignored);
    if (rc != -EINTR)
        return rc;
    campaign->result->interrupted = true;
    return also ? fl_fail(err, also, "%s", ignored.text) : 0;
}

static int run(struct fl_campaign *campaign, struct fl_run_description *description,
               struct fl_err *err)
{
    int rc = fl_run_description_make(description, err);
    if (!rc)
        rc = set_up_sampler(campaign, description, err);
    if (!rc)
        rc = fl_plan_make(campaign->request->scenario, &campaign->plan, err);
    if (!rc)
        rc = campaign->request->resume ? resume(campaign, err) : begin(campaign, description, err);
    return rc ? rc : measure(campaign, err);
}

int fl_run(const struct fl_run_request *request, struct fl_run_result *result, struct fl_err *err)
{
    struct fl_measurement_lock lock;
    struct fl_run_description description = {.cpu = -1};
    *result = (struct fl_run_result){.run = 0};
    struct fl_campaign *campaign = calloc(1, sizeof *campaign);
    if (!campaign)
        return out_of_memory(err);
    campaign->request = request;
    campaign->result = result;
    int rc =
        fl_measurement_lock_open(&lock, NULL, -1, tell_waiting, (void *)(uintptr_t)request, err);
    if (rc) {
        free(campaign);
        return rc;
    }
    rc = run(campaign, &description, err);
    fl_measurement_lock_close(&lock);
    fl_run_description_release(&description);
    fl_campaign_release(campaign);
    free(campaign);
    return rc;
}
