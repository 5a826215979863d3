/* SPDX-License-Identifier: Apache-2.0 */
/* Places of each group, the split between them, its prediction, and the predictor's losses. */
#include "results/crossovers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cell-groups.h"
#include "database.h"
#include "faultline/factor.h"
#include "faultline/reals.h"
#include "layout.h"
#include "results/text.h"

#define NEAR_LOW  0.75
#define NEAR_HIGH 1.33

enum { FIRST, SECOND, PREDICTOR, ROLES };

#define NO_CELL ((size_t)-1)

/* One place along the searched factor. */
struct point {
    double at;
    size_t cells[ROLES];       /* places in the summary; NO_CELL */
    struct fl_paired compared; /* first to second; rounds 0: not both are measured */
};

struct reader {
    struct fl_store *store;
    const struct fl_crossover_query *query;
    struct fl_summary summary;
    struct fl_rounds rounds;
    size_t by[2]; /* searched and compared factor */
    struct fl_cell_groups groups;
    struct point *points; /* of the group at hand, ascending */
    size_t count;
    struct fl_crossovers *out;
    struct fl_err *err;
};

static int out_of_memory(const struct reader *r)
{
    return fl_fail(r->err, -ENOMEM, "cannot read the run: out of memory");
}

/* ---- places ---- */

static int role_of(const struct reader *r, const char *level)
{
    const char *levels[ROLES] = {r->query->levels[0], r->query->levels[1], r->query->predictor};
    int role = 0;

    while (role < ROLES && strcmp(level, levels[role]) != 0)
        role++;
    return role;
}

static struct point *point_at(struct reader *r, double at)
{
    size_t i = r->count;

    while (i && r->points[i - 1].at >= at)
        i--;
    if (i < r->count && r->points[i].at <= at)
        return &r->points[i];
    memmove(&r->points[i + 1], &r->points[i], (r->count - i) * sizeof(*r->points));
    r->count++;
    r->points[i] = (struct point){.at = at, .cells = {NO_CELL, NO_CELL, NO_CELL}};
    return &r->points[i];
}

/* Those whose level is a word, or that none of the levels is about, are in no place. */
static void place_cell(struct reader *r, size_t cell)
{
    const char **levels = r->summary.cells[cell].levels;
    int role = role_of(r, levels[r->by[1]]);
    double at;

    if (role < ROLES && !fl_factor_number(FL_FACTOR_INT, levels[r->by[0]], &at) && at > 0)
        point_at(r, at)->cells[role] = cell;
}

static const struct fl_round_row *row_of(const struct reader *r, const struct point *point,
                                         int role)
{
    static const struct fl_round_row none = {NULL, 0};

    return point->cells[role] == NO_CELL ? &none : &r->rounds.cells[point->cells[role]];
}

static int make_points(struct reader *r, const struct fl_cell_group *group)
{
    int rc = 0;

    r->count = 0;
    for (size_t i = 0; i < group->count; i++)
        place_cell(r, group->cells[i]);
    for (size_t i = 0; i < r->count && !rc; i++)
        rc = fl_rounds_ratio(row_of(r, &r->points[i], FIRST), row_of(r, &r->points[i], SECOND),
                             &r->points[i].compared);
    return rc ? out_of_memory(r) : 0;
}

/* ---- the split ---- */

static bool first_wins(const struct point *point)
{
    return point->compared.median < 1;
}

/* How far a point is from the other side. */
static double margin(const struct point *point)
{
    return fabs(log(point->compared.median));
}

/* Points from `split` on belong to the second level. Counts those that say otherwise, and adds up
 * how clearly. */
static size_t misjudged_by(const struct point *const *points, size_t count, size_t split,
                           double *weight)
{
    size_t wrong = 0;

    *weight = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_wrong = first_wins(points[i]) != (i < split);
        wrong += is_wrong;
        *weight += is_wrong ? margin(points[i]) : 0;
    }
    return wrong;
}

/* The split with the fewest points on the wrong side; of several, that which they contradict least.
 * Its neighbours are then on their own sides. */
static size_t best_split(const struct point *const *points, size_t count, size_t *misjudged)
{
    size_t best = 0;
    double least = 0;

    for (size_t split = 0; split <= count; split++) {
        double weight;
        size_t wrong = misjudged_by(points, count, split, &weight);
        if (split && (wrong > *misjudged || (wrong == *misjudged && weight >= least)))
            continue;
        best = split;
        *misjudged = wrong;
        least = weight;
    }
    return best;
}

/* Where the logarithm of the ratio, taken as a straight line over that of the place, is 0. */
static double interpolate(const struct point *low, const struct point *high)
{
    double below = log(low->compared.median), above = log(high->compared.median);
    double share = above > below ? -below / (above - below) : 0.5;

    return low->at * pow(high->at / low->at, share);
}

static int find_split(struct reader *r, struct fl_crossover *out)
{
    const struct point **points =
        fl_arena_alloc(&r->out->arena, (r->count + 1) * sizeof(struct point *), 16);
    size_t count = 0;

    if (!points)
        return out_of_memory(r);
    for (size_t i = 0; i < r->count; i++)
        if (r->points[i].compared.rounds)
            points[count++] = &r->points[i];
    out->points = count;
    if (!count) {
        out->place = FL_CROSSOVER_NOWHERE;
        out->reason = "no place has both levels measured";
        return 0;
    }
    size_t split = best_split(points, count, &out->misjudged);
    out->place = !split          ? FL_CROSSOVER_BELOW
                 : split < count ? FL_CROSSOVER_BETWEEN
                                 : FL_CROSSOVER_ABOVE;
    out->low = split ? points[split - 1]->at : 0;
    out->high = split < count ? points[split]->at : 0;
    out->at = !split          ? out->high
              : split < count ? interpolate(points[split - 1], points[split])
                              : out->low;
    return 0;
}

static void find_traffic(struct reader *r, const struct fl_cell_group *group,
                         struct fl_crossover *out)
{
    char level[32];

    if (out->place == FL_CROSSOVER_NOWHERE)
        return;
    snprintf(level, sizeof(level), "%.0f", out->at);
    out->bytes = r->query->traffic(r->query->arg, r->summary.cells[group->cells[0]].key, level);
}

/* ---- the prediction ---- */

/* A fact's number; text that is none stands for a crossover that never comes. */
static double fact_number(const char *text)
{
    char *end;
    double number = strtod(text, &end);

    return end == text || *end || !(number > 0) ? (double)INFINITY : number;
}

/* The median of the predicted fact over the good samples of a cell; 0: no sample has it. */
static int read_predicted(struct reader *r, size_t cell, double *out)
{
    static const char select[] =
        "SELECT value FROM sample JOIN fact_set_member ON fact_set = facts "
        "JOIN fact ON fact.id = fact WHERE run = ? AND cell = ? AND mode = 'timed' "
        "AND outcome = 'ok' AND name = ?";
    size_t count = 0, room = r->rounds.cells[cell].count + 1;
    double *values = malloc(room * sizeof(*values));
    sqlite3_stmt *row;
    int rc = values ? fl_db_bind(r->store, select, &row, r->err, "iit", r->summary.run.id,
                                 r->summary.cells[cell].id, r->query->predicted)
                    : out_of_memory(r);

    while (!rc && (rc = fl_db_step(r->store, row, r->err)) > 0) {
        rc = 0;
        if (count < room)
            values[count++] = fact_number(fl_db_text(row, 0));
    }
    if (!rc && count)
        *out = fl_reals_median(values, count);
    free(values);
    return rc;
}

static int compare_distances(const void *a, const void *b, void *arg)
{
    const struct point *x = a, *y = b;
    double at = *(const double *)arg;
    double to_x = fabs(log(x->at / at)), to_y = fabs(log(y->at / at));

    return (to_x > to_y) - (to_x < to_y);
}

/* Reorders the points: the nearest whose predictor says something. */
static int predict(struct reader *r, struct fl_crossover *out)
{
    int rc = 0;

    if (!*r->query->predictor || out->place == FL_CROSSOVER_NOWHERE)
        return 0;
    qsort_r(r->points, r->count, sizeof(*r->points), compare_distances, &out->at);
    for (size_t i = 0; i < r->count && !rc && !(out->predicted > 0); i++)
        if (r->points[i].cells[PREDICTOR] != NO_CELL)
            rc = read_predicted(r, r->points[i].cells[PREDICTOR], &out->predicted);
    if (!(out->predicted > 0))
        out->reason = "no sample of the predictor has the fact";
    return rc;
}

static enum fl_crossover_match match_beyond(double share, bool below)
{
    if (below ? share >= 1 : share <= 1)
        return FL_CROSSOVER_SAME_SIDE;
    return (below ? share < NEAR_LOW : share > NEAR_HIGH) ? FL_CROSSOVER_OUTSIDE
                                                          : FL_CROSSOVER_OPEN;
}

enum fl_crossover_match fl_crossover_match(const struct fl_crossover *c)
{
    if (c->place == FL_CROSSOVER_NOWHERE || !(c->bytes > 0) || !(c->predicted > 0))
        return FL_CROSSOVER_UNMATCHED;
    double share = c->bytes / c->predicted;
    if (c->place != FL_CROSSOVER_BETWEEN)
        return match_beyond(share, c->place == FL_CROSSOVER_BELOW);
    return share >= NEAR_LOW && share <= NEAR_HIGH ? FL_CROSSOVER_WITHIN : FL_CROSSOVER_OUTSIDE;
}

/* ---- losses ---- */

static int add_loss(struct reader *r, size_t group, const struct point *point)
{
    const struct fl_round_row *predictor = row_of(r, point, PREDICTOR);
    bool first = first_wins(point);
    struct fl_crossover_loss loss = {
        .group = group,
        .at = point->at,
        .better = first ? r->out->first : r->out->second,
    };

    if (!point->compared.rounds || !predictor->count)
        return 0;
    if (fl_rounds_ratio(predictor, row_of(r, point, first ? FIRST : SECOND), &loss.paired))
        return out_of_memory(r);
    if (loss.paired.rounds)
        r->out->losses[r->out->loss_count++] = loss;
    return 0;
}

static int compare_losses(const void *a, const void *b)
{
    const struct fl_crossover_loss *x = a, *y = b;

    if (x->paired.median != y->paired.median)
        return x->paired.median < y->paired.median ? 1 : -1;
    if (x->group != y->group)
        return x->group > y->group ? 1 : -1;
    return (x->at > y->at) - (x->at < y->at);
}

/* ---- groups ---- */

static const char **copy_levels(struct reader *r, size_t cell)
{
    const struct fl_crossovers *out = r->out;
    const char **levels =
        fl_arena_alloc(&r->out->arena, (out->factor_count + 1) * sizeof(const char *), 16);

    for (size_t i = 0; levels && i < out->factor_count; i++) {
        levels[i] = fl_text_copy(&r->out->arena,
                                 fl_layout_level(&r->summary.cells[cell], r->groups.varying[i]));
        if (!levels[i])
            return NULL;
    }
    return levels;
}

static int add_group(struct reader *r, const struct fl_cell_group *group)
{
    struct fl_crossover *out = &r->out->groups[r->out->count++];
    int rc = make_points(r, group);

    out->levels = copy_levels(r, group->cells[0]);
    if (!rc)
        rc = out->levels ? find_split(r, out) : out_of_memory(r);
    for (size_t i = 0; i < r->count && !rc; i++)
        rc = add_loss(r, r->out->count - 1, &r->points[i]);
    if (rc)
        return rc;
    find_traffic(r, group, out);
    return predict(r, out);
}

static int name_factors(struct reader *r)
{
    struct fl_crossovers *out = r->out;

    out->shared = r->groups.shared;
    out->factors =
        fl_arena_alloc(&out->arena, (r->groups.varying_count + 1) * sizeof(const char *), 16);
    for (size_t i = 0; out->factors && i < r->groups.varying_count; i++) {
        out->factors[out->factor_count++] =
            fl_text_copy(&out->arena, r->summary.factors[r->groups.varying[i]]);
        if (!out->factors[i])
            return out_of_memory(r);
    }
    return out->factors ? 0 : out_of_memory(r);
}

static int add_groups(struct reader *r)
{
    struct fl_crossovers *out = r->out;
    size_t cells = r->summary.cell_count;
    const struct fl_cell_groups_by by = {.factors = r->by, .count = 2, .whole = true};
    int rc = fl_cell_groups_make(&r->summary, &by, &out->arena, &r->groups);

    out->groups = fl_arena_alloc(&out->arena, (r->groups.count + 1) * sizeof(*out->groups), 16);
    out->losses = fl_arena_alloc(&out->arena, (cells + 1) * sizeof(*out->losses), 16);
    r->points = fl_arena_alloc(&out->arena, (cells + 1) * sizeof(*r->points), 16);
    if (rc || !out->groups || !out->losses || !r->points)
        return out_of_memory(r);
    rc = name_factors(r);
    for (size_t i = 0; i < r->groups.count && !rc; i++)
        rc = add_group(r, &r->groups.items[i]);
    qsort(out->losses, out->loss_count, sizeof(*out->losses), compare_losses);
    return rc;
}

/* ---- the run ---- */

static int copy_query(struct reader *r)
{
    const struct fl_crossover_query *query = r->query;
    const struct fl_run_record *run = &r->summary.run;
    struct fl_crossovers *out = r->out;
    char title[FL_ERR_MAX];
    const struct {
        const char **to, *from;
    } texts[] = {{&out->title, title},
                 {&out->search, query->search},
                 {&out->first, query->levels[0]},
                 {&out->second, query->levels[1]},
                 {&out->predictor, query->predictor},
                 {&out->predicted, query->predicted}};

    snprintf(title, sizeof(title), "%s, run %lld: where %s=%s becomes faster than %s=%s",
             run->info.scenario, (long long)run->id, query->compare, query->levels[1],
             query->compare, query->levels[0]);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        *texts[i].to = fl_text_copy(&out->arena, texts[i].from);
        if (!*texts[i].to)
            return out_of_memory(r);
    }
    out->from = query->from;
    out->to = query->to;
    out->step = query->step;
    return 0;
}

static int read_all(struct reader *r)
{
    size_t metric;
    int rc = fl_layout_find(&r->summary, FL_LAYOUT_FACTOR, r->query->search, &r->by[0], r->err);

    if (!rc)
        rc = fl_layout_find(&r->summary, FL_LAYOUT_FACTOR, r->query->compare, &r->by[1], r->err);
    if (!rc)
        rc = fl_layout_find(&r->summary, FL_LAYOUT_METRIC, "time", &metric, r->err);
    if (!rc)
        rc = copy_query(r);
    if (!rc)
        rc = fl_rounds_read(r->store, &r->summary, metric, &r->rounds, r->err);
    return rc ? rc : add_groups(r);
}

int fl_crossovers_read(struct fl_store *store, int64_t run, const struct fl_crossover_query *query,
                       struct fl_crossovers *out, struct fl_err *err)
{
    struct reader r = {.store = store, .query = query, .out = out, .err = err};
    int rc = fl_summary_read(store, run, &r.summary, err);

    *out = (struct fl_crossovers){.count = 0};
    if (rc)
        return rc;
    rc = read_all(&r);
    fl_rounds_release(&r.rounds);
    fl_summary_release(&r.summary);
    if (rc)
        fl_crossovers_release(out);
    return rc;
}

void fl_crossovers_release(struct fl_crossovers *crossovers)
{
    fl_arena_release(&crossovers->arena);
    *crossovers = (struct fl_crossovers){.count = 0};
}
