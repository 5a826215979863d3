/* SPDX-License-Identifier: Apache-2.0 */
/* Variants against the slow cell: pairs, the loss, what each recovers, and their order. */
#include "results/explanation.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recovery.h"
#include "results/rounds.h"
#include "results/text.h"

#define FAMILY     0.025 /* one side of 95 %, over all variants */
#define EVERYTHING 0.95  /* an interval that reaches this share recovers everything */

struct reader {
    const struct fl_explain_query *query;
    struct fl_summary summary;
    struct fl_rounds rounds;
    size_t subject;  /* its place in the summary */
    size_t *metrics; /* of the counters, places in the summary */
    struct fl_explanation *out;
    struct fl_err *err;
};

static int out_of_memory(const struct reader *r)
{
    return fl_fail(r->err, -ENOMEM, "cannot explain the cell: out of memory");
}

static size_t find_cell(const struct reader *r, const char *key)
{
    size_t i = 0;

    while (i < r->summary.cell_count && strcmp(r->summary.cells[i].key, key) != 0)
        i++;
    return i;
}

static size_t find_metric(const struct reader *r, const char *name)
{
    size_t i = 0;

    while (i < r->summary.metric_count && strcmp(r->summary.metrics[i].metric.name, name) != 0)
        i++;
    return i;
}

static double median_of(const struct reader *r, size_t cell, size_t metric)
{
    const struct fl_summary_value *value = &r->summary.cells[cell].values[metric];

    return value->count ? fl_number_real(value->median) : (double)NAN;
}

/* ---- counters ---- */

static bool is_named(const char *const *names, const char *name)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

static bool some_suspect_names(const struct reader *r, const char *metric)
{
    for (size_t i = 0; i < r->query->count; i++) {
        const struct fl_testimony *suspect = r->query->variants[i].suspect;
        if (suspect && (is_named(suspect->convicts, metric) || is_named(suspect->also, metric)))
            return true;
    }
    return false;
}

static bool some_row_has(const struct reader *r, size_t metric)
{
    bool has = median_of(r, r->subject, metric) > 0;

    for (size_t i = 0; i < r->out->count && !has; i++) {
        size_t cell = find_cell(r, r->out->rows[i].variant->key);
        has = cell < r->summary.cell_count && median_of(r, cell, metric) > 0;
    }
    return has;
}

static void choose_counters(struct reader *r)
{
    struct fl_explanation *out = r->out;

    for (size_t i = 0; i < r->summary.metric_count; i++) {
        const char *name = r->summary.metrics[i].metric.name;
        if (some_suspect_names(r, name) && some_row_has(r, i)) {
            r->metrics[out->counter_count] = i;
            out->counters[out->counter_count++] = fl_text_copy(&out->arena, name);
        }
    }
}

/* Line 0 is the slow cell's. */
static int fill_counts(struct reader *r)
{
    struct fl_explanation *out = r->out;
    size_t metrics = r->summary.metric_count + 1;

    out->counters = fl_arena_alloc(&out->arena, metrics * sizeof(*out->counters), 16);
    r->metrics = fl_arena_alloc(&out->arena, metrics * sizeof(*r->metrics), 16);
    if (!out->counters || !r->metrics)
        return out_of_memory(r);
    choose_counters(r);
    size_t width = out->counter_count;
    out->counts =
        fl_arena_alloc(&out->arena, ((out->count + 1) * width + 1) * sizeof(*out->counts), 16);
    if (!out->counts)
        return out_of_memory(r);
    for (size_t k = 0; k < width; k++) {
        if (!out->counters[k])
            return out_of_memory(r);
        out->counts[k] = median_of(r, r->subject, r->metrics[k]);
        for (size_t i = 0; i < out->count; i++) {
            size_t cell = find_cell(r, out->rows[i].variant->key);
            out->counts[out->rows[i].cell * width + k] =
                cell < r->summary.cell_count ? median_of(r, cell, r->metrics[k]) : (double)NAN;
        }
    }
    return 0;
}

/* Nanoseconds that one event can cost at most: what costs more was not that event. An event without
 * a line has no bound. */
static const struct {
    const char *counter;
    double dearest;
} prices[] = {{"malloc-calls", 2e3}, {"pthread-mutex-locks", 1e5}, {"brk-calls", 1e7}};

static bool is_credible(const char *counter, double events, double saved)
{
    for (size_t i = 0; i < sizeof(prices) / sizeof(prices[0]); i++)
        if (strcmp(prices[i].counter, counter) == 0)
            return saved <= events * prices[i].dearest;
    return true;
}

/* An exact count fell where it is lower by a tenth, others where half of it is gone. */
static bool has_fallen(enum fl_metric_kind kind, double before, double after)
{
    return before > 0 && after <= before * (kind == FL_METRIC_EXACT ? 0.9 : 0.5);
}

/* The first counter that testifies; NULL: none does. */
static const char *find_testimony(const struct reader *r, const struct fl_explain_row *row)
{
    const struct fl_explanation *out = r->out;
    double saved = out->time - row->time;

    for (size_t k = 0; k < out->counter_count && row->variant->suspect; k++) {
        double before = out->counts[k], after = out->counts[row->cell * out->counter_count + k];
        enum fl_metric_kind kind = r->summary.metrics[r->metrics[k]].metric.kind;
        if (is_named(row->variant->suspect->convicts, out->counters[k]) &&
            has_fallen(kind, before, after) && is_credible(out->counters[k], before - after, saved))
            return out->counters[k];
    }
    return NULL;
}

/* ---- variants ---- */

static const struct fl_round_row *timed(const struct reader *r, const char *key)
{
    return &r->rounds.cells[find_cell(r, key)];
}

static const char *why_missing(const struct reader *r, size_t cell)
{
    if (cell == r->summary.cell_count)
        return "the run has no such cell";
    if (r->summary.cells[cell].reason)
        return r->summary.cells[cell].reason;
    return r->rounds.cells[cell].count ? NULL : "no timed sample";
}

static int add_row(struct reader *r, const struct fl_variant *variant, size_t time)
{
    struct fl_explanation *out = r->out;
    struct fl_explain_row *row = &out->rows[out->count++];
    size_t cell = find_cell(r, variant->key);
    const char *reason = why_missing(r, cell);

    *row = (struct fl_explain_row){.variant = variant,
                                   .verdict = FL_EXPLAIN_NOTHING,
                                   .ratio = {(double)NAN, (double)NAN, (double)NAN},
                                   .recovered = {(double)NAN, (double)NAN, (double)NAN},
                                   .cell = out->count};
    if (!reason) {
        row->time = median_of(r, cell, time);
        return 0;
    }
    row->verdict = FL_EXPLAIN_MISSING;
    row->reason = fl_text_copy(&out->arena, reason);
    return row->reason ? 0 : out_of_memory(r);
}

static int compare(struct reader *r, struct fl_explain_row *row, size_t tried, bool *faster)
{
    const struct fl_round_row *cell = &r->rounds.cells[r->subject];
    double bound = 0;
    int rc = fl_recovery_ratio(timed(r, row->variant->key), cell, FAMILY / (double)tried,
                               &row->ratio, &bound);

    *faster = !rc && bound < -log1p(r->query->tolerance);
    return rc ? out_of_memory(r) : 0;
}

static int compare_all(struct reader *r)
{
    struct fl_explanation *out = r->out;
    size_t tried = 0;
    int rc = 0;

    for (size_t i = 0; i < out->count; i++)
        tried += out->rows[i].verdict != FL_EXPLAIN_MISSING;
    out->needed = (size_t)ceil(log2((double)(tried ? tried : 1) / FAMILY));
    for (size_t i = 0; i < out->count && !rc; i++) {
        struct fl_explain_row *row = &out->rows[i];
        bool faster = false;
        if (row->verdict == FL_EXPLAIN_MISSING)
            continue;
        rc = compare(r, row, tried, &faster);
        /* An interval that is not there leaves everything possible. */
        double most = isfinite(row->ratio.low) ? -expm1(row->ratio.low) : 1;
        out->possible = most > out->possible ? most : out->possible;
        row->fell = find_testimony(r, row);
        if (faster)
            row->verdict = row->fell ? FL_EXPLAIN_CAUSE : FL_EXPLAIN_UNSEEN;
    }
    return rc;
}

/* ---- the loss ---- */

static bool is_faster(const struct fl_explain_row *row)
{
    return row->verdict == FL_EXPLAIN_CAUSE || row->verdict == FL_EXPLAIN_UNSEEN;
}

/* The fastest; of those that the joint removal covers only where that is not faster itself. */
static const struct fl_explain_row *find_reference(const struct fl_explanation *out)
{
    const struct fl_explain_row *best = NULL;
    bool joint = false;

    for (size_t i = 0; i < out->count; i++)
        joint |= !out->rows[i].variant->suspect && is_faster(&out->rows[i]);
    for (size_t i = 0; i < out->count; i++) {
        const struct fl_explain_row *row = &out->rows[i];
        if (!is_faster(row) || (joint && row->variant->covered))
            continue;
        if (!best || row->ratio.estimate < best->ratio.estimate)
            best = row;
    }
    return best;
}

static int measure_recovery(struct reader *r)
{
    struct fl_explanation *out = r->out;
    const struct fl_explain_row *reference = find_reference(out);
    int rc = 0;

    out->loss = (struct fl_range){(double)NAN, (double)NAN, (double)NAN};
    if (!reference)
        return 0;
    out->reference = reference->variant;
    out->loss = reference->ratio;
    for (size_t i = 0; i < out->count && !rc; i++) {
        struct fl_explain_row *row = &out->rows[i];
        if (row->verdict == FL_EXPLAIN_MISSING)
            continue;
        if (row == reference)
            row->recovered = (struct fl_range){1, 1, 1};
        else
            rc = fl_recovery_share(timed(r, row->variant->key), &r->rounds.cells[r->subject],
                                   timed(r, reference->variant->key), &row->recovered);
        row->full = row->recovered.high >= EVERYTHING;
    }
    return rc ? out_of_memory(r) : 0;
}

/* ---- order ---- */

static int by_suspect(const void *a, const void *b)
{
    const struct fl_explain_row *x = a, *y = b;

    return (x->variant > y->variant) - (x->variant < y->variant);
}

/* What recovers most ahead; without a loss, the fastest; what is missing last. */
static int by_recovery(const void *a, const void *b)
{
    const struct fl_explain_row *x = a, *y = b;

    if (x->verdict != y->verdict &&
        (x->verdict == FL_EXPLAIN_MISSING || y->verdict == FL_EXPLAIN_MISSING ||
         x->verdict == FL_EXPLAIN_CAUSE || y->verdict == FL_EXPLAIN_CAUSE))
        return (x->verdict > y->verdict) - (x->verdict < y->verdict);
    if (x->ratio.estimate != y->ratio.estimate)
        return (x->ratio.estimate > y->ratio.estimate) - (x->ratio.estimate < y->ratio.estimate);
    return by_suspect(a, b);
}

/* Can the two be told apart? */
static int is_tied(struct reader *r, const struct fl_explain_row *a, const struct fl_explain_row *b,
                   bool *tied)
{
    struct fl_range ratio;
    double bound;
    int rc = fl_recovery_ratio(timed(r, a->variant->key), timed(r, b->variant->key), FAMILY, &ratio,
                               &bound);

    *tied = !rc && !(ratio.low > 0) && !(ratio.high < 0);
    return rc ? out_of_memory(r) : 0;
}

/* Moves what stands first to the front of the causes, in the order of the suspects. */
static int lead(struct reader *r)
{
    struct fl_explanation *out = r->out;
    const struct fl_explain_row best = out->rows[0];
    size_t leaders = 0;
    bool full = false;
    int rc = 0;

    for (size_t i = 0; i < out->causes; i++)
        full |= out->rows[i].full;
    for (size_t i = 0; i < out->causes && !rc; i++) {
        struct fl_explain_row row = out->rows[i];
        bool leads = row.full;
        if (!full)
            rc = is_tied(r, &best, &row, &leads);
        if (!leads && i)
            continue;
        memmove(&out->rows[leaders + 1], &out->rows[leaders], (i - leaders) * sizeof(row));
        out->rows[leaders++] = row;
    }
    qsort(out->rows, leaders, sizeof(*out->rows), by_suspect);
    for (size_t i = 1; i < out->causes && !rc; i++)
        rc = is_tied(r, &out->rows[0], &out->rows[i], &out->rows[i].tied);
    return rc;
}

static int sort(struct reader *r)
{
    struct fl_explanation *out = r->out;

    qsort(out->rows, out->count, sizeof(*out->rows), by_recovery);
    while (out->causes < out->count && out->rows[out->causes].verdict == FL_EXPLAIN_CAUSE)
        out->causes++;
    return out->causes ? lead(r) : 0;
}

/* ---- the whole ---- */

static int find_subject(struct reader *r)
{
    struct fl_explanation *out = r->out;

    r->subject = find_cell(r, r->query->key);
    if (r->subject == r->summary.cell_count)
        return fl_fail(r->err, -ENOENT, "run %lld has no cell '%.300s'",
                       (long long)r->summary.run.id, r->query->key);
    out->run = r->summary.run.id;
    out->tolerance = r->query->tolerance;
    out->rounds = r->rounds.cells[r->subject].count;
    out->key = fl_text_copy(&out->arena, r->query->key);
    const char *trouble = why_missing(r, r->subject);
    out->trouble = trouble ? fl_text_copy(&out->arena, trouble) : NULL;
    return !out->key || (trouble && !out->trouble) ? out_of_memory(r) : 0;
}

static int read_rows(struct reader *r, size_t time)
{
    struct fl_explanation *out = r->out;
    int rc = find_subject(r);

    out->rows = fl_arena_alloc(&out->arena, (r->query->count + 1) * sizeof(*out->rows), 16);
    if (!rc && !out->rows)
        rc = out_of_memory(r);
    if (rc || out->trouble)
        return rc;
    out->time = median_of(r, r->subject, time);
    for (size_t i = 0; i < r->query->count && !rc; i++)
        rc = add_row(r, &r->query->variants[i], time);
    if (!rc)
        rc = fill_counts(r);
    if (!rc)
        rc = compare_all(r);
    if (!rc)
        rc = measure_recovery(r);
    return rc ? rc : sort(r);
}

int fl_explanation_read(struct fl_store *store, int64_t run, const struct fl_explain_query *query,
                        struct fl_explanation *out, struct fl_err *err)
{
    struct reader r = {.query = query, .out = out, .err = err};
    int rc = fl_summary_read(store, run, &r.summary, err);

    *out = (struct fl_explanation){.count = 0};
    if (rc)
        return rc;
    size_t time = find_metric(&r, "time");
    if (time == r.summary.metric_count)
        rc = fl_fail(err, -ENOENT, "run %lld measured no 'time'", (long long)run);
    if (!rc)
        rc = fl_rounds_read(store, &r.summary, time, &r.rounds, err);
    if (!rc)
        rc = read_rows(&r, time);
    fl_rounds_release(&r.rounds);
    fl_summary_release(&r.summary);
    if (rc)
        fl_explanation_release(out);
    return rc;
}

void fl_explanation_release(struct fl_explanation *explanation)
{
    fl_arena_release(&explanation->arena);
    *explanation = (struct fl_explanation){.count = 0};
}
