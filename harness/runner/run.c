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
#include "runner/crossover.h"
#include "runner/expectation.h"
#include "runner/oversubscription.h"
#include "runner/planning.h"
#include "runner/resume.h"
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
    int length = snprintf(sampler->metrics + used, sizeof sampler->metrics - used, "%s%s",
                          used ? "," : "", name);
    if (length < 0 || (size_t)length >= sizeof sampler->metrics - used)
        return fl_fail(err, -E2BIG, "the names of a scenario's metrics take more than %zu bytes",
                       sizeof sampler->metrics - 1);
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
    sampler->topology = &description->topology;
    snprintf(sampler->caches, sizeof sampler->caches, "%lu,%lu,%lu", description->caches[1],
             description->caches[2], description->caches[3]);
    for (size_t i = 0; i < request->scenario->metric_count; i++) {
        int rc = add_metric(campaign, request->scenario->metrics[i], err);
        if (rc)
            return rc;
    }
    return 0;
}

/* ---- the run ---- */

static int begin(struct fl_campaign *campaign, const struct fl_run_description *description,
                 struct fl_err *err)
{
    struct fl_run_info info;
    campaign->seed = campaign->request->seed;
    fl_run_describe(description, campaign->request, &info);
    int rc = fl_store_begin_run(campaign->request->store, &info, &campaign->run, err);
    if (!rc)
        rc = fl_planning_store(campaign, 0, err);
    return rc ? rc : fl_campaign_index(campaign, err);
}

static size_t samples_left(const struct fl_campaign *campaign)
{
    size_t left = 0;
    for (size_t i = 0; i < campaign->plan.count; i++)
        left += fl_campaign_left(campaign, i);
    return left;
}

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
    int rc = fl_run_description_make(description, campaign->request->scenario, err);
    if (!rc)
        rc = set_up_sampler(campaign, description, err);
    if (!rc)
        rc = campaign->side->ops->plan(campaign->side, &campaign->plan, err);
    if (!rc)
        rc = fl_crossovers_check(campaign->request->scenario, &campaign->plan, err);
    if (!rc)
        rc = fl_campaign_make_cells(campaign, err);
    if (!rc)
        rc = fl_oversubscription_tell(campaign, err);
    if (!rc)
        rc = campaign->request->resume ? fl_run_resume(campaign, description, err)
                                       : begin(campaign, description, err);
    return rc ? rc : measure(campaign, err);
}

int fl_run(const struct fl_run_request *request, struct fl_run_result *result, struct fl_err *err)
{
    struct fl_measurement_lock lock;
    struct fl_run_description description = {.fingerprint_text = ""};
    struct fl_side side;
    *result = (struct fl_run_result){.run = 0};
    struct fl_campaign *campaign = calloc(1, sizeof *campaign);
    if (!campaign)
        return out_of_memory(err);
    fl_side_plain(&side, request->scenario, request->worker);
    campaign->request = request;
    campaign->side = &side;
    campaign->result = result;
    int rc = fl_measurement_lock_open(&lock, request->lock, -1, tell_waiting,
                                      (void *)(uintptr_t)request, err);
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
