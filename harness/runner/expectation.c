/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over the run's samples. A rule is broken for a cell as soon as one sample disagrees;
 * least and greatest value per call are kept to say what was measured.
 */
#include "runner/expectation.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/registry.h"

/* RULE_WAITING: the cell is selected, and no sample yet has the facts that the rule asks for. */
enum rule_state { RULE_ELSEWHERE, RULE_WAITING, RULE_OPEN, RULE_HELD, RULE_BROKEN };

/* Values per call of one cell and metric. */
struct spread {
    double least, greatest;
    size_t count;
};

struct judge {
    struct fl_campaign *campaign;
    const struct fl_rule *rules;
    size_t rule_count, metric_count;
    struct spread *spreads; /* [cell][metric] */
    uint8_t *states;        /* [cell][rule], enum rule_state */
    /* Of the sample at hand. */
    const struct fl_sample *sample;
    size_t cell;
};

static struct spread *spread_of(const struct judge *judge, size_t cell, size_t metric)
{
    return &judge->spreads[cell * judge->metric_count + metric];
}

static uint8_t *state_of(const struct judge *judge, size_t cell, size_t rule)
{
    return &judge->states[cell * judge->rule_count + rule];
}

static double per_call(const struct fl_metric *metric, const struct fl_value *value, int64_t calls)
{
    double total = value->is_real ? value->real : (double)value->total;
    if (!fl_metric_per_call(metric))
        return total;
    return total * (value->scale > 0 ? value->scale : 1) / (double)calls;
}

static void widen(struct spread *spread, double value)
{
    if (!spread->count || value < spread->least)
        spread->least = value;
    if (!spread->count || value > spread->greatest)
        spread->greatest = value;
    spread->count++;
}

static void judge_value(const struct judge *judge, size_t metric, double value)
{
    const char *name = judge->campaign->sampler.wanted[metric].name;
    widen(spread_of(judge, judge->cell, metric), value);
    for (size_t r = 0; r < judge->rule_count; r++) {
        const struct fl_rule *rule = &judge->rules[r];
        uint8_t *state = state_of(judge, judge->cell, r);
        if (*state < RULE_OPEN || strcmp(rule->metric, name) ||
            !fl_rule_meets_facts(rule, judge->sample->facts, judge->sample->fact_count))
            continue;
        if (!fl_rule_holds(rule, value))
            *state = RULE_BROKEN;
        else if (*state == RULE_OPEN)
            *state = RULE_HELD;
    }
}

static int take_value(void *arg, const struct fl_value *value)
{
    struct judge *judge = arg;
    const struct fl_sampler *sampler = &judge->campaign->sampler;
    for (size_t i = 0; i < judge->metric_count; i++)
        if (sampler->metric_ids[i] == value->metric && value->state == FL_READING_OK)
            judge_value(judge, i, per_call(&sampler->wanted[i], value, judge->sample->calls));
    return 0;
}

/* Rules that waited for a sample with these facts. */
static void open_rules(const struct judge *judge)
{
    for (size_t r = 0; r < judge->rule_count; r++) {
        uint8_t *state = state_of(judge, judge->cell, r);
        if (*state == RULE_WAITING &&
            fl_rule_meets_facts(&judge->rules[r], judge->sample->facts, judge->sample->fact_count))
            *state = RULE_OPEN;
    }
}

static int take_sample(void *arg, const struct fl_stored_sample *stored)
{
    struct judge *judge = arg;
    struct fl_campaign *campaign = judge->campaign;
    if (stored->sample.outcome != FL_OUTCOME_OK || stored->sample.calls < 1)
        return 0;
    judge->sample = &stored->sample;
    judge->cell = fl_campaign_find(campaign, stored->sample.cell);
    if (judge->cell == campaign->plan.count)
        return 0;
    open_rules(judge);
    return fl_store_values(campaign->request->store, stored->id, take_value, judge, NULL);
}

static int select_cells(const struct judge *judge, struct fl_err *err)
{
    for (size_t c = 0; c < judge->campaign->plan.count; c++) {
        struct fl_cell cell;
        int rc = fl_cell_parse(&cell, judge->campaign->plan.keys[c], err);
        if (rc)
            return rc;
        for (size_t r = 0; r < judge->rule_count; r++)
            if (fl_rule_selects(&judge->rules[r], &cell))
                *state_of(judge, c, r) =
                    fl_rule_asks_facts(&judge->rules[r]) ? RULE_WAITING : RULE_OPEN;
    }
    return 0;
}

/* A rule that selects no cell judges nothing: right with --set or --short, or where another version
 * of a library was measured, else a slip. */
static void tell_unused_rules(const struct judge *judge)
{
    const struct fl_progress *progress = judge->campaign->request->progress;
    size_t unused = 0, first = 0;
    for (size_t r = 0; r < judge->rule_count; r++) {
        size_t c = 0;
        while (c < judge->campaign->plan.count && *state_of(judge, c, r) < RULE_OPEN)
            c++;
        if (c == judge->campaign->plan.count && !unused++)
            first = r;
    }
    char text[256];
    snprintf(text, sizeof text, "%zu of %zu rules select no cell of this run, the first in line %d",
             unused, judge->rule_count, judge->rules[first].line);
    if (unused)
        progress->note(progress->arg, text);
}

static const struct spread *spread_named(const struct judge *judge, size_t cell, const char *metric)
{
    for (size_t i = 0; i < judge->metric_count; i++)
        if (!strcmp(judge->campaign->sampler.wanted[i].name, metric))
            return spread_of(judge, cell, i);
    return NULL;
}

/* The texts of one stored row. */
struct row_text {
    char expected[96], measured[96];
};

static void describe(const struct judge *judge, size_t cell, size_t rule, struct row_text *text,
                     struct fl_expectation *row)
{
    const struct spread *spread = spread_named(judge, cell, judge->rules[rule].metric);
    uint8_t state = *state_of(judge, cell, rule);
    fl_rule_expected(&judge->rules[rule], text->expected, sizeof text->expected);
    bool measured = spread && spread->count;
    if (measured && spread->least == spread->greatest)
        snprintf(text->measured, sizeof text->measured, "%.15g", spread->least);
    else if (measured)
        snprintf(text->measured, sizeof text->measured, "%.6g to %.6g", spread->least,
                 spread->greatest);
    bool judged = !judge->rules[rule].published && state != RULE_OPEN;
    *row = (struct fl_expectation){
        .rule = judge->rules[rule].text,
        .metric = judge->rules[rule].metric,
        .host = judge->rules[rule].published ? judge->rules[rule].host : NULL,
        .cell = judge->campaign->cells[cell].id,
        .expected = text->expected,
        .measured = measured ? text->measured : NULL,
        .held = judged ? state == RULE_HELD : -1,
    };
}

static size_t selected(const struct judge *judge)
{
    size_t count = 0;
    for (size_t i = 0; i < judge->campaign->plan.count * judge->rule_count; i++)
        count += judge->states[i] >= RULE_OPEN;
    return count;
}

static int store_rows(const struct judge *judge, struct fl_err *err)
{
    struct fl_run_result *result = judge->campaign->result;
    size_t most = selected(judge), count = 0;
    struct fl_expectation *rows = calloc(most + 1, sizeof *rows);
    struct row_text *texts = calloc(most + 1, sizeof *texts);
    int rc = rows && texts ? 0 : fl_fail(err, -ENOMEM, "out of memory");
    for (size_t r = 0; r < judge->rule_count && !rc; r++)
        for (size_t c = 0; c < judge->campaign->plan.count; c++) {
            if (*state_of(judge, c, r) < RULE_OPEN)
                continue;
            describe(judge, c, r, &texts[count], &rows[count]);
            result->expectations += rows[count].held >= 0;
            result->broken += rows[count].held == 0;
            result->undecided += rows[count].held < 0 && !judge->rules[r].published;
            count++;
        }
    if (!rc)
        rc = fl_store_set_expectations(judge->campaign->request->store, judge->campaign->run, rows,
                                       count, err);
    free(rows);
    free(texts);
    return rc;
}

int fl_expectations_judge(struct fl_campaign *campaign, struct fl_err *err)
{
    const struct fl_scenario *scenario = campaign->request->scenario;
    struct judge judge = {.campaign = campaign,
                          .rules = scenario->expectations,
                          .rule_count = scenario->expectation_count,
                          .metric_count = campaign->sampler.metric_count};
    if (!judge.rule_count)
        return 0;
    judge.spreads = calloc(campaign->plan.count * judge.metric_count, sizeof *judge.spreads);
    judge.states = calloc(campaign->plan.count * judge.rule_count, sizeof *judge.states);
    int rc = judge.spreads && judge.states ? 0 : fl_fail(err, -ENOMEM, "out of memory");
    if (!rc)
        rc = select_cells(&judge, err);
    if (!rc)
        rc = fl_store_samples(campaign->request->store, campaign->run, take_sample, &judge, err);
    if (!rc)
        tell_unused_rules(&judge);
    if (!rc)
        rc = store_rows(&judge, err);
    free(judge.spreads);
    free(judge.states);
    return rc;
}
