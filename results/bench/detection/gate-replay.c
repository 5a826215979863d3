/* SPDX-License-Identifier: Apache-2.0 */
#include "gate-replay.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "faultline/random.h"
#include "results/suite.h"

struct fl_gate_replay {
    const struct fl_pair_table *table;
    size_t blocks;
    size_t *order;  /* of the blocks */
    size_t *counts; /* pairs that each cell has */
    double *losses; /* [cell * FL_SEQUENTIAL_MOST + round] */
    double *means;  /* of the suite */
    double *round;  /* scratch of one */
    size_t filled;  /* rounds in losses and means */
    size_t *cells;  /* order of cells in a round that the budget cuts */
    double *shift;  /* by cell */
    uint64_t labels;
    size_t offset;
    bool as_recorded;
};

int fl_gate_replay_new(const struct fl_pair_table *table, struct fl_gate_replay **out)
{
    struct fl_gate_replay *r = calloc(1, sizeof(*r));

    if (!r)
        return -ENOMEM;
    r->table = table;
    r->blocks = (table->rounds + FL_REPLAY_BLOCK - 1) / FL_REPLAY_BLOCK;
    r->order = calloc(r->blocks, sizeof(*r->order));
    r->counts = calloc(table->cells, sizeof(*r->counts));
    r->cells = calloc(table->cells, sizeof(*r->cells));
    r->losses = calloc(table->cells * FL_SEQUENTIAL_MOST, sizeof(*r->losses));
    r->means = calloc(FL_SEQUENTIAL_MOST, sizeof(*r->means));
    r->round = calloc(table->cells, sizeof(*r->round));
    r->shift = calloc(table->cells, sizeof(*r->shift));
    *out = r;
    if (r->order && r->counts && r->cells && r->losses && r->means && r->round && r->shift)
        return 0;
    fl_gate_replay_free(r);
    return -ENOMEM;
}

void fl_gate_replay_free(struct fl_gate_replay *r)
{
    if (!r)
        return;
    free(r->order);
    free(r->counts);
    free(r->cells);
    free(r->losses);
    free(r->means);
    free(r->round);
    free(r->shift);
    free(r);
}

/* ---- rounds ---- */

/* The round of the table behind round `at` of the gate. */
static size_t source(struct fl_gate_replay *r, size_t at)
{
    const size_t block = at / FL_REPLAY_BLOCK;

    if (at % (r->blocks * FL_REPLAY_BLOCK) == 0) {
        fl_random_order(&r->labels, r->order, r->blocks);
        r->offset = fl_random_below(&r->labels, r->table->rounds);
    }
    return (r->offset + r->order[block % r->blocks] * FL_REPLAY_BLOCK + at % FL_REPLAY_BLOCK) %
           r->table->rounds;
}

static void fill_round(struct fl_gate_replay *r, size_t at)
{
    const struct fl_pair_table *table = r->table;
    const size_t from = source(r, at);
    uint64_t labels = 0;

    for (size_t c = 0; c < table->cells; c++) {
        if (c % 64 == 0 && !r->as_recorded)
            labels = fl_random_next(&r->labels);
        const double loss = table->losses[c * table->rounds + from];
        r->round[c] = (labels >> c % 64 & 1 ? -loss : loss) + r->shift[c];
        r->losses[c * FL_SEQUENTIAL_MOST + at] = r->round[c];
    }
    r->means[at] = fl_suite_mean(r->round, table->cells);
}

static void fill_until(struct fl_gate_replay *r, size_t rounds)
{
    for (; r->filled < rounds; r->filled++)
        fill_round(r, r->filled);
}

/* ---- the gate ---- */

struct gate {
    struct fl_gate_replay *replay;
    const struct fl_gate_condition *condition;
    struct fl_sequential_rule rule;
    struct fl_gate_outcome *out;
};

static bool is_decided(const struct fl_sequential *standing)
{
    return standing->state != FL_SEQUENTIAL_UNDECIDED;
}

static bool is_open(const struct gate *gate, size_t cell)
{
    return !is_decided(&gate->out->suite) || !is_decided(&gate->out->cells[cell]);
}

static int judge(const struct gate *gate, const double *losses, size_t count,
                 struct fl_sequential *standing)
{
    if (is_decided(standing) || count < standing->next)
        return 0;
    return fl_sequential_judge(&gate->rule, losses, count, standing);
}

/* `full`: rounds that all cells have. */
static int judge_all(struct gate *gate, size_t full)
{
    const struct fl_gate_replay *r = gate->replay;
    int rc = 0;

    for (size_t c = 0; c < r->table->cells && !rc; c++)
        rc = judge(gate, r->losses + c * FL_SEQUENTIAL_MOST, r->counts[c], &gate->out->cells[c]);
    return rc ? rc : judge(gate, r->means, full, &gate->out->suite);
}

/* Rounds at which somebody can be decided next, and how many cells run until then. */
static size_t next_look(const struct gate *gate, size_t *open)
{
    const struct fl_sequential *suite = &gate->out->suite;
    size_t next = is_decided(suite) ? FL_SEQUENTIAL_MOST : suite->next;

    *open = 0;
    for (size_t c = 0; c < gate->replay->table->cells; c++) {
        const struct fl_sequential *cell = &gate->out->cells[c];
        *open += is_open(gate, c);
        if (!is_decided(cell) && cell->next < next)
            next = cell->next;
    }
    return next;
}

static void take_rounds(struct gate *gate, size_t rounds, size_t open)
{
    struct fl_gate_replay *r = gate->replay;
    const double seconds = r->table->seconds;

    fill_until(r, rounds);
    for (size_t c = 0; c < r->table->cells; c++)
        if (is_open(gate, c))
            r->counts[c] = rounds;
    gate->out->seconds += (double)((rounds - gate->out->rounds) * open) * seconds;
    gate->out->rounds = rounds;
}

/* The round in which the budget ends: cells in random order, while there is time. */
static void take_last(struct gate *gate, size_t pairs)
{
    struct fl_gate_replay *r = gate->replay;

    fill_until(r, gate->out->rounds + 1);
    fl_random_order(&r->labels, r->cells, r->table->cells);
    for (size_t i = 0; i < r->table->cells && pairs; i++) {
        const size_t c = r->cells[i];
        if (!is_open(gate, c))
            continue;
        r->counts[c]++;
        gate->out->seconds += r->table->seconds;
        pairs--;
    }
}

static int run(struct gate *gate)
{
    struct fl_gate_outcome *out = gate->out;
    size_t open, next;
    int rc = 0;

    while (!rc && (next = next_look(gate, &open), open)) {
        const double left = gate->condition->budget - out->seconds;
        const size_t pairs = left > 0 ? (size_t)ceil(left / gate->replay->table->seconds) : 0;
        const size_t rounds = out->rounds + pairs / open;
        if (rounds < next) {
            take_rounds(gate, rounds, open);
            take_last(gate, pairs % open);
            return judge_all(gate, rounds);
        }
        take_rounds(gate, next, open);
        rc = judge_all(gate, next);
    }
    return rc;
}

/* ---- before it ---- */

static void choose_slowed(struct gate *gate, size_t number)
{
    struct fl_gate_replay *r = gate->replay;
    const size_t cells = r->table->cells, slowed = gate->condition->slowed;

    fl_random_order(&r->labels, r->cells, cells);
    for (size_t c = 0; c < cells; c++)
        gate->out->slowed[c] = slowed == 1 && c == number % cells;
    for (size_t i = 0; i < slowed && i < cells && slowed != 1; i++)
        gate->out->slowed[r->cells[i]] = true;
    for (size_t c = 0; c < cells; c++)
        r->shift[c] = gate->out->slowed[c] ? log1p(gate->condition->slower / 100) : 0;
}

static int begin(struct gate *gate)
{
    struct fl_gate_outcome *out = gate->out;
    int rc = fl_sequential_judge(&gate->rule, NULL, 0, &out->suite);

    for (size_t c = 0; c < gate->replay->table->cells; c++) {
        out->cells[c] = out->suite;
        gate->replay->counts[c] = 0;
    }
    if (gate->replay->table->cells < FL_SUITE_CELLS)
        out->suite.state = FL_SEQUENTIAL_PASS; /* few cells speak for themselves */
    gate->replay->filled = 0;
    out->rounds = 0;
    out->seconds = 0;
    return rc;
}

int fl_gate_replay_run(struct fl_gate_replay *replay, const struct fl_gate_condition *condition,
                       uint64_t seed, size_t number, struct fl_gate_outcome *out)
{
    struct gate gate = {
        .replay = replay,
        .condition = condition,
        .rule = {condition->tolerance, condition->detect, replay->table->planned},
        .out = out,
    };

    replay->labels = seed ^ ((uint64_t)number + 1) * 0x9fb21c651e98df25u;
    replay->as_recorded = condition->as_recorded;
    choose_slowed(&gate, number);
    int rc = begin(&gate);
    return rc ? rc : run(&gate);
}
