/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of an A/B run: lock, open, plan, match, begin or resume, count, time, finish. */
#include "runner/ab.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/registry.h"
#include "machine/measurement-lock.h"
#include "results/suite.h"
#include "runner/ab-cells.h"
#include "runner/ab-counting.h"
#include "runner/ab-forecast.h"
#include "runner/ab-store.h"
#include "runner/ab-timing.h"
#include "runner/oversubscription.h"

bool fl_ab_is_closed(const struct fl_ab *ab, const struct fl_ab_cell *cell)
{
    return ab->campaigns[0].cells[cell->place[0]].unavailable ||
           ab->campaigns[1].cells[cell->place[1]].unavailable;
}

bool fl_ab_has_failed(const struct fl_ab *ab, const struct fl_ab_cell *cell)
{
    return ab->campaigns[0].cells[cell->place[0]].failed ||
           ab->campaigns[1].cells[cell->place[1]].failed;
}

/* ---- what the campaigns tell ---- */

static void ignore_begin(void *arg, int64_t run, size_t cells, size_t done, size_t total)
{
    (void)arg, (void)run, (void)cells, (void)done, (void)total;
}

static void forward_sample(void *arg, const char *key, size_t done, size_t total,
                           enum fl_outcome outcome, const char *reason)
{
    const struct fl_ab *ab = arg;
    const struct fl_progress *progress = &ab->request->progress->common;
    (void)done, (void)total;
    size_t both = ab->campaigns[0].done + ab->campaigns[1].done;
    progress->sample(progress->arg, key, both, ab->campaigns[0].total + ab->campaigns[1].total,
                     outcome, reason);
}

static void forward_waiting(void *arg, int holder, double seconds)
{
    const struct fl_ab *ab = arg;
    ab->request->progress->common.waiting(ab->request->progress->common.arg, holder, seconds);
}

static void forward_note(void *arg, const char *text)
{
    const struct fl_ab *ab = arg;
    ab->request->progress->common.note(ab->request->progress->common.arg, text);
}

static void forward_warning(void *arg, const char *text)
{
    const struct fl_ab *ab = arg;
    ab->request->progress->common.warning(ab->request->progress->common.arg, text);
}

static bool tell_waiting(void *arg, int holder, double seconds)
{
    const struct fl_ab *ab = arg;
    forward_waiting(arg, holder, seconds);
    return !(ab->request->stop && *ab->request->stop);
}

/* ---- the scenario of a side ---- */

/* Losses are of the time of a call; who measures a rate alone measures it as well. */
static int add_time(struct fl_scenario *scenario, struct fl_err *err)
{
    char list[4096] = "time";
    size_t used = strlen(list);
    bool timed = false;
    for (size_t i = 0; i < scenario->metric_count; i++) {
        struct fl_metric metric;
        const struct fl_counter_ops *counter;
        if (!strcmp(scenario->metrics[i], "time"))
            return 0;
        int rc = fl_registry_metric(scenario->metrics[i], &metric, &counter, err);
        if (rc)
            return rc;
        timed |= metric.kind == FL_METRIC_TIMED;
        used += (size_t)snprintf(list + used, sizeof list - used, ", %s", scenario->metrics[i]);
        if (used >= sizeof list)
            return fl_fail(err, -E2BIG, "the names of a scenario's metrics are too long");
    }
    return timed ? fl_scenario_set(scenario, "metrics", list, err) : 0;
}

static void set_counting_rounds(struct fl_scenario *scenario)
{
    int least = 0;
    for (size_t i = 0; i < scenario->metric_count; i++) {
        struct fl_metric metric;
        const struct fl_counter_ops *counter;
        if (fl_registry_metric(scenario->metrics[i], &metric, &counter, NULL) ||
            !fl_scenario_gate_judges(&scenario->gate, metric.name, metric.kind))
            continue;
        int wants = metric.kind == FL_METRIC_EXACT         ? FL_COUNTS_EXACT
                    : metric.kind == FL_METRIC_SET         ? FL_COUNTS_FIRST
                    : metric.kind == FL_METRIC_NOISY_COUNT ? FL_SEQUENTIAL_FIRST
                                                           : 0;
        least = wants > least ? wants : least;
    }
    if (scenario->counting_rounds && scenario->counting_rounds < least)
        scenario->counting_rounds = least;
}

/* As many rounds as can be needed, or none where the scenario has none; a search for crossovers has
 * no place here. */
static int adapt(const struct fl_ab *ab, struct fl_scenario *scenario, struct fl_err *err)
{
    if (scenario->rounds || ab->request->rounds)
        scenario->rounds = ab->request->rounds ? ab->request->rounds : FL_SEQUENTIAL_MOST;
    scenario->crossover.search[0] = 0;
    set_counting_rounds(scenario);
    return add_time(scenario, err);
}

/* ---- setting up ---- */

static int open_side(struct fl_ab *ab, int s, struct fl_err *err)
{
    const struct fl_ab_request *asked = ab->request;
    const struct fl_side_request request = {
        .text = asked->texts[s],
        .scenario = asked->scenarios[s],
        .worker = asked->worker,
        .shim = asked->shim,
        .build = asked->build,
        .stop = asked->stop,
    };
    int rc = adapt(ab, asked->scenarios[s], err);
    if (!rc)
        rc = fl_side_open(&ab->sides[s], &request, err);
    return rc ? fl_fail_within(err, rc, "%s", s ? "head" : "base") : 0;
}

/* Mistakes of the sides are told before a store is made. */
static int open_sides(struct fl_ab *ab, struct fl_err *err)
{
    int rc = open_side(ab, FL_AB_BASE, err);
    if (!rc)
        rc = open_side(ab, FL_AB_HEAD, err);
    if (!rc)
        rc = fl_store_open(ab->request->store, FL_STORE_CREATE, &ab->store, err);
    for (int s = 0; s < 2; s++)
        ab->sides[s].asked.store = ab->store;
    return rc;
}

static void set_request(struct fl_ab *ab, int s)
{
    const struct fl_ab_request *asked = ab->request;
    const struct fl_side *side = &ab->sides[s];
    ab->runs[s] = (struct fl_run_request){
        .scenario = asked->scenarios[s],
        .store = ab->store,
        .worker = side->worker,
        .probe = side->probe[0] ? side->probe : asked->probe,
        .label = asked->label,
        .command_line = asked->command_line,
        .commit = s == FL_AB_HEAD || asked->purpose == FL_PAIRING_CALIBRATE ? asked->commit : NULL,
        .seed = asked->seed,
        .stop = asked->stop,
        .progress = &ab->quiet,
    };
    ab->campaigns[s].request = &ab->runs[s];
    ab->campaigns[s].result = &ab->results[s];
    ab->campaigns[s].side = &ab->sides[s];
    ab->campaigns[s].more = FL_AB_COUNTING_MORE;
}

/* What is recorded names the programs as they were given: copies are made behind that. */
static int set_up_campaign(struct fl_ab *ab, int s, struct fl_err *err)
{
    struct fl_campaign *campaign = &ab->campaigns[s];
    int rc = fl_run_description_make(&ab->descriptions[s], &ab->sides[s], err);
    if (!rc)
        rc = fl_side_make_private(&ab->sides[s], err);
    set_request(ab, s);
    if (!rc)
        rc = fl_campaign_set_up(campaign, &ab->descriptions[s], err);
    if (!rc)
        rc = ab->sides[s].ops->plan(&ab->sides[s], &campaign->plan, err);
    return rc ? rc : fl_campaign_make_cells(campaign, err);
}

static void set_planned(struct fl_ab *ab)
{
    const struct fl_sampler *sampler = &ab->campaigns[FL_AB_BASE].sampler;
    const struct fl_scenario_gate *gate = &ab->request->scenarios[FL_AB_BASE]->gate;
    size_t metrics = 0;
    for (size_t i = 0; i < sampler->metric_count; i++) {
        const struct fl_metric *metric = &sampler->wanted[i];
        bool judged = fl_scenario_gate_judges(gate, metric->name, metric->kind);
        ab->timed |= !strcmp(metric->name, "time") && (judged || ab->request->rounds) &&
                     ab->request->scenarios[FL_AB_BASE]->rounds;
        metrics +=
            judged && (metric->kind == FL_METRIC_TIMED || metric->kind == FL_METRIC_NOISY_COUNT);
    }
    ab->planned = metrics * ab->count + (ab->timed && ab->count >= FL_SUITE_CELLS);
    ab->planned += !ab->planned;
}

static int set_up(struct fl_ab *ab, struct fl_err *err)
{
    int rc = 0;
    for (int s = 0; s < 2; s++)
        fl_side_copy_alike(&ab->sides[s], &ab->sides[1 - s]);
    for (int s = 0; s < 2 && !rc; s++)
        rc = set_up_campaign(ab, s, err);
    if (!rc)
        rc = fl_ab_match(ab, err);
    if (!rc && ab->sides[FL_AB_BASE].ops == &fl_worker_side_ops)
        rc = fl_oversubscription_tell(&ab->campaigns[FL_AB_BASE], err);
    if (rc)
        return rc;
    set_planned(ab);
    return fl_ab_limit(ab, err);
}

/* ---- measuring ---- */

static int set_status(struct fl_ab *ab, enum fl_run_status status, struct fl_err *err)
{
    int rc = 0;
    for (int s = 0; s < 2 && !rc; s++)
        rc = fl_store_set_status(ab->store, ab->campaigns[s].run, status, err);
    return rc;
}

static void tell_begin(struct fl_ab *ab)
{
    const struct fl_ab_progress *progress = ab->request->progress;
    struct fl_ab_forecast forecast;
    size_t done = ab->campaigns[0].done + ab->campaigns[1].done;
    for (int s = 0; s < 2; s++) {
        ab->result->runs[s] = ab->campaigns[s].run;
        ab->carried += ab->campaigns[s].timed_seconds;
    }
    ab->result->cells = ab->count;
    progress->common.begin(progress->common.arg, ab->campaigns[0].run, ab->count, done, 0);
    fl_ab_predict(ab, &forecast);
    progress->predicted(progress->common.arg, &forecast);
}

static void sum_up(struct fl_ab *ab)
{
    struct fl_ab_result *result = ab->result;
    for (size_t i = 0; i < ab->count; i++) {
        const struct fl_ab_cell *cell = &ab->cells[i];
        bool failed = fl_ab_has_failed(ab, cell), closed = fl_ab_is_closed(ab, cell);
        result->failed += failed;
        result->unavailable += closed && !failed;
        result->open += ab->timed && !ab->request->rounds && !failed && !closed &&
                        cell->standing.state == FL_SEQUENTIAL_UNDECIDED;
    }
    result->samples = ab->results[0].samples + ab->results[1].samples;
}

static int measure(struct fl_ab *ab, struct fl_err *err)
{
    tell_begin(ab);
    int rc = fl_ab_count(ab, err);
    if (!rc && ab->timed)
        rc = fl_ab_time(ab, err);
    sum_up(ab);
    if (!rc)
        return set_status(ab, FL_RUN_FINISHED, err);
    struct fl_err ignored; /* the first error is the one to tell */
    int also = set_status(ab, rc == -EINTR ? FL_RUN_INTERRUPTED : FL_RUN_FAILED, &ignored);
    if (rc != -EINTR)
        return rc;
    ab->result->interrupted = true;
    return also ? fl_fail(err, also, "%s", ignored.text) : 0;
}

static int run(struct fl_ab *ab, struct fl_err *err)
{
    int rc = set_up(ab, err);
    if (!rc)
        rc = ab->request->resume ? fl_ab_resume(ab, err) : fl_ab_begin(ab, err);
    return rc ? rc : measure(ab, err);
}

static void release(struct fl_ab *ab)
{
    for (size_t i = 0; i < ab->count; i++)
        free(ab->cells[i].key);
    free(ab->cells);
    for (int s = 0; s < 2; s++) {
        fl_campaign_release(&ab->campaigns[s]);
        fl_run_description_release(&ab->descriptions[s]);
        fl_side_close(&ab->sides[s]);
    }
    fl_calibration_release(&ab->calibration);
    fl_store_close(ab->store);
    free(ab);
}

int fl_ab(const struct fl_ab_request *request, struct fl_ab_result *result, struct fl_err *err)
{
    struct fl_measurement_lock lock;
    struct fl_ab *ab = calloc(1, sizeof *ab);
    *result = (struct fl_ab_result){.pairing = 0};
    if (!ab)
        return fl_fail(err, -ENOMEM, "out of memory");
    ab->request = request;
    ab->result = result;
    ab->quiet = (struct fl_progress){ignore_begin, forward_sample,  forward_waiting,
                                     forward_note, forward_warning, ab};
    /* A side may have to be built: that is not for when somebody else measures. */
    int rc = fl_measurement_lock_open(&lock, request->lock, -1, tell_waiting, ab, err);
    if (!rc) {
        rc = open_sides(ab, err);
        if (!rc)
            rc = run(ab, err);
        fl_measurement_lock_close(&lock);
    }
    release(ab);
    return rc;
}
