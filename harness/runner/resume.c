/* SPDX-License-Identifier: Apache-2.0 */
/* What an unfinished run has stored, read back into a campaign. */
#include "runner/resume.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "runner/planning.h"

#define OTHER_SCENARIO "the scenario or its settings are not those it was started with"

/* What the callbacks below share. */
struct resuming {
    struct fl_campaign *campaign;
    const struct fl_run_description *description;
    const char *differs;             /* why the run cannot go on, NULL: nothing found so far */
    size_t cells, metrics, settings; /* met in the store so far */
};

static bool same_settings(const struct fl_run_info *info, const struct fl_scenario *scenario)
{
    return !strcmp(info->scenario_text, scenario->text) && info->rounds == scenario->rounds &&
           info->counted_rounds == scenario->counting_rounds &&
           info->counted_calls == scenario->calls &&
           info->settle_ns == fl_run_nanoseconds(scenario->settle) &&
           info->window_ns == fl_run_nanoseconds(scenario->window);
}

/* A search for crossovers adds cells to those that were planned. */
static bool has_all_cells(const struct fl_campaign *campaign, int64_t stored)
{
    int64_t planned = (int64_t)campaign->plan.count;
    return campaign->request->scenario->crossover.search[0] ? stored >= planned : stored == planned;
}

static int take_settings(void *arg, const struct fl_run_record *record)
{
    struct resuming *resuming = arg;
    struct fl_campaign *campaign = resuming->campaign;
    struct fl_run_info mine;
    fl_run_describe(resuming->description, campaign->request, &mine);
    campaign->seed = record->info.seed;
    if (!same_settings(&record->info, campaign->request->scenario) ||
        (record->samples && !has_all_cells(campaign, record->cells)))
        resuming->differs = OTHER_SCENARIO;
    else if (strcmp(record->info.fingerprint, mine.fingerprint) != 0 ||
             strcmp(record->info.host, mine.host) != 0)
        resuming->differs = "this is not the machine it was started on, or its system has changed";
    else if (strcmp(record->info.version, mine.version) != 0 ||
             strcmp(record->info.build_flags, mine.build_flags) != 0)
        resuming->differs = "this is another build of faultline than the one that started it";
    return resuming->differs ? -EINVAL : 0;
}

static bool is_setting(const char *name)
{
    return !strncmp(name, FL_RUN_SETTING, strlen(FL_RUN_SETTING));
}

/* Of the environment only what was set: the rest differs from hour to hour. */
static int take_environment(void *arg, const struct fl_fact *fact)
{
    struct resuming *resuming = arg;
    if (!is_setting(fact->name))
        return 0;
    resuming->settings++;
    const char *mine = fl_properties_get(&resuming->description->environment, fact->name);
    return mine && !strcmp(mine, fact->value) ? 0 : -EINVAL;
}

static size_t count_settings(const struct fl_properties *environment)
{
    size_t count = 0;
    for (size_t i = 0; i < environment->count; i++)
        count += is_setting(environment->items[i].name);
    return count;
}

static int take_metric(void *arg, const struct fl_stored_metric *stored)
{
    struct resuming *resuming = arg;
    const struct fl_sampler *sampler = &resuming->campaign->sampler;
    size_t at = resuming->metrics++;
    bool same = at < sampler->metric_count && sampler->metric_ids[at] == stored->id;
    return !stored->planned || same ? 0 : -EINVAL;
}

/* The store hands cells out in the order of the plan. */
static int take_cell(void *arg, const struct fl_stored_cell *stored)
{
    struct resuming *resuming = arg;
    struct fl_campaign *campaign = resuming->campaign;
    size_t at = resuming->cells++;
    if (at >= campaign->plan.count && campaign->request->scenario->crossover.search[0] &&
        fl_campaign_append(campaign, stored->key, NULL))
        return -ENOMEM;
    if (at >= campaign->plan.count || strcmp(campaign->plan.keys[at], stored->key) != 0)
        return -EINVAL;
    campaign->cells[at].id = stored->id;
    if (!stored->unavailable)
        return 0;
    campaign->result->unavailable++;
    return fl_campaign_give_up(campaign, at, stored->unavailable);
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
    size_t cell = fl_campaign_find(campaign, row.cell);
    if (cell == campaign->plan.count)
        return -EINVAL;
    int rc = fl_store_values(campaign->request->store, stored->id, gather_value, &gathered, NULL);
    if (rc)
        return rc;
    row.values = gathered.values;
    row.value_count = gathered.count;
    campaign->done++;
    return fl_campaign_note(campaign, cell, &row);
}

/* Reads the plan back, and writes the rest of it where the earlier process was killed in it. */
static int take_plan(struct resuming *resuming, struct fl_err *err)
{
    struct fl_campaign *campaign = resuming->campaign;
    struct fl_store *store = campaign->request->store;
    int rc = fl_store_environment(store, campaign->run, take_environment, resuming, err);
    if (!rc && resuming->settings != count_settings(&resuming->description->environment))
        rc = -EINVAL;
    if (!rc)
        rc = fl_store_metrics(store, campaign->run, take_metric, resuming, err);
    if (!rc && resuming->metrics && resuming->metrics != campaign->sampler.metric_count)
        rc = -EINVAL;
    if (!rc)
        rc = fl_store_cells(store, campaign->run, take_cell, resuming, err);
    if (!rc)
        rc = fl_planning_store(campaign, resuming->cells, err);
    return rc;
}

static int go_back(struct resuming *resuming, struct fl_err *err)
{
    struct fl_campaign *campaign = resuming->campaign;
    struct fl_store *store = campaign->request->store;
    int rc = fl_store_run(store, campaign->run, take_settings, resuming, err);
    if (!rc)
        rc = take_plan(resuming, err);
    if (!rc)
        rc = fl_campaign_index(campaign, err);
    if (!rc)
        rc = fl_store_samples(store, campaign->run, note_sample, campaign, err);
    if (!rc)
        rc = fl_store_set_status(store, campaign->run, FL_RUN_RUNNING, err);
    return rc;
}

int fl_run_resume_at(struct fl_campaign *campaign, const struct fl_run_description *description,
                     struct fl_err *err)
{
    struct resuming resuming = {.campaign = campaign, .description = description};
    err->text[0] = 0;
    int rc = go_back(&resuming, err);
    if (!rc || err->text[0])
        return rc;
    if (rc == -ENOMEM)
        return fl_fail(err, rc, "out of memory");
    return fl_fail(err, rc, "cannot resume run %lld: %s; start a new run without --resume",
                   (long long)campaign->run, resuming.differs ? resuming.differs : OTHER_SCENARIO);
}

int fl_run_resume(struct fl_campaign *campaign, const struct fl_run_description *description,
                  struct fl_err *err)
{
    int rc = fl_store_find_unfinished(campaign->request->store, campaign->request->scenario->name,
                                      &campaign->run, err);
    return rc ? rc : fl_run_resume_at(campaign, description, err);
}
