/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of a thing with itself, made into what is known of a machine. */
#include "results/pair-calibration.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/reals.h"
#include "results/number.h"
#include "results/sequential.h"
#include "results/series.h"
#include "results/signed-rank.h"
#include "text.h"

/* Both runs as they are read, while the calibration is made. */
struct both {
    struct fl_store *store;
    struct fl_calibration *out;
    struct fl_pairing pairing;
    struct fl_series_set runs[2];
    size_t time[2]; /* place of the metric */
    size_t room;    /* for cells */
};

static int out_of_memory(struct fl_err *err)
{
    return fl_fail(err, -ENOMEM, "cannot read a calibration: out of memory");
}

/* ---- pairs ---- */

/* Log ratios of the rounds that both have. */
static size_t pair_up(const struct fl_round_row *base, const struct fl_round_row *head, double *out)
{
    size_t count = 0;
    for (size_t i = 0, j = 0; i < base->count && j < head->count;) {
        const struct fl_round_value *b = &base->values[i], *h = &head->values[j];
        if (b->round == h->round && b->value > 0 && h->value > 0)
            out[count++] = log(h->value / b->value);
        i += b->round <= h->round;
        j += h->round <= b->round;
    }
    return count;
}

/* 1.4826 times the median distance from the median: a few wild pairs do not move it. */
static double spread_of(double *losses, size_t count)
{
    if (count < 3)
        return (double)NAN;
    double middle = fl_reals_median(losses, count);
    for (size_t i = 0; i < count; i++)
        losses[i] = fabs(losses[i] - middle);
    return 1.4826 * fl_reals_median(losses, count);
}

static double percent(double loss)
{
    return 100 * expm1(loss);
}

static int know(struct fl_calibration_cell *cell, double *losses, size_t count)
{
    struct fl_shift shift = {(double)NAN, (double)NAN, (double)NAN};
    int rc = count ? fl_signed_rank_shift(losses, count, &shift) : 0;
    if (rc)
        return rc;
    cell->pairs = count;
    cell->lean = percent(shift.estimate);
    if (shift.low > 0)
        cell->bias = percent(shift.high);
    else if (shift.high < 0)
        cell->bias = percent(-shift.low);
    cell->spread = spread_of(losses, count);
    return 0;
}

static size_t place_of(const struct fl_summary *plan, int64_t cell)
{
    size_t i = 0;
    while (i < plan->cell_count && plan->cells[i].id != cell)
        i++;
    return i;
}

static int add_cell(const struct both *both, const char *key, const size_t place[2])
{
    struct fl_calibration *out = both->out;
    const struct fl_round_row *rows[2];
    for (int s = 0; s < 2; s++)
        rows[s] = &both->runs[s].cells[place[s]].items[both->time[s]].timed;
    double *losses = malloc((rows[0]->count + 1) * sizeof *losses);
    if (!losses)
        return -ENOMEM;
    size_t count = pair_up(rows[0], rows[1], losses);
    out->cells[out->count].key = key;
    int rc = know(&out->cells[out->count++], losses,
                  count < FL_SIGNED_RANK_MAX ? count : FL_SIGNED_RANK_MAX);
    free(losses);
    return rc;
}

/* ---- counts ---- */

/* What every process is to read alike, or one of a few. */
static bool is_counted(const struct fl_metric *metric)
{
    return metric->kind == FL_METRIC_EXACT || metric->kind == FL_METRIC_SET;
}

/* `61 | 62`, each once. */
static const char *list_values(struct fl_arena *arena, double *values, size_t count)
{
    char text[512], number[FL_NUMBER_TEXT];
    size_t used = 0;
    fl_reals_sort(values, count);
    for (size_t i = 0; i < count && used < sizeof text - FL_NUMBER_TEXT - 4; i++) {
        if (i && values[i] <= values[i - 1])
            continue;
        fl_number_text((struct fl_number){.is_real = true, .real = values[i]}, number);
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " | " : "", number);
    }
    return fl_text_copy(arena, text);
}

static int add_count(const struct both *both, const char *key, const struct fl_metric *metric,
                     const struct fl_round_row *rows[2])
{
    struct fl_calibration *out = both->out;
    double *values = malloc((rows[0]->count + rows[1]->count) * sizeof *values);
    size_t count = 0;
    if (!values)
        return -ENOMEM;
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < rows[s]->count; i++)
            values[count++] = rows[s]->values[i].value;
    struct fl_calibration_count *row = &out->counts[out->count_count++];
    row->key = key;
    row->samples = count;
    row->metric = fl_text_copy(&out->arena, metric->name);
    row->unit = fl_text_copy(&out->arena, metric->unit);
    row->values = list_values(&out->arena, values, count);
    free(values);
    return row->metric && row->unit && row->values ? 0 : -ENOMEM;
}

/* The sides are two runs of one scenario: metrics stand in the same places. */
static int add_counts(const struct both *both, const char *key, const size_t place[2])
{
    const struct fl_summary *plan = &both->runs[0].plan;
    int rc = 0;
    for (size_t m = 0; m < plan->metric_count && m < both->runs[1].plan.metric_count && !rc; m++) {
        const struct fl_round_row *rows[2];
        for (int s = 0; s < 2; s++)
            rows[s] = &both->runs[s].cells[place[s]].items[m].counted;
        if (is_counted(&plan->metrics[m].metric) && rows[0]->count + rows[1]->count)
            rc = add_count(both, key, &plan->metrics[m].metric, rows);
    }
    return rc;
}

static int take_cell(void *arg, const struct fl_paired_cell *row)
{
    const struct both *both = arg;
    const size_t place[2] = {place_of(&both->runs[0].plan, row->base),
                             place_of(&both->runs[1].plan, row->head)};
    if (both->out->count == both->room || place[0] == both->runs[0].plan.cell_count ||
        place[1] == both->runs[1].plan.cell_count)
        return 0;
    const char *key = fl_text_copy(&both->out->arena, row->key);
    int rc = key ? add_cell(both, key, place) : -ENOMEM;
    return rc ? rc : add_counts(both, key, place);
}

/* ---- reading ---- */

static int keep_pairing(void *arg, const struct fl_pairing *pairing)
{
    struct both *both = arg;
    both->pairing = *pairing;
    both->pairing.base_side = both->pairing.head_side = NULL;
    return 0;
}

static int keep_this(void *arg, const struct fl_pairing *pairing)
{
    struct both *both = arg;
    return pairing->id == both->out->pairing ? keep_pairing(arg, pairing) : 0;
}

/* Place of the metric, metric_count where the run has none. */
static size_t time_in(const struct fl_summary *summary)
{
    size_t i = 0;
    while (i < summary->metric_count && strcmp(summary->metrics[i].metric.name, "time") != 0)
        i++;
    return i;
}

static int read_run(struct both *both, int side, struct fl_err *err)
{
    int64_t run = side ? both->pairing.head : both->pairing.base;
    struct fl_series_set *set = &both->runs[side];
    int rc = fl_series_read(both->store, run, set, err);
    if (rc)
        return rc;
    both->time[side] = time_in(&set->plan);
    if (both->time[side] < set->plan.metric_count)
        return 0;
    return fl_fail(err, -EINVAL, "run %lld has no times", (long long)run);
}

static int read_cells(struct both *both, struct fl_err *err)
{
    struct fl_calibration *out = both->out;
    const struct fl_summary *plan = &both->runs[0].plan;
    out->settle = (double)plan->run.info.settle_ns * 1e-9;
    out->window = (double)plan->run.info.window_ns * 1e-9;
    both->room = plan->cell_count;
    size_t counts = both->room * plan->metric_count;
    out->cells = fl_arena_alloc(&out->arena, (both->room + 1) * sizeof *out->cells, 16);
    out->counts = fl_arena_alloc(&out->arena, (counts + 1) * sizeof *out->counts, 16);
    if (!out->cells || !out->counts)
        return out_of_memory(err);
    err->text[0] = 0;
    int rc = fl_pairing_cells(both->store, out->pairing, take_cell, both, err);
    return rc && !err->text[0] ? out_of_memory(err) : rc;
}

static int read_both(struct both *both, struct fl_err *err)
{
    int rc = fl_pairings(both->store, keep_this, both, err);
    if (!rc && both->pairing.id != both->out->pairing)
        rc = fl_fail(err, -ENOENT, "there is no calibration %lld", (long long)both->out->pairing);
    for (int side = 0; side < 2 && !rc; side++)
        rc = read_run(both, side, err);
    return rc ? rc : read_cells(both, err);
}

int fl_calibration_read(struct fl_store *store, int64_t pairing, struct fl_calibration *out,
                        struct fl_err *err)
{
    struct both both = {.store = store, .out = out};
    *out = (struct fl_calibration){.pairing = pairing};
    int rc = read_both(&both, err);
    for (int side = 0; side < 2; side++)
        fl_series_release(&both.runs[side]);
    if (rc)
        fl_calibration_release(out);
    return rc;
}

void fl_calibration_release(struct fl_calibration *calibration)
{
    fl_arena_release(&calibration->arena);
    *calibration = (struct fl_calibration){.pairing = 0};
}

const struct fl_calibration_cell *fl_calibration_cell(const struct fl_calibration *calibration,
                                                      const char *key)
{
    for (size_t i = 0; i < calibration->count; i++)
        if (!strcmp(calibration->cells[i].key, key))
            return &calibration->cells[i];
    return NULL;
}

/* ---- the one that holds ---- */

struct search {
    struct fl_store *store;
    const struct fl_calibration_wanted *wanted;
    int64_t found;
    bool holds; /* the run that was looked at last */
};

static int look_at_run(void *arg, const struct fl_run_record *record)
{
    struct search *search = arg;
    const struct fl_calibration_wanted *wanted = search->wanted;
    const struct fl_run_info *info = &record->info;
    search->holds =
        record->status == FL_RUN_FINISHED && !strcmp(info->scenario, wanted->scenario) &&
        !strcmp(info->fingerprint, wanted->fingerprint) && !strcmp(info->host, wanted->host) &&
        info->settle_ns == wanted->settle_ns && info->window_ns == wanted->window_ns;
    return 0;
}

static int look_at(void *arg, const struct fl_pairing *pairing)
{
    struct search *search = arg;
    if (pairing->purpose != FL_PAIRING_CALIBRATE)
        return 0;
    int rc = fl_store_run(search->store, pairing->base, look_at_run, search, NULL);
    if (!rc && search->holds)
        search->found = pairing->id;
    return rc;
}

int fl_calibration_find(struct fl_store *store, const struct fl_calibration_wanted *wanted,
                        struct fl_calibration *out, struct fl_err *err)
{
    struct search search = {.store = store, .wanted = wanted};
    *out = (struct fl_calibration){.pairing = 0};
    int rc = fl_pairings(store, look_at, &search, err);
    return rc || !search.found ? rc : fl_calibration_read(store, search.found, out, err);
}

/* ---- what follows ---- */

/* Normal quantiles of a pass at 0.2 % that comes 95 times in 100. */
#define PASS_QUANTILE  2.878
#define POWER_QUANTILE 1.645
/* Pairs that a signed rank needs for one that a mean of normal noise does. */
#define EFFICIENCY     1.0472

size_t fl_calibration_rounds(double spread, double detect)
{
    double reach = log1p(detect / 100);
    double needed = pow((PASS_QUANTILE + POWER_QUANTILE) * spread / reach, 2) * EFFICIENCY;
    size_t look = 0;
    while (look + 1 < FL_SEQUENTIAL_LOOKS && !(needed <= (double)fl_sequential_pairs(look)))
        look++;
    return fl_sequential_pairs(look);
}

/* Of a process that computes what a call costs: start, operands, rehearsal and check. */
#define PROCESS_SECONDS 0.015

double fl_calibration_pair_seconds(double settle, double window)
{
    return 2 * (settle + window + PROCESS_SECONDS);
}
