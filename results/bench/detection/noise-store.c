/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a store with an A/B run of known noise, as if it had been recorded: what a replay makes of
 * it is known beforehand.
 *
 *   noise-store STORE ROUNDS CELLS DEVIATION [WORST [LAG [SPIKES [DRIFT [SLOWER]]]]]
 *
 * As in noise-table.h. A pair takes 170 ms.
 */
#include <stdio.h>
#include <stdlib.h>

#include "noise-table.h"

#define CALLS    1000
#define PAIR_NS  170000000
#define START_NS 1000000000

struct writing {
    struct fl_store *store;
    const struct fl_pair_table *table;
    int64_t runs[2], pairing, metric, *cells;
    struct fl_err err;
};

static int begin_side(struct writing *w, int side)
{
    const struct fl_run_info info = {
        .fingerprint = "simulated",
        .host = "simulated",
        .scenario = "detection",
        .title = "Pairs of known noise",
        .scenario_text = "",
        .command_line = "noise-store",
        .version = "",
        .build_flags = "",
        .settle_ns = 20000000,
        .window_ns = 50000000,
        .rounds = (int)w->table->rounds,
    };
    static const struct fl_metric time = {
        .name = "time",
        .unit = "ns",
        .summary = "",
        .source = "",
        .kind = FL_METRIC_TIMED,
        .better = FL_LESS_IS_BETTER,
    };
    int rc = fl_store_begin_run(w->store, &info, &w->runs[side], &w->err);

    for (size_t c = 0; c < w->table->cells && !rc; c++) {
        const struct fl_planned_cell cell = {.key = w->table->keys[c]};
        rc = fl_store_plan(w->store, w->runs[side], &cell, 1, &w->cells[c], &w->err);
    }
    if (!rc)
        rc = fl_store_metric(w->store, &time, &w->metric, &w->err);
    return rc ? rc : fl_store_plan_metrics(w->store, w->runs[side], &w->metric, 1, &w->err);
}

static int pair_sides(struct writing *w)
{
    const struct fl_pairing pairing = {
        .base = w->runs[0],
        .head = w->runs[1],
        .purpose = FL_PAIRING_AB,
        .base_side = "",
        .head_side = "",
        .tolerance = 0.5,
        .detect = 2,
        .planned = w->table->planned,
    };
    int rc = fl_pairing_add(w->store, &pairing, &w->pairing, &w->err);

    for (size_t c = 0; c < w->table->cells && !rc; c++) {
        const struct fl_paired_cell cell = {
            .key = w->table->keys[c],
            .base = w->cells[c],
            .head = w->cells[c],
            .calls = CALLS,
            .tolerance = 0.5,
            .detect = 2,
        };
        rc = fl_pairing_add_cells(w->store, w->pairing, &cell, 1, &w->err);
    }
    return rc;
}

static int add_sample(struct writing *w, int side, size_t cell, size_t round)
{
    const struct fl_pair_table *table = w->table;
    const double *times = side ? table->head : table->base;
    const int64_t before = (int64_t)(2 * (round * table->cells + cell)) + side;
    const struct fl_value value = {
        .metric = w->metric, .is_real = true, .real = CALLS * times[cell * table->rounds + round]};
    const struct fl_sample sample = {
        .run = w->runs[side],
        .cell = w->cells[cell],
        .mode = FL_SAMPLE_TIMED,
        .round = (int)round,
        .outcome = FL_OUTCOME_OK,
        .calls = CALLS,
        .started_ns = START_NS + before * (PAIR_NS / 2),
        .duration_ns = PAIR_NS / 2,
        .cpu = -1,
        .load = -1,
        .steal_ns = -1,
        .values = &value,
        .value_count = 1,
    };

    return fl_store_add_sample(w->store, &sample, NULL, &w->err);
}

static int write_all(struct writing *w)
{
    int rc = begin_side(w, 0);

    if (!rc)
        rc = begin_side(w, 1);
    if (!rc)
        rc = pair_sides(w);
    for (size_t i = 0; i < w->table->rounds && !rc; i++)
        for (size_t c = 0; c < w->table->cells && !rc; c++) {
            rc = add_sample(w, 0, c, i);
            if (!rc)
                rc = add_sample(w, 1, c, i);
        }
    for (int s = 0; s < 2 && !rc; s++)
        rc = fl_store_set_status(w->store, w->runs[s], FL_RUN_FINISHED, &w->err);
    return rc;
}

int main(int argc, char **argv)
{
    double numbers[8] = {0};
    struct fl_pair_table table;
    struct writing w = {.table = &table, .err = {.text = "out of memory"}};

    if (argc < 5 || argc > 10) {
        fputs("usage: see the head of noise-store.c\n", stderr);
        return 2;
    }
    for (int i = 2; i < argc; i++)
        numbers[i - 2] = strtod(argv[i], NULL);
    const struct fl_noise noise = {.rounds = (size_t)numbers[0],
                                   .cells = (size_t)numbers[1],
                                   .deviation = numbers[2],
                                   .worst = numbers[3],
                                   .lag = numbers[4],
                                   .spikes = numbers[5],
                                   .drift = numbers[6],
                                   .slower = numbers[7],
                                   .seconds = PAIR_NS * 1e-9,
                                   .seed = 1};
    int rc = fl_noise_table(&noise, &table);
    if (!rc)
        rc = fl_store_open(argv[1], FL_STORE_CREATE, &w.store, &w.err);
    w.cells = rc ? NULL : calloc(table.cells + 1, sizeof(*w.cells));
    rc = w.cells ? write_all(&w) : -1;
    if (rc)
        fprintf(stderr, "noise-store: %s\n", w.err.text);
    free(w.cells);
    fl_store_close(w.store);
    fl_pair_table_release(&table);
    return rc ? 2 : 0;
}
