/* SPDX-License-Identifier: Apache-2.0 */
#include "pair-table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/reals.h"
#include "results/series.h"

int fl_pair_table_init(struct fl_pair_table *table, size_t cells, size_t rounds)
{
    struct fl_arena *arena = &table->arena;
    const size_t bytes = (cells * rounds + 1) * sizeof(double);

    *table = (struct fl_pair_table){.rounds = rounds, .cells = cells};
    table->base = fl_arena_alloc(arena, bytes, sizeof(double));
    table->head = fl_arena_alloc(arena, bytes, sizeof(double));
    table->losses = fl_arena_alloc(arena, bytes, sizeof(double));
    table->keys = fl_arena_alloc(arena, (cells + 1) * sizeof(*table->keys), sizeof(char *));
    if (table->base && table->head && table->losses && table->keys)
        return 0;
    fl_arena_release(arena);
    return -ENOMEM;
}

void fl_pair_table_finish(struct fl_pair_table *table)
{
    for (size_t i = 0; i < table->cells * table->rounds; i++)
        table->losses[i] = log(table->head[i] / table->base[i]);
}

void fl_pair_table_release(struct fl_pair_table *table)
{
    fl_arena_release(&table->arena);
}

/* ---- reading ---- */

struct pair_of_cells {
    int64_t base, head;
    const char *key;
    const struct fl_round_row *rows[2]; /* NULL: nothing to trust */
};

struct reading {
    struct fl_store *store;
    int64_t wanted, id, runs[2];
    size_t planned;
    struct fl_series_set sets[2];
    struct pair_of_cells *cells;
    size_t count, room;
    int64_t rounds; /* 1 more than the last one */
    struct fl_arena arena;
    struct fl_err *err;
};

static int out_of_memory(struct reading *r)
{
    return fl_fail(r->err, -ENOMEM, "cannot read the pairs: out of memory");
}

static int take_pairing(void *arg, const struct fl_pairing *pairing)
{
    struct reading *r = arg;

    if (r->wanted ? pairing->id == r->wanted : pairing->purpose == FL_PAIRING_AB) {
        r->id = pairing->id;
        r->runs[0] = pairing->base;
        r->runs[1] = pairing->head;
        r->planned = pairing->planned;
    }
    return 0;
}

static char *keep(struct fl_arena *arena, const char *text)
{
    char *copy = fl_arena_alloc(arena, strlen(text) + 1, 1);

    return copy ? strcpy(copy, text) : NULL;
}

static int take_cell(void *arg, const struct fl_paired_cell *cell)
{
    struct reading *r = arg;

    if (r->count == r->room) {
        size_t room = r->room ? 2 * r->room : 32;
        struct pair_of_cells *more = realloc(r->cells, room * sizeof(*more));
        if (!more)
            return out_of_memory(r);
        r->cells = more;
        r->room = room;
    }
    char *key = keep(&r->arena, cell->key);
    r->cells[r->count++] =
        (struct pair_of_cells){.base = cell->base, .head = cell->head, .key = key};
    return key ? 0 : out_of_memory(r);
}

/* The times of a cell that never failed. */
static const struct fl_round_row *find_row(const struct fl_series_set *set, int64_t cell)
{
    for (size_t c = 0; c < set->plan.cell_count; c++)
        for (size_t m = 0; m < set->plan.metric_count; m++)
            if (set->plan.cells[c].id == cell && !set->cells[c].failure &&
                strcmp(set->plan.metrics[m].metric.name, "time") == 0)
                return &set->cells[c].items[m].timed;
    return NULL;
}

static void find_rows(struct reading *r)
{
    size_t kept = 0;

    for (size_t i = 0; i < r->count; i++) {
        struct pair_of_cells cell = r->cells[i];
        cell.rows[0] = find_row(&r->sets[0], cell.base);
        cell.rows[1] = find_row(&r->sets[1], cell.head);
        if (!cell.rows[0] || !cell.rows[1] || !cell.rows[0]->count || !cell.rows[1]->count)
            continue;
        int64_t last = cell.rows[0]->values[cell.rows[0]->count - 1].round;
        r->rounds = last + 1 > r->rounds ? last + 1 : r->rounds;
        r->cells[kept++] = cell;
    }
    r->count = kept;
}

static void spread_row(const struct fl_round_row *row, double *times, size_t rounds)
{
    for (size_t i = 0; i < rounds; i++)
        times[i] = (double)NAN;
    for (size_t i = 0; i < row->count; i++)
        if ((size_t)row->values[i].round < rounds)
            times[row->values[i].round] = row->values[i].value;
}

static bool is_full(const struct fl_pair_table *table, size_t round)
{
    for (size_t c = 0; c < table->cells; c++) {
        const size_t at = c * table->rounds + round;
        if (!(table->base[at] > 0 && table->head[at] > 0))
            return false;
    }
    return true;
}

/* Moves the full rounds together. Places only move down, so a later one is never overwritten. */
static void drop_cut(struct fl_pair_table *table)
{
    size_t *full = calloc(table->rounds + 1, sizeof(*full)), kept = 0;

    for (size_t i = 0; full && i < table->rounds; i++)
        if (is_full(table, i))
            full[kept++] = i;
    for (size_t c = 0; full && c < table->cells; c++)
        for (size_t i = 0; i < kept; i++) {
            table->base[c * kept + i] = table->base[c * table->rounds + full[i]];
            table->head[c * kept + i] = table->head[c * table->rounds + full[i]];
        }
    table->cut = table->rounds - kept;
    table->rounds = kept;
    free(full);
}

/* ---- what a pair takes ---- */

struct span {
    int64_t from, to;
    size_t samples;
};

struct spans {
    struct span *items;
    size_t count;
};

static int take_span(void *arg, const struct fl_stored_sample *stored)
{
    const struct fl_sample *sample = &stored->sample;
    const struct spans *spans = arg;

    if (sample->mode != FL_SAMPLE_TIMED || (size_t)sample->round >= spans->count)
        return 0;
    struct span *span = &spans->items[sample->round];
    const int64_t end = sample->started_ns + sample->duration_ns;
    if (!span->samples++ || sample->started_ns < span->from)
        span->from = sample->started_ns;
    if (end > span->to)
        span->to = end;
    return 0;
}

/* Median over rounds: one that an interruption cut in two is long. */
static double middle_seconds(const struct spans *spans)
{
    double *seconds = malloc((spans->count + 1) * sizeof(*seconds)), middle = 0;
    size_t count = 0;

    for (size_t i = 0; seconds && i < spans->count; i++) {
        const struct span *span = &spans->items[i];
        if (span->samples)
            seconds[count++] = (double)(span->to - span->from) * 2e-9 / (double)span->samples;
    }
    if (count)
        middle = fl_reals_median(seconds, count);
    free(seconds);
    return middle;
}

static int read_seconds(struct reading *r, struct fl_pair_table *out)
{
    struct spans spans = {calloc((size_t)r->rounds + 1, sizeof(struct span)), (size_t)r->rounds};
    int rc = spans.items ? 0 : out_of_memory(r);

    for (int s = 0; s < 2 && !rc; s++)
        rc = fl_store_samples(r->store, r->runs[s], take_span, &spans, r->err);
    if (!rc)
        out->seconds = middle_seconds(&spans);
    free(spans.items);
    return rc;
}

/* ---- all of it ---- */

static int take_cpu(void *arg, const struct fl_fact *fact)
{
    struct fl_pair_table *out = arg;

    if (strcmp(fact->name, "cpu.model") == 0)
        out->cpu = keep(&out->arena, fact->value);
    return 0;
}

static int describe(struct reading *r, struct fl_pair_table *out)
{
    const struct fl_run_info *info = &r->sets[0].plan.run.info;

    out->planned = r->planned;
    out->settle = (double)info->settle_ns * 1e-9;
    out->window = (double)info->window_ns * 1e-9;
    out->host = keep(&out->arena, info->host);
    return fl_store_machine_facts(r->store, r->runs[0], take_cpu, out, r->err);
}

static int fill(struct reading *r, struct fl_pair_table *out)
{
    const size_t all = r->count, rounds = (size_t)r->rounds;
    int rc = fl_pair_table_init(out, all, rounds);

    if (rc)
        return out_of_memory(r);
    for (size_t c = 0; c < all; c++) {
        spread_row(r->cells[c].rows[0], out->base + c * rounds, rounds);
        spread_row(r->cells[c].rows[1], out->head + c * rounds, rounds);
        out->keys[c] = keep(&out->arena, r->cells[c].key);
        if (!out->keys[c])
            return out_of_memory(r);
    }
    drop_cut(out);
    fl_pair_table_finish(out);
    rc = read_seconds(r, out);
    return rc ? rc : describe(r, out);
}

static int read_all(struct reading *r, struct fl_pair_table *out)
{
    size_t all;
    int rc = fl_pairings(r->store, take_pairing, r, r->err);

    if (!rc && !r->id)
        rc = fl_fail(r->err, -ENOENT, "the store has no such A/B run");
    if (!rc)
        rc = fl_pairing_cells(r->store, r->id, take_cell, r, r->err);
    for (int s = 0; s < 2 && !rc; s++)
        rc = fl_series_read(r->store, r->runs[s], &r->sets[s], r->err);
    if (rc)
        return rc;
    all = r->count;
    find_rows(r);
    rc = fill(r, out);
    out->left_out = all - r->count;
    if (!rc && (!out->rounds || !out->cells))
        rc = fl_fail(r->err, -ENOENT, "A/B run %lld has no round with a pair of every cell",
                     (long long)r->id);
    return rc;
}

int fl_pair_table_read(struct fl_store *store, int64_t pairing, struct fl_pair_table *out,
                       struct fl_err *err)
{
    struct reading r = {.store = store, .wanted = pairing, .err = err};

    *out = (struct fl_pair_table){.rounds = 0};
    int rc = read_all(&r, out);
    for (int s = 0; s < 2; s++)
        fl_series_release(&r.sets[s]);
    fl_arena_release(&r.arena);
    free(r.cells);
    if (rc)
        fl_pair_table_release(out);
    return rc;
}
