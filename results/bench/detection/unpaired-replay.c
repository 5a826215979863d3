/* SPDX-License-Identifier: Apache-2.0 */
#include "unpaired-replay.h"

#include <errno.h>
#include <stdlib.h>

#include "faultline/random.h"
#include "faultline/reals.h"
#include "rank-sum.h"

struct unpaired {
    const struct fl_pair_table *table;
    struct fl_unpaired_tally *out;
    double *sides[2]; /* samples of a cell */
    size_t count;     /* of each */
    size_t *order;    /* of the cells: the first are slowed */
};

static void take_side(const struct unpaired *u, size_t cell, size_t from, double factor,
                      double *times)
{
    const struct fl_pair_table *table = u->table;

    for (size_t i = 0; i < u->count / 2; i++) {
        const size_t at = cell * table->rounds + (from + i) % table->rounds;
        times[2 * i] = table->base[at] * factor;
        times[2 * i + 1] = table->head[at] * factor;
    }
}

static int judge(const struct unpaired *u, size_t cell, size_t from, double factor, bool *flagged,
                 bool *slower)
{
    double p;

    take_side(u, cell, from, 1, u->sides[0]);
    take_side(u, cell, from + u->count / 2, factor, u->sides[1]);
    int rc = fl_rank_sum(u->sides[0], u->count, u->sides[1], u->count, &p);
    if (rc)
        return rc;
    const double base = fl_reals_median(u->sides[0], u->count);
    const double head = fl_reals_median(u->sides[1], u->count);
    *flagged = p < FL_UNPAIRED_LEVEL;
    *slower = *flagged && head > base * (1 + FL_UNPAIRED_FLOOR / 100.0);
    return 0;
}

static int run(const struct unpaired *u, size_t number, uint64_t *state)
{
    struct fl_unpaired_tally *out = u->out;
    const size_t cells = u->table->cells, slowed = out->condition.slowed;
    const size_t from = fl_random_below(state, u->table->rounds);
    bool any = false, any_slower = false;

    fl_random_order(state, u->order, cells);
    for (size_t i = 0; i < cells; i++) {
        const size_t cell = slowed == 1 ? (number + i) % cells : u->order[i];
        const bool is_slowed = i < slowed;
        bool flagged, slower;
        int rc = judge(u, cell, from, is_slowed ? 1 + out->condition.slower / 100 : 1, &flagged,
                       &slower);
        if (rc)
            return rc;
        any |= flagged;
        any_slower |= slower;
        *(is_slowed ? &out->slowed : &out->cells) += 1;
        *(is_slowed ? &out->found : &out->flagged) += flagged;
        *(is_slowed ? &out->found_slower : &out->slower) += slower;
    }
    out->runs++;
    out->flagged_runs += any;
    out->slower_runs += any_slower;
    return 0;
}

int fl_unpaired_tally(const struct fl_pair_table *table, const struct fl_gate_condition *condition,
                      size_t rounds, uint64_t seed, size_t runs, struct fl_unpaired_tally *out)
{
    rounds = rounds > table->rounds ? table->rounds : rounds;
    rounds = rounds < 2 ? 2 : rounds & ~(size_t)1;
    struct unpaired u = {
        .table = table,
        .out = out,
        .sides = {calloc(rounds, sizeof(double)), calloc(rounds, sizeof(double))},
        .count = rounds,
        .order = calloc(table->cells, sizeof(*u.order)),
    };
    int rc = u.sides[0] && u.sides[1] && u.order ? 0 : -ENOMEM;

    *out = (struct fl_unpaired_tally){.condition = *condition, .rounds = rounds};
    for (size_t i = 0; i < runs && !rc; i++)
        rc = run(&u, i, &seed);
    free(u.sides[0]);
    free(u.sides[1]);
    free(u.order);
    return rc;
}
