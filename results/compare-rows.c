/* SPDX-License-Identifier: Apache-2.0 */
#include "compare-rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare-suite.h"
#include "layout.h"
#include "results/cell-fingerprint.h"
#include "results/meaning.h"
#include "results/suite.h"
#include "results/text.h"

#define TIME "time"

/* A metric that either run has. */
struct metric {
    const struct fl_metric *what;
    size_t base, head; /* places, or FL_NO_CELL */
    const char *name, *unit;
};

struct maker {
    const struct fl_compare_of *of;
    struct metric *metrics;
    size_t metric_count;
    struct fl_compare_row *rows;
    size_t count;
    size_t place;                    /* of the cell at hand */
    const char *base_key, *head_key; /* of the cell at hand */
    struct fl_meanings meanings;     /* of the cell at hand */
    size_t count_tests;              /* of counts: they are made beside the planned ones */
    bool *apart;                     /* per match: the times of both sides mean different things */
};

static int out_of_memory(const struct maker *m)
{
    return fl_fail(m->of->err, -ENOMEM, "cannot compare: out of memory");
}

static struct fl_arena *arena_of(const struct maker *m)
{
    return &m->of->out->arena;
}

static int copy(const struct maker *m, const char *text, const char **out)
{
    *out = text ? fl_text_copy(arena_of(m), text) : NULL;
    return text && !*out ? out_of_memory(m) : 0;
}

/* ---- metrics ---- */

static size_t find_metric(const struct fl_summary *plan, const char *name)
{
    size_t i = 0;

    while (i < plan->metric_count && strcmp(plan->metrics[i].metric.name, name) != 0)
        i++;
    return i < plan->metric_count ? i : FL_NO_CELL;
}

static int add_metric(struct maker *m, const struct fl_metric *what, size_t base, size_t head)
{
    const char *wanted = m->of->options->metric;
    struct metric *metric = &m->metrics[m->metric_count];

    if (wanted && strcmp(wanted, what->name) != 0)
        return 0;
    *metric = (struct metric){what, base, head, NULL, NULL};
    m->metric_count++;
    int rc = copy(m, what->name, &metric->name);
    return rc ? rc : copy(m, what->unit, &metric->unit);
}

/* Those of the base, then what only the head has. */
static int find_metrics(struct maker *m)
{
    const struct fl_summary *base = &m->of->base->plan, *head = &m->of->head->plan;
    size_t all = base->metric_count + head->metric_count, place;
    int rc = 0;

    m->metrics = fl_arena_alloc(arena_of(m), (all + 1) * sizeof(*m->metrics), 16);
    if (!m->metrics)
        return out_of_memory(m);
    for (size_t i = 0; i < base->metric_count && !rc; i++) {
        const struct fl_metric *what = &base->metrics[i].metric;
        rc = add_metric(m, what, i, find_metric(head, what->name));
    }
    for (size_t i = 0; i < head->metric_count && !rc; i++)
        if (find_metric(base, head->metrics[i].metric.name) == FL_NO_CELL)
            rc = add_metric(m, &head->metrics[i].metric, FL_NO_CELL, i);
    if (!rc && !m->metric_count && m->of->options->metric)
        rc = fl_layout_find(base, FL_LAYOUT_METRIC, m->of->options->metric, &place, m->of->err);
    return rc;
}

static bool is_counted(const struct fl_metric *metric)
{
    return metric->kind == FL_METRIC_EXACT || metric->kind == FL_METRIC_SET;
}

static bool is_gated(const struct fl_metric *metric)
{
    if (metric->better == FL_NOT_RANKED)
        return false;
    return is_counted(metric) ||
           (metric->kind == FL_METRIC_TIMED && strcmp(metric->name, TIME) == 0);
}

/* ---- cells ---- */

/* What a cell is that cannot be judged metric by metric. */
static enum fl_verdict settle(const struct fl_series_cell *base, const struct fl_series_cell *head,
                              const char **reason)
{
    *reason = head ? head->failure : NULL;
    if (*reason && !(base && base->failure))
        return FL_VERDICT_ERROR;
    if (!base)
        return FL_VERDICT_NEW;
    if (!head)
        return FL_VERDICT_MISSING;
    if (base->failure) {
        *reason = base->failure;
        return FL_VERDICT_NOT_COMPARABLE;
    }
    *reason = "not measured";
    return (base->timed || base->counted) ? FL_VERDICT_MISSING : FL_VERDICT_NOT_COMPARABLE;
}

static struct fl_compare_row *new_row(struct maker *m, const struct fl_match *match)
{
    struct fl_compare_row *row = &m->rows[m->count++];

    *row = (struct fl_compare_row){.cell = match->name,
                                   .metric = "",
                                   .unit = "",
                                   .gated = true,
                                   .base_key = m->base_key,
                                   .head_key = m->head_key,
                                   .place = m->place};
    return row;
}

static int keep_cell(struct maker *m, const struct fl_match *match,
                     const struct fl_series_cell *base, const struct fl_series_cell *head)
{
    struct fl_compare_row *row = new_row(m, match);
    const char *reason;
    char text[FL_ERR_MAX];

    fl_comparison_clear(&row->result);
    row->result.verdict = settle(base, head, &reason);
    if (base && base->failure && row->result.verdict == FL_VERDICT_NOT_COMPARABLE) {
        snprintf(text, sizeof(text), "%s failed: %.900s",
                 head && head->failure ? "both sides" : "the base", reason);
        reason = text;
    }
    return copy(m, reason, &row->result.reason);
}

/* ---- rows ---- */

static struct fl_verdict_rule rule_of(const struct fl_compare_of *of, const struct fl_match *match)
{
    const struct fl_compare_options *options = of->options;
    struct fl_verdict_rule rule = {.tolerance = FL_VERDICT_TOLERANCE,
                                   .detect = FL_VERDICT_DETECT,
                                   .slack = options->slack,
                                   .planned = of->out->planned,
                                   .bootstrap = options->bootstrap};

    if (of->detect > 0) {
        rule.tolerance = of->tolerance;
        rule.detect = of->detect;
    }
    if (match && !isnan(match->detect)) {
        rule.tolerance = match->tolerance;
        rule.detect = match->detect;
    }
    if (!isnan(options->tolerance) && (options->detect > 0 || isnan(options->detect)))
        rule.tolerance = options->tolerance;
    if (options->detect > 0)
        rule.detect = options->detect;
    return rule;
}

static int check_rule(const struct maker *m, const struct fl_verdict_rule *rule)
{
    if (rule->tolerance >= 0 && rule->detect > rule->tolerance)
        return 0;
    return fl_fail(m->of->err, -EINVAL,
                   "the loss to detect, %g %%, must be above the tolerance, %g %%", rule->detect,
                   rule->tolerance);
}

static const struct fl_series *series_of(const struct fl_series_set *set, size_t cell,
                                         size_t metric)
{
    return metric == FL_NO_CELL ? NULL : &set->cells[cell].items[metric];
}

static bool empty(const struct fl_series *series)
{
    return !series || (!series->timed.count && !series->counted.count && !series->absent);
}

static int keep_metric(struct maker *m, const struct fl_match *match, const struct metric *metric,
                       const char *differs)
{
    const struct fl_compare_of *of = m->of;
    const struct fl_verdict_case at = {
        .metric = metric->what,
        .base = series_of(of->base, match->base, metric->base),
        .head = series_of(of->head, match->head, metric->head),
        .unpaired = of->unpaired,
        .differs = differs,
        .changed = fl_meanings_reason(&m->meanings, metric->what),
    };
    struct fl_verdict_rule rule = rule_of(of, match);

    if (empty(at.base) && empty(at.head))
        return 0;
    if (is_counted(metric->what) && rule.planned < m->count_tests)
        rule.planned = m->count_tests;
    if (of->options->limits)
        of->options->limits(of->options->limits_arg, match->name, metric->what, &rule);
    int rc = check_rule(m, &rule);
    if (rc)
        return rc;
    struct fl_compare_row *row = new_row(m, match);
    row->metric = metric->name;
    row->unit = metric->unit;
    row->kind = metric->what->kind;
    row->better = metric->what->better;
    row->gated = is_gated(metric->what);
    row->tolerance = rule.tolerance;
    row->detect = rule.detect;
    rc = fl_verdict_decide(&at, &rule, &row->result);
    return rc ? out_of_memory(m) : copy(m, row->result.reason, &row->result.reason);
}

/* Of two runs: counts compare where what decides them is equal. */
static int find_difference(struct maker *m, const struct fl_match *match, const char **out)
{
    const struct fl_compare_of *of = m->of;
    const struct fl_fingerprint_of base = {of->store, of->base, match->base};
    const struct fl_fingerprint_of head = {of->store, of->head, match->head};
    char name[FL_FINGERPRINT_NAME];
    int rc = fl_cell_fingerprints_differ(&base, &head, of->options->changed_library, name, of->err);

    *out = NULL;
    if (rc <= 0)
        return rc;
    char text[FL_FINGERPRINT_NAME + 64];
    snprintf(text, sizeof(text), "%s differs%s", name,
             strcmp(name, "library") ? "" : " (is it what is compared? --changed library)");
    return copy(m, text, out);
}

static const char *key_of(const struct fl_summary *plan, size_t cell)
{
    return cell == FL_NO_CELL ? NULL : plan->cells[cell].key;
}

static int keep_match(struct maker *m, const struct fl_match *match)
{
    const struct fl_compare_of *of = m->of;
    const struct fl_series_cell *base = fl_match_cell(of->base, match->base);
    const struct fl_series_cell *head = fl_match_cell(of->head, match->head);
    const char *differs = NULL, *name;
    int rc = copy(m, key_of(&of->base->plan, match->base), &m->base_key);

    if (!rc)
        rc = copy(m, key_of(&of->head->plan, match->head), &m->head_key);
    if (!rc)
        rc = copy(m, match->name, &name);
    if (rc)
        return rc;
    const struct fl_match named = {name, match->base, match->head, match->tolerance, match->detect};
    if (!fl_match_comparable(base, head))
        rc = keep_cell(m, &named, base, head);
    else if (of->base != of->head && of->unpaired)
        rc = find_difference(m, match, &differs);
    m->meanings = (struct fl_meanings){.times_differ = false};
    if (!rc && base && head)
        rc = fl_meanings_compare(&(struct fl_meaning_of){of->store, base, head}, &m->meanings,
                                 of->err);
    m->apart[match - of->matches->items] = m->meanings.times_differ;
    for (size_t i = 0; i < m->metric_count && fl_match_comparable(base, head) && !rc; i++)
        rc = keep_metric(m, &named, &m->metrics[i], differs);
    m->place++;
    return rc;
}

/* ---- the suite ---- */

static const struct metric *time_of(const struct maker *m)
{
    for (size_t i = 0; i < m->metric_count; i++) {
        const struct metric *metric = &m->metrics[i];
        if (is_gated(metric->what) && metric->what->kind == FL_METRIC_TIMED &&
            metric->base != FL_NO_CELL && metric->head != FL_NO_CELL)
            return metric;
    }
    return NULL;
}

static int keep_suite(struct maker *m, const struct metric *time)
{
    const struct fl_compare_of *of = m->of;
    const struct fl_match all = {"all cells", FL_NO_CELL, FL_NO_CELL, (double)NAN, (double)NAN};
    const struct fl_verdict_rule rule = rule_of(of, &all);
    const struct fl_suite_of suite = {of->base,   of->head,   of->matches, m->apart,
                                      time->what, time->base, time->head};
    double *means;
    size_t count;
    int rc = check_rule(m, &rule);

    if (rc)
        return rc;
    m->base_key = m->head_key = NULL;
    struct fl_compare_row *row = new_row(m, &all);
    row->metric = time->name;
    row->unit = time->unit;
    row->suite = true;
    row->tolerance = rule.tolerance;
    row->detect = rule.detect;
    rc = fl_compare_suite(&suite, &means, &count);
    if (!rc)
        rc = fl_verdict_of_losses(means, count, &rule, &row->result);
    free(means);
    return rc ? out_of_memory(m) : 0;
}

/* ---- all ---- */

static size_t comparable_cells(const struct maker *m)
{
    const struct fl_compare_of *of = m->of;
    size_t count = 0;

    for (size_t i = 0; i < of->matches->count; i++)
        count += !m->apart[i] &&
                 fl_match_comparable(fl_match_cell(of->base, of->matches->items[i].base),
                                     fl_match_cell(of->head, of->matches->items[i].head));
    return count;
}

/* Tests are counted before any is made. Rates are the same data as the times they come from. */
static size_t count_tests(const struct maker *m, size_t cells, bool suite)
{
    size_t metrics = 0;

    for (size_t i = 0; i < m->metric_count; i++) {
        const struct fl_metric *what = m->metrics[i].what;
        metrics += (what->kind == FL_METRIC_TIMED && what->better == FL_LESS_IS_BETTER) ||
                   what->kind == FL_METRIC_NOISY_COUNT;
    }
    size_t tests = cells * metrics + suite;
    return tests ? tests : 1;
}

/* Whatever cells they are of: what will fail is not known before. */
static size_t tests_of_counts(const struct maker *m)
{
    size_t metrics = 0;

    for (size_t i = 0; i < m->metric_count; i++)
        metrics += is_counted(m->metrics[i].what);
    return m->of->matches->count * metrics;
}

static double size_of(const struct fl_comparison *result)
{
    if (isfinite(result->effect))
        return fabs(result->effect);
    return result->head > result->base || result->head < result->base ? (double)INFINITY : 0;
}

static int compare_rows(const void *a, const void *b)
{
    const struct fl_compare_row *x = a, *y = b;
    double x_size = size_of(&x->result), y_size = size_of(&y->result);

    if (x->result.shown_only != y->result.shown_only)
        return x->result.shown_only ? 1 : -1;
    if (x->result.verdict != y->result.verdict)
        return x->result.verdict < y->result.verdict ? -1 : 1;
    if (x->gated != y->gated)
        return x->gated ? -1 : 1;
    if (x->suite != y->suite)
        return x->suite ? -1 : 1;
    if (x_size > y_size || x_size < y_size)
        return x_size > y_size ? -1 : 1;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return strcmp(x->metric, y->metric);
}

static void order_rows(struct maker *m)
{
    struct fl_compare *out = m->of->out;

    out->rows = m->rows;
    out->count = m->count;
    for (size_t i = 0; i < m->count; i++) {
        const struct fl_comparison *result = &m->rows[i].result;
        out->shown_only += result->shown_only;
        out->verdicts[result->verdict] += !result->shown_only;
    }
    if (m->of->options->sort == FL_COMPARE_BY_REGRESSION)
        qsort(out->rows, out->count, sizeof(*out->rows), compare_rows);
}

static int make_room(struct maker *m)
{
    size_t matches = m->of->matches->count, most = matches * (m->metric_count + 1) + 1;

    m->rows = fl_arena_alloc(arena_of(m), most * sizeof(*m->rows), 16);
    m->apart = fl_arena_alloc(arena_of(m), matches + 1, 1);
    return m->rows && m->apart ? 0 : out_of_memory(m);
}

static int judge(struct maker *m)
{
    const struct fl_compare_of *of = m->of;
    const struct metric *time = of->unpaired ? NULL : time_of(m);
    int rc = make_room(m);

    if (rc)
        return rc;
    size_t cells = comparable_cells(m);
    if (!of->out->planned)
        of->out->planned = count_tests(m, cells, time && cells >= FL_SUITE_CELLS);
    m->count_tests = tests_of_counts(m);
    for (size_t i = 0; i < of->matches->count && !rc; i++)
        rc = keep_match(m, &of->matches->items[i]);
    if (!rc && time && comparable_cells(m) >= FL_SUITE_CELLS)
        rc = keep_suite(m, time);
    if (!rc)
        order_rows(m);
    return rc;
}

int fl_compare_make_rows(struct fl_compare_of *of)
{
    struct maker m = {.of = of};
    int rc = find_metrics(&m);

    return rc ? rc : judge(&m);
}
