/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds: every cell once, in a new random order, one transaction a sample. */
#include "runner/campaign.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/random.h"
#include "faultline/registry.h"
#include "runner/counter-hold.h"
#include "runner/crossover.h"
#include "runner/planning.h"

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

int fl_campaign_set_up(struct fl_campaign *campaign, const struct fl_run_description *description,
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

int fl_campaign_begin(struct fl_campaign *campaign, const struct fl_run_description *description,
                      struct fl_err *err)
{
    struct fl_run_info info;
    const struct fl_side *side = campaign->side;
    const struct fl_commit *commit = campaign->request->commit;
    campaign->seed = campaign->request->seed;
    fl_run_describe(description, campaign->request, &info);
    if (side->commit_id[0]) {
        info.commit_id = side->commit_id;
        info.commit_ns = side->commit_ns;
    } else if (commit && commit->id[0]) {
        info.commit_id = commit->id;
        info.commit_ns = commit->time_ns;
    }
    int rc = fl_store_begin_run(campaign->request->store, &info, &campaign->run, err);
    if (!rc)
        rc = fl_planning_store(campaign, 0, err);
    return rc ? rc : fl_campaign_index(campaign, err);
}

/* ---- cells ---- */

static int counting_rounds(const struct fl_campaign *campaign)
{
    return campaign->request->scenario->counting_rounds;
}

size_t fl_campaign_rounds(const struct fl_campaign *campaign)
{
    const struct fl_scenario *scenario = campaign->request->scenario;
    return (size_t)scenario->counting_rounds + (size_t)scenario->rounds;
}

static int most_counted(const struct fl_campaign *campaign)
{
    return counting_rounds(campaign) + (campaign->more ? campaign->more : FL_COUNTING_MORE);
}

int fl_campaign_make_cells(struct fl_campaign *campaign, struct fl_err *err)
{
    campaign->cells = calloc(campaign->plan.count, sizeof *campaign->cells);
    bool made = campaign->cells != NULL;
    for (size_t i = 0; i < campaign->plan.count && made; i++) {
        campaign->cells[i].done = calloc(fl_campaign_rounds(campaign) + 1, 1);
        made = campaign->cells[i].done != NULL;
    }
    return made ? 0 : fl_fail(err, -ENOMEM, "out of memory");
}

int fl_campaign_append(struct fl_campaign *campaign, const char *key, struct fl_err *err)
{
    size_t at = campaign->plan.count;
    struct fl_campaign_cell *grown = realloc(campaign->cells, (at + 1) * sizeof *grown);
    uint8_t *done = calloc(fl_campaign_rounds(campaign) + 1, 1);
    if (grown)
        campaign->cells = grown;
    if (!grown || !done || fl_plan_add(&campaign->plan, key)) {
        free(done);
        return fl_fail(err, -ENOMEM, "out of memory");
    }
    /* Of the counting rounds none is to be taken. */
    memset(done, 1, (size_t)counting_rounds(campaign));
    grown[at] = (struct fl_campaign_cell){.done = done};
    return 0;
}

static int compare_ids(const void *a, const void *b, void *arg)
{
    const struct fl_campaign_cell *cells = arg;
    int64_t x = cells[*(const size_t *)a].id, y = cells[*(const size_t *)b].id;
    return (x > y) - (x < y);
}

int fl_campaign_index(struct fl_campaign *campaign, struct fl_err *err)
{
    size_t count = campaign->plan.count;
    free(campaign->by_id);
    campaign->by_id = malloc(count * sizeof *campaign->by_id);
    if (!campaign->by_id)
        return fl_fail(err, -ENOMEM, "out of memory");
    for (size_t i = 0; i < count; i++)
        campaign->by_id[i] = i;
    qsort_r(campaign->by_id, count, sizeof *campaign->by_id, compare_ids, campaign->cells);
    return 0;
}

size_t fl_campaign_find(const struct fl_campaign *campaign, int64_t id)
{
    size_t low = 0, high = campaign->plan.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2, place = campaign->by_id[middle];
        if (campaign->cells[place].id == id)
            return place;
        if (campaign->cells[place].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return campaign->plan.count;
}

static size_t undone(const struct fl_campaign *campaign, const struct fl_campaign_cell *cell)
{
    size_t count = 0;
    for (size_t r = 0; r < fl_campaign_rounds(campaign); r++)
        count += !cell->done[r];
    return count;
}

size_t fl_campaign_left(const struct fl_campaign *campaign, size_t index)
{
    const struct fl_campaign_cell *cell = &campaign->cells[index];
    return cell->unavailable ? 0 : undone(campaign, cell);
}

/* ---- agreement of exact metrics ---- */

/* The same in every process, or one of a few values. */
static bool is_counted(const struct fl_metric *metric)
{
    return metric->kind == FL_METRIC_EXACT || metric->kind == FL_METRIC_SET;
}

/* What two processes must read alike: of a ratio its bits, never those of -1. */
static int64_t exact_reading(const struct fl_value *value)
{
    int64_t bits = value->total;
    if (value->is_real)
        memcpy(&bits, &value->real, sizeof bits);
    return bits;
}

static int keep_totals(struct fl_campaign *campaign, struct fl_campaign_cell *cell,
                       const struct fl_sample *row)
{
    size_t metrics = campaign->sampler.metric_count, rows = (size_t)most_counted(campaign);
    if (!cell->totals)
        cell->totals = malloc(rows * metrics * sizeof *cell->totals);
    if (!cell->totals)
        return -ENOMEM;
    if (cell->counted == most_counted(campaign))
        return 0;
    int64_t *mine = cell->totals + (size_t)cell->counted * metrics;
    for (size_t i = 0; i < metrics; i++)
        mine[i] = -1;
    for (size_t v = 0; v < row->value_count; v++)
        for (size_t i = 0; i < metrics; i++)
            if (row->values[v].metric == campaign->sampler.metric_ids[i] &&
                is_counted(&campaign->sampler.wanted[i]) && row->values[v].state == FL_READING_OK)
                mine[i] = exact_reading(&row->values[v]);
    cell->counted++;
    cell->counted_calls = row->calls;
    return 0;
}

static bool two_agree(const struct fl_campaign *campaign, const struct fl_campaign_cell *cell,
                      size_t metric)
{
    size_t metrics = campaign->sampler.metric_count;
    for (int i = 0; i < cell->counted; i++)
        for (int j = 0; j < i; j++)
            if (cell->totals[(size_t)i * metrics + metric] ==
                cell->totals[(size_t)j * metrics + metric])
                return true;
    return false;
}

/* Has every exact metric been read alike by two counting processes? A cell of which none came
 * through has nothing to agree on, and one alone is enough where no more were asked for. */
static bool agreed(const struct fl_campaign *campaign, const struct fl_campaign_cell *cell)
{
    if (cell->counted < 2)
        return !cell->counted || counting_rounds(campaign) < 2;
    for (size_t i = 0; i < campaign->sampler.metric_count; i++)
        if (campaign->sampler.wanted[i].kind == FL_METRIC_EXACT && !two_agree(campaign, cell, i))
            return false;
    return true;
}

/* ---- one sample ---- */

int fl_campaign_give_up(struct fl_campaign *campaign, size_t index, const char *reason)
{
    struct fl_campaign_cell *cell = &campaign->cells[index];
    char *copy = strdup(reason ? reason : "");
    if (!copy)
        return -ENOMEM;
    free(cell->unavailable);
    cell->unavailable = copy;
    return 0;
}

static const struct fl_value *time_of(const struct fl_campaign *campaign,
                                      const struct fl_sample *row)
{
    for (size_t v = 0; v < row->value_count; v++)
        for (size_t i = 0; i < campaign->sampler.metric_count; i++)
            if (row->values[v].metric == campaign->sampler.metric_ids[i] &&
                !strcmp(campaign->sampler.wanted[i].name, "time"))
                return &row->values[v];
    return NULL;
}

static int keep_time(struct fl_campaign *campaign, struct fl_campaign_cell *cell,
                     const struct fl_sample *row)
{
    const struct fl_value *time = time_of(campaign, row);
    int rounds = campaign->request->scenario->rounds;
    if (!time || !row->calls || row->round >= rounds)
        return 0;
    if (!cell->times)
        cell->times = calloc((size_t)rounds, sizeof *cell->times);
    if (!cell->times)
        return -ENOMEM;
    cell->times[row->round] = time->real / (double)row->calls;
    return 0;
}

static bool went_wrong(enum fl_outcome outcome)
{
    return outcome != FL_OUTCOME_OK && outcome != FL_OUTCOME_UNAVAILABLE;
}

int fl_campaign_note(struct fl_campaign *campaign, size_t index, const struct fl_sample *row)
{
    struct fl_campaign_cell *cell = &campaign->cells[index];
    int counting = counting_rounds(campaign);
    bool counted = row->mode == FL_SAMPLE_COUNTED;
    campaign->result->failed += went_wrong(row->outcome);
    cell->failed |= went_wrong(row->outcome);
    campaign->timed_seconds += counted ? 0 : (double)row->duration_ns * 1e-9;
    campaign->result->unavailable += row->outcome == FL_OUTCOME_UNAVAILABLE;
    if (row->outcome == FL_OUTCOME_OK) {
        int rc = counted ? keep_totals(campaign, cell, row) : keep_time(campaign, cell, row);
        if (rc)
            return rc;
    }
    size_t slot = (size_t)(counted ? row->round : counting + row->round);
    if (counted && row->round >= counting)
        cell->extra = row->round - counting + 1;
    else if (slot < fl_campaign_rounds(campaign))
        cell->done[slot] = 1;
    /* What cannot run, or hangs, is not tried again in this run: each try costs a time-out. */
    if (row->outcome == FL_OUTCOME_UNAVAILABLE || row->outcome == FL_OUTCOME_TIMED_OUT)
        return fl_campaign_give_up(campaign, index, row->reason);
    return 0;
}

/* Operands of a cell are the same in every process of a round; rounds differ. */
static uint64_t operand_seed(const struct fl_campaign *campaign, int round)
{
    uint64_t state = campaign->seed + (uint64_t)round;
    return fl_random_next(&state) >> 16; /* 48 bits: passes through a double unharmed */
}

int fl_campaign_take(struct fl_campaign *campaign, size_t index,
                     const struct fl_campaign_task *what, struct fl_err *err)
{
    struct fl_campaign_cell *cell = &campaign->cells[index];
    const struct fl_progress *progress = campaign->request->progress;
    const struct fl_sample_task task = {
        .key = campaign->plan.keys[index],
        .run = campaign->run,
        .cell = cell->id,
        .mode = what->mode,
        .round = what->round,
        .seed = operand_seed(campaign, what->round),
        .calls = what->calls,
        .padding = what->padding,
    };
    int rc =
        campaign->side->ops->take(campaign->side, &campaign->sampler, &task, &campaign->taken, err);
    if (!rc)
        rc = fl_store_add_sample(campaign->request->store, &campaign->taken.row, NULL, err);
    if (rc)
        return rc;
    const struct fl_sample *row = &campaign->taken.row;
    rc = fl_campaign_note(campaign, index, row);
    if (rc)
        return fl_fail(err, rc, "out of memory");
    campaign->result->samples++;
    campaign->done++;
    if (cell->unavailable)
        campaign->total -= undone(campaign, cell);
    progress->sample(progress->arg, task.key, campaign->done, campaign->total, row->outcome,
                     row->reason);
    return 0;
}

static int take(struct fl_campaign *campaign, size_t index, enum fl_sample_mode mode, int round,
                struct fl_err *err)
{
    const struct fl_campaign_task task = {.mode = mode, .round = round};
    return fl_campaign_take(campaign, index, &task, err);
}

int fl_campaign_try(struct fl_campaign *campaign, size_t index, size_t padding, struct fl_err *err)
{
    const struct fl_sample_task task = {
        .key = campaign->plan.keys[index],
        .run = campaign->run,
        .cell = campaign->cells[index].id,
        .mode = FL_SAMPLE_TIMED,
        .seed = operand_seed(campaign, 0),
        .padding = padding,
    };
    return campaign->side->ops->take(campaign->side, &campaign->sampler, &task, &campaign->taken,
                                     err);
}

/* ---- rounds ---- */

static int sweep(struct fl_campaign *campaign, enum fl_sample_mode mode, int round, size_t *order,
                 struct fl_err *err)
{
    size_t slot = (size_t)(mode == FL_SAMPLE_COUNTED ? round : counting_rounds(campaign) + round);
    uint64_t state = campaign->seed ^ ((uint64_t)slot + 1) * 0xd1342543de82ef95u;
    fl_random_order(&state, order, campaign->plan.count);
    for (size_t i = 0; i < campaign->plan.count; i++) {
        struct fl_campaign_cell *cell = &campaign->cells[order[i]];
        if (cell->done[slot] || cell->unavailable)
            continue;
        int rc = take(campaign, order[i], mode, round, err);
        if (rc)
            return rc;
    }
    return 0;
}

int fl_campaign_take_timed(struct fl_campaign *campaign, size_t index, int round,
                           struct fl_err *err)
{
    const struct fl_campaign_cell *cell = &campaign->cells[index];
    if (cell->unavailable || cell->done[counting_rounds(campaign) + round])
        return 0;
    return take(campaign, index, FL_SAMPLE_TIMED, round, err);
}

static void tell_dispute(const struct fl_campaign *campaign, size_t index)
{
    char text[FL_CELL_KEY_MAX + 96];
    snprintf(text, sizeof text, "no two processes count alike, so its counts are not exact: %s",
             campaign->plan.keys[index]);
    campaign->request->progress->note(campaign->request->progress->arg, text);
}

/* More counting processes for the cells whose exact metrics no two processes agree on. */
static int settle_disputes(struct fl_campaign *campaign, struct fl_err *err)
{
    for (size_t i = 0; i < campaign->plan.count; i++) {
        struct fl_campaign_cell *cell = &campaign->cells[i];
        while (cell->extra < FL_COUNTING_MORE && !cell->unavailable && !agreed(campaign, cell)) {
            campaign->total++;
            int rc =
                take(campaign, i, FL_SAMPLE_COUNTED, counting_rounds(campaign) + cell->extra, err);
            if (rc)
                return rc;
        }
        if (!agreed(campaign, cell))
            tell_dispute(campaign, i);
    }
    return 0;
}

static int count(struct fl_campaign *campaign, size_t *order, struct fl_err *err)
{
    struct fl_counter_hold hold;
    fl_counter_hold_open(&hold, campaign->sampler.wanted, campaign->sampler.metric_count);
    int rc = 0;
    for (int r = 0; r < counting_rounds(campaign) && !rc; r++)
        rc = sweep(campaign, FL_SAMPLE_COUNTED, r, order, err);
    if (!rc)
        rc = settle_disputes(campaign, err);
    fl_counter_hold_close(&hold);
    return rc;
}

int fl_campaign_measure(struct fl_campaign *campaign, struct fl_err *err)
{
    size_t *order = malloc(campaign->plan.count * sizeof *order);
    if (!order)
        return fl_fail(err, -ENOMEM, "out of memory");
    int rc = count(campaign, order, err);
    for (int r = 0; r < campaign->request->scenario->rounds && !rc; r++)
        rc = sweep(campaign, FL_SAMPLE_TIMED, r, order, err);
    free(order);
    return rc ? rc : fl_crossovers_measure(campaign, err);
}

void fl_campaign_release(struct fl_campaign *campaign)
{
    for (size_t i = 0; campaign->cells && i < campaign->plan.count; i++) {
        free(campaign->cells[i].unavailable);
        free(campaign->cells[i].done);
        free(campaign->cells[i].totals);
        free(campaign->cells[i].times);
    }
    free(campaign->cells);
    free(campaign->by_id);
    campaign->cells = NULL;
    campaign->by_id = NULL;
    fl_plan_release(&campaign->plan);
}
