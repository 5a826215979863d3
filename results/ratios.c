/* SPDX-License-Identifier: Apache-2.0 */
/* Groups, their bases and the ratios to them. */
#include "results/ratios.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cell-groups.h"
#include "faultline/factor.h"
#include "layout.h"
#include "results/text.h"

struct reader {
    const struct fl_ratio_options *options;
    struct fl_summary summary;
    struct fl_rounds rounds;
    size_t by[FL_RATIOS_BY], metric;
    const char *base[FL_RATIOS_BY];
    struct fl_ratios *out;
    struct fl_err *err;
};

static int out_of_memory(const struct reader *r)
{
    return fl_fail(r->err, -ENOMEM, "cannot read the run: out of memory");
}

/* ---- options ---- */

/* Splits a list at its commas; one item is taken as it is. */
static int split(struct reader *r, const char *text, const char **out, size_t *count)
{
    char *rest = fl_text_copy(&r->out->arena, text), *item;

    if (!rest)
        return out_of_memory(r);
    for (*count = 0; (item = strsep(&rest, ",")) != NULL; out[(*count)++] = item)
        if (*count == FL_RATIOS_BY)
            return fl_fail(r->err, -EINVAL, "'%.80s' has more than %d items", text, FL_RATIOS_BY);
    return 0;
}

static int find_factors(struct reader *r)
{
    struct fl_ratios *out = r->out;
    int rc = split(r, r->options->by, out->by, &out->by_count);

    for (size_t i = 0; i < out->by_count && !rc; i++) {
        rc = fl_layout_find(&r->summary, FL_LAYOUT_FACTOR, out->by[i], &r->by[i], r->err);
        for (size_t k = 0; k < i && !rc; k++)
            if (r->by[k] == r->by[i])
                rc = fl_fail(r->err, -EINVAL, "'%.80s' has the factor '%.80s' twice: name it once",
                             r->options->by, out->by[i]);
    }
    return rc;
}

static bool is_base(const struct reader *r, size_t cell)
{
    for (size_t i = 0; i < r->out->by_count; i++)
        if (strcmp(fl_layout_level(&r->summary.cells[cell], r->by[i]), r->base[i]) != 0)
            return false;
    return true;
}

/* The level of the run nearest to the base's where one factor is compared; NULL: none is near. */
static const char *nearest_level(const struct reader *r)
{
    const char *levels[FL_LAYOUT_MAX + 1] = {NULL};
    size_t count = 0;

    for (size_t i = 0; i < r->summary.cell_count && count < FL_LAYOUT_MAX; i++)
        levels[count++] = fl_layout_level(&r->summary.cells[i], r->by[0]);
    return r->out->by_count == 1 ? fl_nearest(r->base[0], levels) : NULL;
}

static int find_base(struct reader *r)
{
    size_t count = 1, cell = 0;
    int rc = 0;

    if (r->out->by_count == 1)
        r->base[0] = r->options->base;
    else
        rc = split(r, r->options->base, r->base, &count);
    if (rc)
        return rc;
    if (count != r->out->by_count)
        return fl_fail(r->err, -EINVAL, "a base needs a level for each of '%.80s', not '%.80s'",
                       r->options->by, r->options->base);
    while (cell < r->summary.cell_count && !is_base(r, cell))
        cell++;
    if (cell < r->summary.cell_count)
        return 0;
    const char *near = nearest_level(r);
    return fl_fail(r->err, -EINVAL, "no cell of the run has %.80s=%.80s%s%s%s", r->options->by,
                   r->options->base, near ? "; did you mean '" : "", near ? near : "",
                   near ? "'?" : "");
}

static int find_metric(struct reader *r)
{
    int rc = fl_layout_find(&r->summary, FL_LAYOUT_METRIC, r->options->metric, &r->metric, r->err);

    if (rc)
        return rc;
    const struct fl_metric *metric = &r->summary.metrics[r->metric].metric;
    if (metric->mode != FL_IN_EVERY_SAMPLE)
        return fl_fail(r->err, -EINVAL,
                       "'%s' is counted in samples of its own, which are no pairs: ratios are of "
                       "what timed samples have",
                       metric->name);
    r->out->ranked = metric->kind == FL_METRIC_TIMED && metric->better != FL_NOT_RANKED;
    r->out->unit = fl_text_copy(&r->out->arena, metric->unit);
    return r->out->unit ? 0 : out_of_memory(r);
}

/* ---- rows ---- */

static const char *reason_of(const struct reader *r, const struct fl_summary_cell *cell)
{
    const struct fl_summary_value *value = &cell->values[r->metric];

    return cell->reason ? cell->reason : value->reason ? value->reason : "not measured";
}

/* Why there is no ratio; NULL: there is one. `base` NULL: the group has none. */
static const char *refusal(const struct reader *r, size_t cell, const size_t *base,
                           const struct fl_paired *paired)
{
    if (!base)
        return "the group has no cell of the base";
    if (!r->rounds.cells[cell].count)
        return reason_of(r, &r->summary.cells[cell]);
    if (!r->rounds.cells[*base].count)
        return "the base was not measured";
    return paired->rounds ? NULL : "no round has both above 0";
}

static int fill_row(struct reader *r, struct fl_ratio_row *row, size_t cell, const size_t *base)
{
    const struct fl_summary_value *value = &r->summary.cells[cell].values[r->metric];
    int rc = 0;

    for (size_t i = 0; i < r->out->by_count; i++) {
        row->levels[i] =
            fl_text_copy(&r->out->arena, fl_layout_level(&r->summary.cells[cell], r->by[i]));
        if (!row->levels[i])
            return out_of_memory(r);
    }
    row->is_base = base && cell == *base;
    row->median = value->count ? fl_number_real(value->median) : 0;
    if (base)
        rc = fl_rounds_ratio(&r->rounds.cells[cell], &r->rounds.cells[*base], &row->paired);
    const char *reason = refusal(r, cell, base, &row->paired);
    if (reason) {
        row->paired.rounds = 0;
        reason = fl_text_copy(&r->out->arena, reason);
        rc = reason ? rc : -ENOMEM;
    }
    row->reason = reason;
    return rc ? out_of_memory(r) : 0;
}

/* The best first, what has no ratio last. */
static bool comes_before(const struct reader *r, const struct fl_ratio_row *a,
                         const struct fl_ratio_row *b)
{
    bool more = r->summary.metrics[r->metric].metric.better == FL_MORE_IS_BETTER;

    if (!a->paired.rounds || !b->paired.rounds)
        return a->paired.rounds && !b->paired.rounds;
    return more ? a->paired.median > b->paired.median : a->paired.median < b->paired.median;
}

static int add_group(struct reader *r, const struct fl_cell_group *cells)
{
    struct fl_ratio_group *group = &r->out->groups[r->out->count++];
    const size_t *base = NULL;

    group->name = cells->name;
    group->rows = fl_arena_alloc(&r->out->arena, cells->count * sizeof(*group->rows), 16);
    if (!group->rows)
        return out_of_memory(r);
    for (size_t i = 0; i < cells->count && !base; i++)
        if (is_base(r, cells->cells[i]))
            base = &cells->cells[i];
    for (size_t i = 0; i < cells->count; i++) {
        struct fl_ratio_row row = {.median = 0};
        int rc = fill_row(r, &row, cells->cells[i], base);
        if (rc)
            return rc;
        size_t at = group->count++;
        for (; at && comes_before(r, &row, &group->rows[at - 1]); at--)
            group->rows[at] = group->rows[at - 1];
        group->rows[at] = row;
    }
    return 0;
}

static int add_groups(struct reader *r)
{
    struct fl_ratios *out = r->out;
    const struct fl_cell_groups_by by = {.factors = r->by, .count = out->by_count};
    struct fl_cell_groups groups;
    int rc = fl_cell_groups_make(&r->summary, &by, &out->arena, &groups);

    out->groups = fl_arena_alloc(&out->arena, (groups.count + 1) * sizeof(*out->groups), 16);
    out->shared = groups.shared;
    if (rc || !out->groups)
        return out_of_memory(r);
    for (size_t i = 0; i < groups.count && !rc; i++)
        rc = add_group(r, &groups.items[i]);
    return rc;
}

static int set_title(struct reader *r)
{
    char title[FL_ERR_MAX];
    const struct fl_run_record *run = &r->summary.run;

    snprintf(title, sizeof(title), "%s, run %lld: %s, ratio to %s=%s", run->info.scenario,
             (long long)run->id, r->summary.metrics[r->metric].metric.name, r->options->by,
             r->options->base);
    r->out->title = fl_text_copy(&r->out->arena, title);
    return r->out->title ? 0 : out_of_memory(r);
}

int fl_ratios_read(struct fl_store *store, int64_t run, const struct fl_ratio_options *options,
                   struct fl_ratios *out, struct fl_err *err)
{
    struct reader r = {.options = options, .out = out, .err = err};
    int rc = fl_summary_read(store, run, &r.summary, err);

    *out = (struct fl_ratios){.count = 0};
    if (rc)
        return rc;
    rc = find_factors(&r);
    if (!rc)
        rc = find_base(&r);
    if (!rc)
        rc = find_metric(&r);
    if (!rc)
        rc = set_title(&r);
    if (!rc)
        rc = fl_rounds_read(store, &r.summary, r.metric, &r.rounds, err);
    if (!rc)
        rc = add_groups(&r);
    fl_rounds_release(&r.rounds);
    fl_summary_release(&r.summary);
    if (rc)
        fl_ratios_release(out);
    return rc;
}

void fl_ratios_release(struct fl_ratios *ratios)
{
    fl_arena_release(&ratios->arena);
    *ratios = (struct fl_ratios){.count = 0};
}
