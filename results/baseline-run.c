/* SPDX-License-Identifier: Apache-2.0 */
/* The counts of a run as a baseline. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "baseline-fields.h"
#include "faultline/reals.h"
#include "results/text.h"

struct making {
    struct fl_store *store;
    struct fl_series_set set;
    struct fl_baseline *out;
    size_t capacity;
    bool begun; /* the machine has the fields of the cells so far */
    struct fl_err *err;
};

static int out_of_memory(struct making *m)
{
    return fl_fail(m->err, -ENOMEM, "cannot make a baseline: out of memory");
}

static bool is_kept(const struct fl_metric *metric)
{
    return (metric->kind == FL_METRIC_EXACT || metric->kind == FL_METRIC_SET) &&
           metric->better != FL_NOT_RANKED;
}

/* All different values, ascending; 0: more than a line has. */
static size_t distinct(const struct fl_round_row *row, double out[FL_BASELINE_VALUES])
{
    double *values = malloc((row->count + 1) * sizeof(*values));
    size_t count = 0;

    for (size_t i = 0; values && i < row->count; i++)
        values[i] = row->values[i].value;
    if (values)
        fl_reals_sort(values, row->count);
    for (size_t i = 0; values && i < row->count; i++) {
        if (count && fl_reals_compare(&values[i], &out[count - 1]) == 0)
            continue;
        if (count == FL_BASELINE_VALUES) {
            count = 0;
            break;
        }
        out[count++] = values[i];
    }
    free(values);
    return count;
}

static int grow(struct making *m)
{
    struct fl_baseline *out = m->out;
    size_t capacity = m->capacity ? 2 * m->capacity : 256;
    struct fl_baseline_count *grown = fl_arena_alloc(&out->arena, capacity * sizeof(*grown), 16);

    if (!grown)
        return out_of_memory(m);
    if (out->count)
        memcpy(grown, out->counts, out->count * sizeof(*grown));
    out->counts = grown;
    m->capacity = capacity;
    return 0;
}

static int add_count(struct making *m, const struct fl_baseline_fields *fields, const char *cell,
                     const char *metric, const struct fl_series *series)
{
    struct fl_baseline *out = m->out;
    double values[FL_BASELINE_VALUES];
    size_t count = distinct(&series->counted, values);

    if (!count || series->scaled) {
        out->left_out++;
        return 0;
    }
    if (out->count == m->capacity && grow(m))
        return -ENOMEM;
    size_t bytes = fields->count * sizeof(*fields->items);
    struct fl_fact *facts = fl_arena_alloc(&out->arena, bytes + 1, 16);
    double *kept = fl_arena_alloc(&out->arena, count * sizeof(*kept), 16);
    struct fl_baseline_count made = {.cell = fl_text_copy(&out->arena, cell),
                                     .metric = fl_text_copy(&out->arena, metric),
                                     .facts = facts,
                                     .fact_count = fields->count,
                                     .values = kept,
                                     .value_count = count};
    if (!facts || !kept || !made.cell || !made.metric)
        return out_of_memory(m);
    memcpy(facts, fields->items, bytes);
    memcpy(kept, values, count * sizeof(*kept));
    out->counts[out->count++] = made;
    if (!out->samples || series->counted.count < out->samples)
        out->samples = series->counted.count;
    if (out->count == 1)
        out->calls = series->calls;
    else if (out->calls != series->calls)
        out->calls = 0;
    return 0;
}

/* What is not the same in every cell is no field of the machine. */
static int narrow_machine(struct making *m, const struct fl_baseline_fields *fields)
{
    struct fl_baseline *out = m->out;
    size_t kept = 0;

    if (!m->begun) {
        out->machine = fl_arena_alloc(&out->arena, sizeof(fields->items), 16);
        if (!out->machine)
            return out_of_memory(m);
        memcpy(out->machine, fields->items, sizeof(fields->items));
        out->machine_count = fields->count;
        m->begun = true;
        return 0;
    }
    for (size_t i = 0; i < out->machine_count; i++) {
        const char *value = fl_baseline_field(fields->items, fields->count, out->machine[i].name);
        if (value && strcmp(value, out->machine[i].value) == 0)
            out->machine[kept++] = out->machine[i];
    }
    out->machine_count = kept;
    return 0;
}

static int add_cell(struct making *m, size_t cell)
{
    const struct fl_summary *plan = &m->set.plan;
    const struct fl_series_cell *at = &m->set.cells[cell];
    const struct fl_fingerprint_of of = {m->store, &m->set, cell};
    struct fl_baseline_fields fields;
    size_t before = m->out->count;
    int rc = 0;

    if (at->failure) {
        m->out->left_out++;
        return 0;
    }
    if (at->counted)
        rc = fl_baseline_fields(&of, &m->out->arena, &fields, m->err);
    for (size_t i = 0; i < plan->metric_count && at->counted && !rc; i++)
        if (is_kept(&plan->metrics[i].metric) && at->items[i].counted.count)
            rc = add_count(m, &fields, plan->cells[cell].key, plan->metrics[i].metric.name,
                           &at->items[i]);
    return rc || m->out->count == before ? rc : narrow_machine(m, &fields);
}

/* Fields that all cells share leave the lines. */
static void shorten_facts(struct fl_baseline *out)
{
    for (size_t i = 0; i < out->count; i++) {
        struct fl_baseline_count *count = &out->counts[i];
        size_t kept = 0;
        for (size_t k = 0; k < count->fact_count; k++)
            if (!fl_baseline_field(out->machine, out->machine_count, count->facts[k].name))
                count->facts[kept++] = count->facts[k];
        count->fact_count = kept;
    }
}

static int make(struct making *m, int64_t run)
{
    const struct fl_run_info *info = &m->set.plan.run.info;
    struct fl_baseline *out = m->out;
    char name[32];
    int rc = 0;

    snprintf(name, sizeof(name), "run %lld", (long long)run);
    out->name = fl_text_copy(&out->arena, name);
    out->scenario = fl_text_copy(&out->arena, info->scenario);
    if (!out->name || !out->scenario)
        return out_of_memory(m);
    for (size_t i = 0; i < m->set.plan.cell_count && !rc; i++)
        rc = add_cell(m, i);
    if (!rc && !out->count)
        rc = fl_fail(m->err, -ENOENT,
                     "run %lld has no counts for a baseline: it needs counting samples of exact "
                     "or set-valued metrics",
                     (long long)run);
    if (!rc) {
        shorten_facts(out);
        fl_baseline_sort(out);
    }
    return rc;
}

int fl_baseline_of_run(struct fl_store *store, int64_t run, struct fl_baseline *out,
                       struct fl_err *err)
{
    struct making m = {.store = store, .out = out, .err = err};

    *out = (struct fl_baseline){.scenario = ""};
    int rc = fl_series_read(store, run, &m.set, err);
    if (!rc) {
        rc = make(&m, run);
        fl_series_release(&m.set);
    }
    if (rc)
        fl_baseline_release(out);
    return rc;
}
