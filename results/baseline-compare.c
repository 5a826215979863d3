/* SPDX-License-Identifier: Apache-2.0 */
/* The counts of a run against those of a baseline, as rows of a comparison. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baseline-fields.h"
#include "faultline/reals.h"
#include "results/counts.h"
#include "results/text.h"

struct comparing {
    const struct fl_baseline *baseline;
    const struct fl_compare_options *options;
    struct fl_store *store;
    struct fl_series_set set;
    bool *met; /* counts of the baseline whose cell the run has */
    struct fl_compare *out;
    struct fl_err *err;
};

static int out_of_memory(struct comparing *c)
{
    return fl_fail(c->err, -ENOMEM, "cannot compare with a baseline: out of memory");
}

/* The first count of a cell, or where it would stand. */
static size_t first_of(const struct fl_baseline *baseline, const char *cell)
{
    size_t low = 0, high = baseline->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(baseline->counts[middle].cell, cell) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct fl_baseline_count *fl_baseline_find(const struct fl_baseline *baseline,
                                                 const char *cell, const char *metric)
{
    for (size_t i = first_of(baseline, cell);
         i < baseline->count && strcmp(baseline->counts[i].cell, cell) == 0; i++)
        if (!metric || strcmp(baseline->counts[i].metric, metric) == 0)
            return &baseline->counts[i];
    return NULL;
}

/* ---- rows ---- */

static struct fl_compare_row *new_row(struct comparing *c, const char *cell, const char *metric,
                                      enum fl_verdict verdict, const char *reason)
{
    struct fl_arena *arena = &c->out->arena;
    struct fl_compare_row *row = &c->out->rows[c->out->count++];

    *row = (struct fl_compare_row){
        .cell = fl_text_copy(arena, cell),
        .metric = fl_text_copy(arena, metric),
        .unit = "",
        .kind = FL_METRIC_SET,
        .gated = true,
    };
    fl_comparison_clear(&row->result);
    row->result.verdict = verdict;
    row->result.reason = reason ? fl_text_copy(arena, reason) : NULL;
    bool whole = row->cell && row->metric && (!reason || row->result.reason);
    return whole ? row : NULL;
}

/* ---- one count ---- */

struct judging {
    const struct fl_baseline_count *base;
    double *head; /* ascending */
    size_t count;
    double slack, sign; /* -1: more is better */
    bool exact, few;
};

static void describe(const struct judging *j, struct fl_comparison *out)
{
    out->base = fl_reals_middle(j->base->values, j->base->value_count);
    out->base_min = j->base->values[0];
    out->base_max = j->base->values[j->base->value_count - 1];
    out->head = fl_reals_middle(j->head, j->count);
    out->head_min = j->head[0];
    out->head_max = j->head[j->count - 1];
    out->head_count = j->count;
    if (out->base > 0)
        out->effect = 100 * (out->head / out->base - 1);
}

static bool is_legal(const struct fl_baseline_count *base, double value)
{
    for (size_t i = 0; i < base->value_count; i++)
        if (fl_reals_compare(&base->values[i], &value) == 0)
            return true;
    return false;
}

static bool all_legal(const struct judging *j)
{
    for (size_t i = 0; i < j->count; i++)
        if (!is_legal(j->base, j->head[i]))
            return false;
    return true;
}

/* By how much the best of the head is worse than the worst of the base, and the other way around.
 */
static void decide(const struct judging *j, struct fl_comparison *out)
{
    bool less = j->sign > 0;
    double loss = less ? out->head_min - out->base_max : out->base_min - out->head_max;
    double gain = less ? out->base_min - out->head_max : out->head_min - out->base_max;
    double most = less ? out->head_max - out->base_max : out->base_min - out->head_min;

    if (all_legal(j) || (most <= j->slack && gain <= 0)) {
        out->verdict = FL_VERDICT_PASS;
    } else if (loss > j->slack || gain > 0) {
        out->verdict = loss > j->slack ? FL_VERDICT_REGRESSION : FL_VERDICT_IMPROVEMENT;
        if (j->few) {
            out->verdict = FL_VERDICT_INCONCLUSIVE;
            out->reason = j->exact ? "fewer than 2 samples a side"
                                   : "all beyond the baseline, but fewer than 10 samples a side";
        }
    } else {
        out->verdict = FL_VERDICT_INCONCLUSIVE;
        out->reason = "some values are not in the baseline";
    }
}

static int judge(struct comparing *c, const struct fl_baseline_count *count,
                 const struct fl_metric *metric, const struct fl_series *series,
                 struct fl_compare_row *row)
{
    size_t samples = series->counted.count;
    struct fl_verdict_rule rule = {.tolerance = FL_VERDICT_TOLERANCE,
                                   .detect = FL_VERDICT_DETECT,
                                   .slack = c->options->slack,
                                   .planned = 1};
    double *head = malloc(samples * sizeof(*head));

    if (!head)
        return out_of_memory(c);
    for (size_t i = 0; i < samples; i++)
        head[i] = series->counted.values[i].value;
    fl_reals_sort(head, samples);
    if (c->options->limits)
        c->options->limits(c->options->limits_arg, row->cell, metric, &rule);
    bool exact = metric->kind == FL_METRIC_EXACT && count->value_count == 1 &&
                 fl_reals_compare(&head[0], &head[samples - 1]) == 0;
    size_t least = exact ? FL_COUNTS_EXACT : FL_COUNTS_FIRST;
    const struct judging j = {.base = count,
                              .head = head,
                              .count = samples,
                              .slack = rule.slack,
                              .sign = metric->better == FL_MORE_IS_BETTER ? -1 : 1,
                              .exact = exact,
                              .few = samples < least || c->baseline->samples < least};
    row->result.base_count = c->baseline->samples;
    describe(&j, &row->result);
    decide(&j, &row->result);
    free(head);
    return 0;
}

/* ---- one cell ---- */

static size_t find_metric(const struct fl_summary *plan, const char *name)
{
    size_t i = 0;

    while (i < plan->metric_count && strcmp(plan->metrics[i].metric.name, name) != 0)
        i++;
    return i;
}

static const char *why_not(const struct comparing *c, const struct fl_series *series)
{
    if (!series || !series->counted.count)
        return series && series->absent ? series->absent : "the run has no counting samples of it";
    if (series->scaled)
        return "estimated from a counter that was not always on";
    if (c->baseline->calls && series->calls != c->baseline->calls)
        return "counted over different numbers of calls";
    return NULL;
}

static int compare_count(struct comparing *c, size_t cell, const struct fl_baseline_count *count,
                         const struct fl_baseline_fields *fields)
{
    const struct fl_summary *plan = &c->set.plan;
    size_t place = find_metric(plan, count->metric);
    bool known = place < plan->metric_count;
    const struct fl_series *series = known ? &c->set.cells[cell].items[place] : NULL;
    const char *field = fl_baseline_differs(c->baseline, count, fields);
    const char *reason = field ? field : why_not(c, series);
    char text[FL_FINGERPRINT_NAME + 16];

    if (field) {
        snprintf(text, sizeof(text), "%s differs", field);
        reason = text;
    }
    struct fl_compare_row *row =
        new_row(c, count->cell, count->metric, FL_VERDICT_NOT_COMPARABLE, reason);
    if (!row)
        return out_of_memory(c);
    if (known) {
        const struct fl_metric *metric = &plan->metrics[place].metric;
        row->kind = metric->kind;
        row->better = metric->better;
        row->unit = fl_text_copy(&c->out->arena, metric->unit);
        if (!row->unit)
            return out_of_memory(c);
    }
    return reason ? 0 : judge(c, count, &plan->metrics[place].metric, series, row);
}

static int compare_cell(struct comparing *c, size_t cell)
{
    const struct fl_baseline *baseline = c->baseline;
    const struct fl_series_cell *at = &c->set.cells[cell];
    const char *key = c->set.plan.cells[cell].key;
    const struct fl_fingerprint_of of = {c->store, &c->set, cell};
    struct fl_baseline_fields fields;
    size_t first = first_of(baseline, key);
    bool known = first < baseline->count && strcmp(baseline->counts[first].cell, key) == 0;

    for (size_t i = first; i < baseline->count && strcmp(baseline->counts[i].cell, key) == 0; i++)
        c->met[i] = true;
    if (!known)
        return new_row(c, key, "", FL_VERDICT_NEW, NULL) ? 0 : out_of_memory(c);
    if (at->failure)
        return new_row(c, key, "", FL_VERDICT_ERROR, at->failure) ? 0 : out_of_memory(c);
    if (!at->counted)
        return new_row(c, key, "", FL_VERDICT_MISSING, "not counted") ? 0 : out_of_memory(c);
    struct fl_arena arena = {.blocks = NULL};
    int rc = fl_baseline_fields(&of, &arena, &fields, c->err);
    for (size_t i = first; i < baseline->count && !rc && strcmp(baseline->counts[i].cell, key) == 0;
         i++)
        rc = compare_count(c, cell, &baseline->counts[i], &fields);
    fl_arena_release(&arena);
    return rc;
}

/* ---- all ---- */

/* Cells of the baseline that the run has not, one row each. */
static int add_missing(struct comparing *c)
{
    const struct fl_baseline *baseline = c->baseline;

    for (size_t i = 0; i < baseline->count; i++) {
        bool first = i == 0 || strcmp(baseline->counts[i - 1].cell, baseline->counts[i].cell) != 0;
        if (first && !c->met[i] &&
            !new_row(c, baseline->counts[i].cell, "", FL_VERDICT_MISSING, NULL))
            return out_of_memory(c);
    }
    return 0;
}

static int set_title(struct comparing *c)
{
    const char *name = c->baseline->name;
    struct fl_compare *out = c->out;
    char title[FL_ERR_MAX];

    snprintf(title, sizeof(title), "run %lld", (long long)out->head_run);
    out->head = fl_text_copy(&out->arena, title);
    out->base = fl_text_copy(&out->arena, name);
    snprintf(title, sizeof(title), "run %lld against %.900s", (long long)out->head_run, name);
    out->title = fl_text_copy(&out->arena, title);
    return out->title && out->head && out->base ? 0 : out_of_memory(c);
}

static int compare_all(struct comparing *c)
{
    size_t most = c->baseline->count + c->set.plan.cell_count + 1;
    struct fl_compare *out = c->out;
    int rc = set_title(c);

    out->rows = fl_arena_alloc(&out->arena, 2 * most * sizeof(*out->rows), 16);
    c->met = calloc(most, sizeof(*c->met));
    if (!rc && (!out->rows || !c->met))
        rc = out_of_memory(c);
    for (size_t i = 0; i < c->set.plan.cell_count && !rc; i++)
        rc = compare_cell(c, i);
    if (!rc)
        rc = add_missing(c);
    for (size_t i = 0; i < out->count && !rc; i++)
        out->verdicts[out->rows[i].result.verdict]++;
    free(c->met);
    return rc;
}

int fl_baseline_compare(const struct fl_baseline *baseline, struct fl_store *store, int64_t run,
                        const struct fl_compare_options *options, struct fl_compare *out,
                        struct fl_err *err)
{
    struct comparing c = {
        .baseline = baseline, .options = options, .store = store, .out = out, .err = err};

    *out = (struct fl_compare){.head_run = run, .planned = 1};
    int rc = fl_series_read(store, run, &c.set, err);
    if (!rc) {
        rc = compare_all(&c);
        fl_series_release(&c.set);
    }
    if (rc)
        fl_compare_release(out);
    return rc;
}
