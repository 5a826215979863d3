/* SPDX-License-Identifier: Apache-2.0 */
/* Counting samples of both sides in one random order, until the judge of counts has enough. */
#include "runner/ab-counting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/random.h"
#include "runner/counter-hold.h"

static int usual_rounds(const struct fl_ab *ab)
{
    return ab->request->scenarios[FL_AB_BASE]->counting_rounds;
}

bool fl_ab_judges_count(const struct fl_ab *ab, const struct fl_metric *metric)
{
    return (metric->kind == FL_METRIC_EXACT || metric->kind == FL_METRIC_SET) &&
           fl_scenario_gate_judges(&ab->request->scenarios[FL_AB_BASE]->gate, metric->name,
                                   metric->kind);
}

/* ---- what the judge says ---- */

/* Values per call of one metric, of the samples that have it. */
static size_t gather(const struct fl_campaign *campaign, size_t place, size_t metric, double *out)
{
    const struct fl_campaign_cell *cell = &campaign->cells[place];
    size_t metrics = campaign->sampler.metric_count, count = 0;
    for (int s = 0; s < cell->counted; s++) {
        int64_t total = cell->totals[(size_t)s * metrics + metric];
        if (total == -1)
            continue;
        if (campaign->sampler.wanted[metric].ratio)
            memcpy(&out[count++], &total, sizeof total);
        else
            out[count++] = (double)total / (double)cell->counted_calls;
    }
    return count;
}

/* Samples a side that the metric needs to be judged. */
static int judge(const struct fl_ab *ab, const struct fl_ab_cell *cell, size_t metric,
                 double *values, size_t *needs, struct fl_err *err)
{
    const struct fl_metric *wanted = &ab->campaigns[0].sampler.wanted[metric];
    struct fl_counts_values lists[2];
    struct fl_counts judged;
    struct fl_gate_limits limits;
    double *to = values;
    for (int s = 0; s < 2; s++) {
        lists[s] =
            (struct fl_counts_values){to, gather(&ab->campaigns[s], cell->place[s], metric, to)};
        to += lists[s].count;
    }
    if (!lists[0].count || !lists[1].count)
        return 0;
    fl_scenario_gate_limits(&ab->request->scenarios[FL_AB_BASE]->gate, cell->key, wanted->name,
                            &limits);
    const struct fl_counts_rule rule = {
        .exact = wanted->kind == FL_METRIC_EXACT,
        .better = wanted->better,
        .slack = limits.slack,
        .planned = ab->planned,
    };
    int rc = fl_counts_judge(&rule, &lists[0], &lists[1], &judged);
    if (rc)
        return fl_fail(err, rc, "cannot judge '%s' of '%.200s'", wanted->name, cell->key);
    if (judged.needs > *needs)
        *needs = judged.needs;
    return 0;
}

static int update(struct fl_ab *ab, struct fl_ab_cell *cell, double *values, struct fl_err *err)
{
    const struct fl_sampler *sampler = &ab->campaigns[0].sampler;
    int rc = 0;
    cell->needs = 0;
    for (size_t i = 0; i < sampler->metric_count && !rc; i++)
        if (fl_ab_judges_count(ab, &sampler->wanted[i]))
            rc = judge(ab, cell, i, values, &cell->needs, err);
    return rc;
}

/* ---- samples ---- */

static bool is_taken(const struct fl_ab *ab, const struct fl_campaign_cell *cell, int round)
{
    int beyond = round - usual_rounds(ab);
    return beyond < 0 ? cell->done[round] : cell->extra > beyond;
}

static bool is_wanted(const struct fl_ab *ab, const struct fl_ab_cell *cell, int round)
{
    if (fl_ab_is_closed(ab, cell) || (!ab->request->rounds && fl_ab_has_failed(ab, cell)))
        return false;
    return round < usual_rounds(ab) || (size_t)round < cell->needs;
}

/* One sample of each side of every cell that wants one; `order` has room for both sides of all. */
static int sweep(struct fl_ab *ab, int round, size_t *order, struct fl_err *err)
{
    uint64_t state = ab->campaigns[0].seed ^ ((uint64_t)round + 1) * 0xa0761d6478bd642fu;
    fl_random_order(&state, order, 2 * ab->count);
    for (size_t i = 0; i < 2 * ab->count; i++) {
        const struct fl_ab_cell *cell = &ab->cells[order[i] / 2];
        struct fl_campaign *campaign = &ab->campaigns[order[i] % 2];
        size_t place = cell->place[order[i] % 2];
        const struct fl_campaign_task task = {
            .mode = FL_SAMPLE_COUNTED,
            .round = round,
            .padding = 1 + fl_random_below(&state, 4096),
        };
        if (!is_wanted(ab, cell, round) || is_taken(ab, &campaign->cells[place], round))
            continue;
        int rc = fl_campaign_take(campaign, place, &task, err);
        if (rc)
            return rc;
    }
    return 0;
}

/* Asks for all cells that have what they needed; *open: some need more. */
static int ask(struct fl_ab *ab, int rounds, double *values, bool *open, struct fl_err *err)
{
    int rc = 0;
    *open = false;
    for (size_t i = 0; i < ab->count && !rc; i++) {
        struct fl_ab_cell *cell = &ab->cells[i];
        if (cell->needs <= (size_t)rounds)
            rc = update(ab, cell, values, err);
        *open |= cell->needs > (size_t)rounds && is_wanted(ab, cell, rounds);
    }
    return rc;
}

static int count(struct fl_ab *ab, size_t *order, double *values, struct fl_err *err)
{
    int rc = 0, round = 0, most = usual_rounds(ab) + FL_AB_COUNTING_MORE;
    bool open = true;
    for (; round < usual_rounds(ab) && !rc; round++)
        rc = sweep(ab, round, order, err);
    while (!rc && open && round < most) {
        rc = ask(ab, round, values, &open, err);
        if (!rc && open)
            rc = sweep(ab, round++, order, err);
    }
    return rc;
}

int fl_ab_count(struct fl_ab *ab, struct fl_err *err)
{
    struct fl_counter_hold hold;
    const struct fl_sampler *sampler = &ab->campaigns[0].sampler;
    if (!usual_rounds(ab))
        return 0;
    size_t samples = (size_t)usual_rounds(ab) + FL_AB_COUNTING_MORE;
    size_t *order = malloc(2 * ab->count * sizeof *order);
    double *values = malloc(2 * samples * sizeof *values);
    fl_counter_hold_open(&hold, sampler->wanted, sampler->metric_count);
    int rc =
        order && values ? count(ab, order, values, err) : fl_fail(err, -ENOMEM, "out of memory");
    fl_counter_hold_close(&hold);
    free(order);
    free(values);
    return rc;
}
