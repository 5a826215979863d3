/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a run: plan, lock, begin or resume, measure, judge, finish. */
#include "runner/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/measurement-lock.h"
#include "runner/campaign.h"
#include "runner/crossover.h"
#include "runner/expectation.h"
#include "runner/oversubscription.h"
#include "runner/resume.h"
#include "runner/run-description.h"

static int out_of_memory(struct fl_err *err)
{
    return fl_fail(err, -ENOMEM, "out of memory");
}

/* ---- the run ---- */

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
    int rc = fl_run_description_make(description, campaign->side, err);
    if (!rc)
        rc = fl_campaign_set_up(campaign, description, err);
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
                                       : fl_campaign_begin(campaign, description, err);
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
