/* SPDX-License-Identifier: Apache-2.0 */
/* Throughput against threads in a stored run. */
#include "results/scaling.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cell-groups.h"
#include "faultline/factor.h"
#include "layout.h"
#include "results/text.h"
#include "results/usl.h"

/* What the samples of a cell resolved the factor to. */
struct resolved {
    unsigned threads; /* 0: no sample says */
    bool disagree;
};

struct reader {
    struct fl_store *store;
    int64_t run;
    const struct fl_scaling_options *options;
    struct fl_summary summary;
    size_t by, metric;
    struct resolved *resolved; /* per cell */
    struct fl_scaling *out;
    struct fl_err *err;
};

static int out_of_memory(const struct reader *r)
{
    return fl_fail(r->err, -ENOMEM, "cannot read the run: out of memory");
}

/* ---- numbers of threads ---- */

static unsigned thread_count(const char *text)
{
    double threads;

    if (!text || fl_factor_number(FL_FACTOR_INT, text, &threads) || threads < 1 ||
        threads > FL_USL_THREADS)
        return 0;
    return (unsigned)threads;
}

static int keep_fact(void *arg, const struct fl_stored_sample *sample)
{
    struct reader *r = arg;
    const struct fl_sample *about = &sample->sample;
    size_t cell = 0, fact = 0;

    while (fact < about->fact_count && strcmp(about->facts[fact].name, r->options->by) != 0)
        fact++;
    while (cell < r->summary.cell_count && r->summary.cells[cell].id != about->cell)
        cell++;
    if (about->outcome != FL_OUTCOME_OK || fact == about->fact_count ||
        cell == r->summary.cell_count)
        return 0;
    struct resolved *resolved = &r->resolved[cell];
    unsigned threads = thread_count(about->facts[fact].value);
    resolved->disagree |= resolved->threads && threads != resolved->threads;
    resolved->threads = threads;
    return 0;
}

static int resolve(struct reader *r)
{
    r->resolved =
        fl_arena_alloc(&r->out->arena, (r->summary.cell_count + 1) * sizeof(*r->resolved), 16);
    if (!r->resolved)
        return out_of_memory(r);
    return fl_store_samples(r->store, r->run, keep_fact, r, r->err);
}

static int keep_processors(void *arg, const struct fl_fact *fact)
{
    struct reader *r = arg;

    if (strcmp(fact->name, "cpu.usable-threads") == 0)
        r->out->processors = thread_count(fact->value);
    return 0;
}

/* ---- values ---- */

static bool is_time(const struct fl_metric *metric)
{
    return metric->kind == FL_METRIC_TIMED && metric->better == FL_LESS_IS_BETTER &&
           strcmp(metric->unit, "ns") == 0;
}

static bool is_rate(const struct fl_metric *metric)
{
    return metric->kind == FL_METRIC_TIMED && metric->better == FL_MORE_IS_BETTER;
}

static int find_names(struct reader *r)
{
    const struct fl_summary *summary = &r->summary;
    int rc = fl_layout_find(summary, FL_LAYOUT_FACTOR, r->options->by, &r->by, r->err);

    if (!rc)
        rc = fl_layout_find(summary, FL_LAYOUT_METRIC, r->options->metric, &r->metric, r->err);
    if (rc)
        return rc;
    const struct fl_metric *metric = &summary->metrics[r->metric].metric;
    if (!is_time(metric) && !is_rate(metric))
        return fl_fail(r->err, -EINVAL, "'%s' is neither a time nor a rate: nothing to scale",
                       metric->name);
    r->out->by = fl_text_copy(&r->out->arena, r->options->by);
    r->out->unit = is_time(metric) ? "1/s" : fl_text_copy(&r->out->arena, metric->unit);
    return r->out->by && r->out->unit ? 0 : out_of_memory(r);
}

/* A point of a cell; text still belongs to the summary. */
static struct fl_scaling_point make_point(const struct reader *r, size_t index)
{
    const struct fl_summary_cell *cell = &r->summary.cells[index];
    const struct fl_summary_value *value = &cell->values[r->metric];
    struct fl_scaling_point point = {.level = cell->levels[r->by]};
    double median = value->count ? fl_number_real(value->median) : 0;

    point.threads = thread_count(point.level);
    if (!point.threads && !r->resolved[index].disagree)
        point.threads = r->resolved[index].threads;
    if (strcmp(cell->status, "wrong-result") == 0 || median <= 0)
        point.reason = cell->reason ? cell->reason : value->reason ? value->reason : "not measured";
    else if (r->resolved[index].disagree && !point.threads)
        point.reason = "its samples had different numbers of threads";
    else if (!point.threads)
        point.reason = "no sample says what number this level stood for";
    else
        point.throughput = is_rate(&r->summary.metrics[r->metric].metric) ? median : 1e9 / median;
    return point;
}

/* ---- groups ---- */

static bool comes_before(const struct fl_scaling_point *a, const struct fl_scaling_point *b)
{
    return a->threads && (!b->threads || a->threads < b->threads);
}

static int add_point(struct reader *r, struct fl_scaling_group *group, size_t cell)
{
    struct fl_scaling_point point = make_point(r, cell);
    size_t at = group->count++;

    point.level = fl_text_copy(&r->out->arena, point.level);
    if (point.reason)
        point.reason = fl_text_copy(&r->out->arena, point.reason);
    for (; at && comes_before(&point, &group->points[at - 1]); at--)
        group->points[at] = group->points[at - 1];
    group->points[at] = point;
    return point.level ? 0 : out_of_memory(r);
}

static int add_group(struct reader *r, const struct fl_cell_group *cells)
{
    struct fl_scaling_group *group = &r->out->groups[r->out->count++];
    int rc = 0;

    group->name = cells->name;
    group->points = fl_arena_alloc(&r->out->arena, cells->count * sizeof(*group->points), 16);
    if (!group->points)
        return out_of_memory(r);
    for (size_t i = 0; i < cells->count && !rc; i++)
        rc = add_point(r, group, cells->cells[i]);
    return rc;
}

static int add_groups(struct reader *r)
{
    struct fl_scaling *out = r->out;
    const struct fl_cell_groups_by by = {.factors = &r->by, .count = 1};
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
    char title[512];
    const struct fl_run_record *run = &r->summary.run;

    snprintf(title, sizeof(title), "%s, run %lld: %s", run->info.scenario, (long long)run->id,
             r->summary.metrics[r->metric].metric.name);
    r->out->title = fl_text_copy(&r->out->arena, title);
    return r->out->title ? 0 : out_of_memory(r);
}

int fl_scaling_read(struct fl_store *store, int64_t run, const struct fl_scaling_options *options,
                    struct fl_scaling *out, struct fl_err *err)
{
    struct reader r = {.store = store, .run = run, .options = options, .out = out, .err = err};
    int rc = fl_summary_read(store, run, &r.summary, err);

    *out = (struct fl_scaling){.count = 0};
    if (rc)
        return rc;
    rc = find_names(&r);
    if (!rc)
        rc = set_title(&r);
    if (!rc)
        rc = resolve(&r);
    if (!rc)
        rc = fl_store_environment(store, run, keep_processors, &r, err);
    if (!rc)
        rc = add_groups(&r);
    fl_summary_release(&r.summary);
    if (rc)
        fl_scaling_release(out);
    return rc;
}

void fl_scaling_release(struct fl_scaling *scaling)
{
    fl_arena_release(&scaling->arena);
    *scaling = (struct fl_scaling){.count = 0};
}
