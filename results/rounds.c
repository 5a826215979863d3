/* SPDX-License-Identifier: Apache-2.0 */
#include "results/rounds.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "database.h"
#include "faultline/random.h"
#include "faultline/reals.h"

/* ---- reading ---- */

struct place {
    int64_t id;
    size_t cell;
};

struct reader {
    const struct fl_summary *summary;
    struct place *places;          /* cells by id */
    struct fl_round_value *values; /* of all cells, one behind the other */
    size_t count, room;
    struct fl_rounds *out;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static int index_cells(struct reader *r)
{
    size_t count = r->summary->cell_count;

    r->places = fl_arena_alloc(&r->out->arena, (count + 1) * sizeof(*r->places), 16);
    r->out->cells = fl_arena_alloc(&r->out->arena, (count + 1) * sizeof(*r->out->cells), 16);
    if (!r->places || !r->out->cells)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        r->places[i] = (struct place){r->summary->cells[i].id, i};
    qsort(r->places, count, sizeof(*r->places), compare_places);
    r->out->cell_count = count;
    return 0;
}

static int keep_value(struct reader *r, struct fl_round_value value)
{
    if (r->count == r->room) {
        size_t room = r->room ? 2 * r->room : 256;
        struct fl_round_value *more = realloc(r->values, room * sizeof(*more));
        if (!more)
            return -ENOMEM;
        r->values = more;
        r->room = room;
    }
    r->values[r->count++] = value;
    return 0;
}

/* Rows come cell by cell: a cell's length is how far the list has grown under it. */
static int keep_row(struct reader *r, sqlite3_stmt *row)
{
    const struct place wanted = {.id = sqlite3_column_int64(row, 0)};
    const struct place *found =
        bsearch(&wanted, r->places, r->summary->cell_count, sizeof(*r->places), compare_places);

    if (!found || strcmp(r->summary->cells[found->cell].status,
                         fl_outcome_name(FL_OUTCOME_WRONG_RESULT)) == 0)
        return 0;
    r->out->cells[found->cell].count++;
    return keep_value(
        r, (struct fl_round_value){sqlite3_column_int64(row, 1), sqlite3_column_double(row, 2)});
}

/* Into the arena, each cell pointing to its own; the list is in the order of ids. */
static int hand_over(struct reader *r)
{
    struct fl_round_value *values =
        fl_arena_alloc(&r->out->arena, (r->count + 1) * sizeof(*values), 16);

    if (!values)
        return -ENOMEM;
    if (r->count)
        memcpy(values, r->values, r->count * sizeof(*values));
    for (size_t i = 0; i < r->summary->cell_count; i++) {
        struct fl_round_row *row = &r->out->cells[r->places[i].cell];
        row->values = values;
        values += row->count;
    }
    return 0;
}

int fl_rounds_read(struct fl_store *store, const struct fl_summary *summary, size_t metric,
                   struct fl_rounds *out, struct fl_err *err)
{
    static const char select[] =
        "SELECT cell, round, value FROM v_value WHERE run = ? AND metric = ? AND mode = 'timed' "
        "AND outcome = 'ok' AND value IS NOT NULL ORDER BY cell, round";
    struct reader r = {.summary = summary, .out = out};
    sqlite3_stmt *row;

    *out = (struct fl_rounds){.cell_count = 0};
    int rc = index_cells(&r);
    if (!rc)
        rc = fl_db_bind(store, select, &row, err, "ii", summary->run.id,
                        summary->metrics[metric].id);
    while (!rc && (rc = fl_db_step(store, row, err)) > 0) {
        rc = keep_row(&r, row);
        if (rc)
            fl_db_reset(row);
    }
    if (!rc)
        rc = hand_over(&r);
    if (rc == -ENOMEM)
        rc = fl_fail(err, rc, "cannot read the rounds: out of memory");
    free(r.values);
    if (rc)
        fl_rounds_release(out);
    return rc;
}

void fl_rounds_release(struct fl_rounds *rounds)
{
    fl_arena_release(&rounds->arena);
    *rounds = (struct fl_rounds){.cell_count = 0};
}

/* ---- pairs ---- */

/* The ratios of the rounds that have both. Returns how many. */
static size_t pair(const struct fl_round_row *a, const struct fl_round_row *b, double *ratios)
{
    size_t i = 0, k = 0, count = 0;

    while (i < a->count && k < b->count) {
        const struct fl_round_value *x = &a->values[i], *y = &b->values[k];
        if (x->round == y->round && x->value > 0 && y->value > 0)
            ratios[count++] = x->value / y->value;
        i += x->round <= y->round;
        k += y->round <= x->round;
    }
    return count;
}

/* The median of `count` draws with replacement: how often each is drawn says which ones stand in
 * the middle, without sorting. */
static double resample(const double *sorted, size_t count, size_t *drawn, uint64_t *random)
{
    size_t place = 0, passed = 0;
    double middle[2] = {0, 0};

    memset(drawn, 0, count * sizeof(*drawn));
    for (size_t i = 0; i < count; i++)
        drawn[fl_random_below(random, count)]++;
    for (int i = 0; i < 2; i++) {
        size_t wanted = i ? count / 2 : (count - 1) / 2;
        while (passed + drawn[place] <= wanted)
            passed += drawn[place++];
        middle[i] = sorted[place];
    }
    return middle[0] / 2 + middle[1] / 2;
}

static int find_interval(const double *sorted, size_t count, struct fl_paired *out)
{
    enum { TAIL = FL_PAIRED_RESAMPLES / 40 }; /* 2.5 % */
    double *medians = malloc(FL_PAIRED_RESAMPLES * sizeof(*medians));
    size_t *drawn = malloc(count * sizeof(*drawn));
    int rc = medians && drawn ? 0 : -ENOMEM;
    uint64_t random = 1;

    for (size_t i = 0; i < FL_PAIRED_RESAMPLES && !rc; i++)
        medians[i] = resample(sorted, count, drawn, &random);
    if (!rc) {
        fl_reals_sort(medians, FL_PAIRED_RESAMPLES);
        out->low = medians[TAIL];
        out->high = medians[FL_PAIRED_RESAMPLES - 1 - TAIL];
    }
    free(medians);
    free(drawn);
    return rc;
}

int fl_rounds_ratio(const struct fl_round_row *a, const struct fl_round_row *b,
                    struct fl_paired *out)
{
    double *ratios = malloc((a->count + 1) * sizeof(*ratios));

    *out = (struct fl_paired){.median = (double)NAN, .low = (double)NAN, .high = (double)NAN};
    if (!ratios)
        return -ENOMEM;
    size_t count = pair(a, b, ratios);
    fl_reals_sort(ratios, count);
    out->rounds = count;
    if (count)
        out->median = fl_reals_middle(ratios, count);
    int rc = count > 1 ? find_interval(ratios, count, out) : 0;
    free(ratios);
    return rc;
}

/* ---- medians of both sides ---- */

/* One side of the pairs, ascending, and which pair each value is of. */
struct side {
    double *values;
    size_t *pairs;
};

struct sides {
    struct side a, b;
    size_t count;
    size_t *drawn; /* by pair */
};

static int compare_side(const void *x, const void *y, void *arg)
{
    const double *values = arg, a = values[*(const size_t *)x], b = values[*(const size_t *)y];

    return (a > b) - (a < b);
}

/* The values come in the order of the pairs. -ENOMEM. */
static int sort_side(struct side *side, size_t count)
{
    double *sorted = malloc((count + 1) * sizeof(*sorted));

    if (!sorted)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        side->pairs[i] = i;
    qsort_r(side->pairs, count, sizeof(*side->pairs), compare_side, side->values);
    for (size_t i = 0; i < count; i++)
        sorted[i] = side->values[side->pairs[i]];
    memcpy(side->values, sorted, count * sizeof(*sorted));
    free(sorted);
    return 0;
}

static double drawn_median(const struct sides *s, const struct side *side)
{
    size_t place = 0, passed = 0;
    double middle[2] = {0, 0};

    for (int i = 0; i < 2; i++) {
        size_t wanted = i ? s->count / 2 : (s->count - 1) / 2;
        while (passed + s->drawn[side->pairs[place]] <= wanted)
            passed += s->drawn[side->pairs[place++]];
        middle[i] = side->values[place];
    }
    return middle[0] / 2 + middle[1] / 2;
}

static int resample_sides(const struct sides *s, struct fl_paired *out)
{
    enum { TAIL = FL_PAIRED_RESAMPLES / 40 }; /* 2.5 % */
    double *ratios = malloc(FL_PAIRED_RESAMPLES * sizeof(*ratios));
    uint64_t random = 1;

    if (!ratios)
        return -ENOMEM;
    for (size_t i = 0; i < FL_PAIRED_RESAMPLES; i++) {
        memset(s->drawn, 0, s->count * sizeof(*s->drawn));
        for (size_t k = 0; k < s->count; k++)
            s->drawn[fl_random_below(&random, s->count)]++;
        ratios[i] = drawn_median(s, &s->a) / drawn_median(s, &s->b);
    }
    fl_reals_sort(ratios, FL_PAIRED_RESAMPLES);
    out->low = ratios[TAIL];
    out->high = ratios[FL_PAIRED_RESAMPLES - 1 - TAIL];
    free(ratios);
    return 0;
}

static void pair_sides(const struct fl_round_row *a, const struct fl_round_row *b, struct sides *s)
{
    size_t i = 0, k = 0;

    while (i < a->count && k < b->count) {
        const struct fl_round_value *x = &a->values[i], *y = &b->values[k];
        if (x->round == y->round && x->value > 0 && y->value > 0) {
            s->a.values[s->count] = x->value;
            s->b.values[s->count++] = y->value;
        }
        i += x->round <= y->round;
        k += y->round <= x->round;
    }
}

static int find_medians(struct sides *s, struct fl_paired *out)
{
    int rc = sort_side(&s->a, s->count);

    if (!rc)
        rc = sort_side(&s->b, s->count);
    out->rounds = s->count;
    if (rc || !s->count)
        return rc;
    out->median = fl_reals_middle(s->a.values, s->count) / fl_reals_middle(s->b.values, s->count);
    return s->count > 1 ? resample_sides(s, out) : 0;
}

int fl_rounds_medians_ratio(const struct fl_round_row *a, const struct fl_round_row *b,
                            struct fl_paired *out)
{
    size_t room = a->count + 1;
    double *values = malloc(2 * room * sizeof(*values));
    size_t *places = malloc(3 * room * sizeof(*places));
    int rc = -ENOMEM;

    *out = (struct fl_paired){.median = (double)NAN, .low = (double)NAN, .high = (double)NAN};
    if (values && places) {
        struct sides s = {{values, places}, {values + room, places + room}, 0, places + 2 * room};
        pair_sides(a, b, &s);
        rc = find_medians(&s, out);
    }
    free(values);
    free(places);
    return rc;
}
