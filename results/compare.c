/* SPDX-License-Identifier: Apache-2.0 */
/* Which cells and metrics stand against each other; results/verdict.c judges them. */
#include "results/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cell-groups.h"
#include "layout.h"
#include "results/text.h"

#define NO_CELL SIZE_MAX

struct match {
    const char *name;
    size_t base, head; /* cells, or NO_CELL */
};

struct comparer {
    const struct fl_compare_options *options;
    struct fl_store *store;
    struct fl_summary base, head; /* of levels: the same run twice */
    struct match *matches;
    size_t count;
    const char *unpaired, *differs;
    struct fl_verdict_rule rule;
    struct fl_compare *out;
    struct fl_err *err;
};

static int out_of_memory(const struct comparer *c)
{
    return fl_fail(c->err, -ENOMEM, "cannot compare: out of memory");
}

/* ---- cells of two runs ---- */

static int compare_keys(const void *a, const void *b, void *arg)
{
    const struct fl_summary_cell *cells = arg;

    return strcmp(cells[*(const size_t *)a].key, cells[*(const size_t *)b].key);
}

static size_t find_key(const struct fl_summary *summary, const size_t *order, const char *key)
{
    size_t low = 0, high = summary->cell_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int side = strcmp(summary->cells[order[middle]].key, key);
        if (!side)
            return order[middle];
        if (side < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NO_CELL;
}

static int match_keys(struct comparer *c)
{
    size_t all = c->base.cell_count + c->head.cell_count;
    struct fl_arena *arena = &c->out->arena;
    size_t *order = fl_arena_alloc(arena, (c->head.cell_count + 1) * sizeof(*order), 16);
    bool *met = fl_arena_alloc(arena, c->head.cell_count + 1, 1);

    c->matches = fl_arena_alloc(arena, (all + 1) * sizeof(*c->matches), 16);
    if (!order || !met || !c->matches)
        return out_of_memory(c);
    for (size_t i = 0; i < c->head.cell_count; i++)
        order[i] = i;
    qsort_r(order, c->head.cell_count, sizeof(*order), compare_keys, c->head.cells);
    for (size_t i = 0; i < c->base.cell_count; i++) {
        size_t head = find_key(&c->head, order, c->base.cells[i].key);
        c->matches[c->count++] = (struct match){c->base.cells[i].key, i, head};
        if (head != NO_CELL)
            met[head] = true;
    }
    for (size_t i = 0; i < c->head.cell_count; i++)
        if (!met[i])
            c->matches[c->count++] = (struct match){c->head.cells[i].key, NO_CELL, i};
    return 0;
}

/* The name of the field in which two machines' `name=value` texts first differ. */
static int find_difference(struct comparer *c)
{
    const char *a = c->base.run.info.fingerprint, *b = c->head.run.info.fingerprint;
    size_t start = 0, at = 0;
    bool quoted = false;
    char text[FL_ERR_MAX];

    if (!a || !b)
        return 0;
    for (; a[at] && a[at] == b[at]; at++) {
        quoted ^= a[at] == '"';
        if (a[at] == ' ' && !quoted)
            start = at + 1;
    }
    if (a[at] == b[at])
        return 0;
    const char *field = a[start] ? a + start : b + start;
    snprintf(text, sizeof(text), "other machine: %.*s differs", (int)strcspn(field, "= "), field);
    c->differs = fl_text_copy(&c->out->arena, text);
    return c->differs ? 0 : out_of_memory(c);
}

/* ---- cells of two levels ---- */

static int need_level(const struct comparer *c, const struct fl_compare_levels *levels,
                      size_t factor, const char *level)
{
    for (size_t i = 0; i < c->base.cell_count; i++)
        if (strcmp(fl_layout_level(&c->base.cells[i], factor), level) == 0)
            return 0;
    return fl_fail(c->err, -EINVAL, "no cell of the run has %.80s=%.80s", levels->by, level);
}

static size_t find_level(const struct comparer *c, const struct fl_cell_group *group, size_t factor,
                         const char *level)
{
    for (size_t i = 0; i < group->count; i++)
        if (strcmp(fl_layout_level(&c->base.cells[group->cells[i]], factor), level) == 0)
            return group->cells[i];
    return NO_CELL;
}

static int match_levels(struct comparer *c, const struct fl_compare_levels *levels)
{
    size_t factor;
    struct fl_cell_groups groups;
    const struct fl_cell_groups_by by = {.factors = &factor, .count = 1};
    int rc = fl_layout_find(&c->base, FL_LAYOUT_FACTOR, levels->by, &factor, c->err);

    if (!rc)
        rc = need_level(c, levels, factor, levels->base);
    if (!rc)
        rc = need_level(c, levels, factor, levels->head);
    if (rc)
        return rc;
    if (fl_cell_groups_make(&c->base, &by, &c->out->arena, &groups))
        return out_of_memory(c);
    c->matches = fl_arena_alloc(&c->out->arena, (groups.count + 1) * sizeof(*c->matches), 16);
    if (!c->matches)
        return out_of_memory(c);
    for (size_t i = 0; i < groups.count; i++) {
        const struct fl_cell_group *group = &groups.items[i];
        struct match match = {*group->name ? group->name : groups.shared,
                              find_level(c, group, factor, levels->base),
                              find_level(c, group, factor, levels->head)};
        if (match.base != NO_CELL || match.head != NO_CELL)
            c->matches[c->count++] = match;
    }
    return 0;
}

/* ---- metrics ---- */

static bool chosen(const struct comparer *c, size_t metric)
{
    const char *name = c->base.metrics[metric].metric.name;

    return !c->options->metric || strcmp(c->options->metric, name) == 0;
}

/* NO_CELL: the head has no such metric. */
static size_t metric_of_head(const struct comparer *c, size_t metric)
{
    for (size_t i = 0; i < c->head.metric_count; i++)
        if (strcmp(c->head.metrics[i].metric.name, c->base.metrics[metric].metric.name) == 0)
            return i;
    return NO_CELL;
}

static struct fl_verdict_side side_of(const struct fl_summary *summary,
                                      const struct fl_rounds *rounds, size_t cell, size_t metric)
{
    static const struct fl_summary_value none;
    static const struct fl_round_row empty;

    if (cell == NO_CELL)
        return (struct fl_verdict_side){.present = false};
    const struct fl_summary_cell *at = &summary->cells[cell];
    bool fine = strcmp(at->status, "ok") == 0 || strcmp(at->status, "partial") == 0;
    return (struct fl_verdict_side){
        .present = true,
        .failure = fine         ? NULL
                   : at->reason ? at->reason
                                : at->status,
        .value = metric == NO_CELL ? &none : &at->values[metric],
        .rounds = rounds->cell_count ? &rounds->cells[cell] : &empty,
    };
}

static int keep_row(struct comparer *c, const struct match *match, const struct fl_verdict_case *of)
{
    struct fl_compare *out = c->out;
    struct fl_compare_row *row = &out->rows[out->count];
    struct fl_verdict_rule rule = c->rule;

    if (c->options->limits)
        c->options->limits(c->options->limits_arg, match->name, of->metric, &rule);
    int rc = fl_verdict_decide(of, &rule, &row->result);

    if (rc == -E2BIG)
        return fl_fail(c->err, rc, "'%.200s' has more pairs of rounds than can be ranked",
                       match->name);
    if (rc)
        return out_of_memory(c);
    row->cell = fl_text_copy(&out->arena, match->name);
    row->metric = fl_text_copy(&out->arena, of->metric->name);
    row->unit = fl_text_copy(&out->arena, of->metric->unit);
    row->kind = of->metric->kind;
    row->better = of->metric->better;
    if (row->result.reason) {
        row->result.reason = fl_text_copy(&out->arena, row->result.reason);
        rc = row->result.reason ? 0 : -ENOMEM;
    }
    if (rc || !row->cell || !row->metric || !row->unit)
        return out_of_memory(c);
    out->verdicts[row->result.verdict]++;
    out->count++;
    return 0;
}

/* A cell that has got no value on either side for want of the metric is no row. */
static bool nothing_to_compare(const struct fl_verdict_case *of)
{
    return of->base.present && of->head.present && !of->base.failure && !of->head.failure &&
           !of->base.value->count && !of->head.value->count;
}

static int compare_metric(struct comparer *c, size_t metric)
{
    size_t other = metric_of_head(c, metric);
    struct fl_rounds base, head = {.cell_count = 0};
    int rc = fl_rounds_read(c->store, &c->base, metric, &base, c->err);

    if (!rc && other != NO_CELL)
        rc = fl_rounds_read(c->store, &c->head, other, &head, c->err);
    for (size_t i = 0; i < c->count && !rc; i++) {
        const struct match *match = &c->matches[i];
        const struct fl_verdict_case of = {
            .metric = &c->base.metrics[metric].metric,
            .base = side_of(&c->base, &base, match->base, metric),
            .head = side_of(&c->head, &head, match->head, other),
            .unpaired = c->unpaired,
            .differs = c->differs,
        };
        if (!nothing_to_compare(&of))
            rc = keep_row(c, match, &of);
    }
    fl_rounds_release(&base);
    fl_rounds_release(&head);
    return rc;
}

/* Tests are counted before any is made: cells that both sides have, by metrics that noise moves. */
static size_t planned_tests(const struct comparer *c)
{
    size_t cells = 0, metrics = 0;

    for (size_t i = 0; i < c->count; i++)
        cells += c->matches[i].base != NO_CELL && c->matches[i].head != NO_CELL;
    for (size_t i = 0; i < c->base.metric_count; i++) {
        enum fl_metric_kind kind = c->base.metrics[i].metric.kind;
        metrics += chosen(c, i) && (kind == FL_METRIC_TIMED || kind == FL_METRIC_NOISY_COUNT);
    }
    return cells && metrics ? cells * metrics : 1;
}

/* ---- all ---- */

static int compare_rows(const void *a, const void *b)
{
    const struct fl_compare_row *first = a, *second = b;
    const struct fl_comparison *x = &first->result, *y = &second->result;
    double x_size = isfinite(x->effect) ? fabs(x->effect) : 0;
    double y_size = isfinite(y->effect) ? fabs(y->effect) : 0;

    if (x->verdict != y->verdict)
        return x->verdict < y->verdict ? -1 : 1;
    if (x_size > y_size || x_size < y_size)
        return x_size > y_size ? -1 : 1;
    int order = strcmp(first->cell, second->cell);
    return order ? order : strcmp(first->metric, second->metric);
}

static int compare_all(struct comparer *c)
{
    size_t metric, rows = c->count * c->base.metric_count + 1;
    int rc = 0;

    if (c->options->metric)
        rc = fl_layout_find(&c->base, FL_LAYOUT_METRIC, c->options->metric, &metric, c->err);
    if (rc)
        return rc;
    c->rule = (struct fl_verdict_rule){.tolerance = c->options->tolerance,
                                       .detect = c->options->detect,
                                       .planned = planned_tests(c)};
    c->out->rows = fl_arena_alloc(&c->out->arena, rows * sizeof(*c->out->rows), 16);
    if (!c->out->rows)
        return out_of_memory(c);
    for (size_t i = 0; i < c->base.metric_count && !rc; i++)
        if (chosen(c, i))
            rc = compare_metric(c, i);
    if (!rc && c->options->sort == FL_COMPARE_BY_REGRESSION)
        qsort(c->out->rows, c->out->count, sizeof(*c->out->rows), compare_rows);
    return rc;
}

static int set_title(struct comparer *c, const char *title)
{
    c->out->title = fl_text_copy(&c->out->arena, title);
    return c->out->title ? 0 : out_of_memory(c);
}

static int finish(struct comparer *c, int status)
{
    fl_summary_release(&c->base);
    fl_summary_release(&c->head);
    if (status)
        fl_compare_release(c->out);
    return status;
}

static int begin(struct comparer *c, int64_t base, int64_t head)
{
    *c->out = (struct fl_compare){.count = 0};
    int rc = fl_summary_read(c->store, base, &c->base, c->err);

    return rc ? rc : fl_summary_read(c->store, head, &c->head, c->err);
}

int fl_compare_runs(struct fl_store *store, int64_t base, int64_t head,
                    const struct fl_compare_options *options, struct fl_compare *out,
                    struct fl_err *err)
{
    struct comparer c = {.options = options, .store = store, .out = out, .err = err};
    char title[FL_ERR_MAX];
    int rc = begin(&c, base, head);

    c.unpaired = "rounds of two runs are no pairs";
    out->warning = "Rounds of two runs are no pairs: times are shown, and judged only where both "
                   "sides stand in one run (--by).";
    snprintf(title, sizeof(title), "run %lld against run %lld", (long long)head, (long long)base);
    if (!rc)
        rc = set_title(&c, title);
    if (!rc)
        rc = find_difference(&c);
    if (!rc)
        rc = match_keys(&c);
    return finish(&c, rc ? rc : compare_all(&c));
}

int fl_compare_levels(struct fl_store *store, const struct fl_compare_levels *levels,
                      const struct fl_compare_options *options, struct fl_compare *out,
                      struct fl_err *err)
{
    struct comparer c = {.options = options, .store = store, .out = out, .err = err};
    char title[FL_ERR_MAX];
    int rc = begin(&c, levels->run, levels->run);

    snprintf(title, sizeof(title), "run %lld: %.80s=%.80s against %.80s", (long long)levels->run,
             levels->by, levels->head, levels->base);
    if (!rc)
        rc = set_title(&c, title);
    if (!rc)
        rc = match_levels(&c, levels);
    return finish(&c, rc ? rc : compare_all(&c));
}

void fl_compare_release(struct fl_compare *compare)
{
    fl_arena_release(&compare->arena);
    *compare = (struct fl_compare){.count = 0};
}
