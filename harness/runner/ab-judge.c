/* SPDX-License-Identifier: Apache-2.0 */
/* Losses of the pairs so far, handed to the judges of results/. */
#include "runner/ab-judge.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "results/suite.h"

static bool is_timed(const struct fl_ab *ab, const struct fl_ab_cell *cell)
{
    return ab->timed && !fl_ab_is_closed(ab, cell) && !fl_ab_has_failed(ab, cell);
}

static bool is_decided(const struct fl_sequential *standing)
{
    return standing->state != FL_SEQUENTIAL_UNDECIDED;
}

bool fl_ab_is_open(const struct fl_ab *ab, const struct fl_ab_cell *cell)
{
    if (ab->request->rounds)
        return ab->timed && !fl_ab_is_closed(ab, cell);
    return is_timed(ab, cell) && (!is_decided(&cell->standing) || !is_decided(&ab->suite));
}

/* NAN where the round is no pair. */
static double loss_of(const struct fl_ab *ab, const struct fl_ab_cell *cell, int round)
{
    double time[2];
    for (int s = 0; s < 2; s++) {
        const double *times = ab->campaigns[s].cells[cell->place[s]].times;
        time[s] = times ? times[round] : 0;
    }
    return time[0] > 0 && time[1] > 0 ? log(time[1] / time[0]) : (double)NAN;
}

/* As the store's reader will: what is not finite is left out. */
static size_t losses_of(const struct fl_ab *ab, const struct fl_ab_cell *cell, double *out)
{
    size_t count = 0;
    for (int r = 0; r < ab->rounds; r++) {
        double loss = loss_of(ab, cell, r);
        if (isfinite(loss))
            out[count++] = loss;
    }
    return count;
}

static int decide(const struct fl_ab *ab, double tolerance, double detect, const double *losses,
                  size_t count, struct fl_sequential *out)
{
    const struct fl_sequential_rule rule = {tolerance, detect, ab->planned};
    return fl_sequential_judge(&rule, losses, count, out);
}

static int judge_cells(struct fl_ab *ab, double *losses)
{
    int rc = 0;
    for (size_t i = 0; i < ab->count && !rc; i++) {
        struct fl_ab_cell *cell = &ab->cells[i];
        if (!is_timed(ab, cell) || is_decided(&cell->standing))
            continue;
        size_t count = losses_of(ab, cell, losses);
        if (count >= cell->standing.next)
            rc = decide(ab, cell->tolerance, cell->detect, losses, count, &cell->standing);
    }
    return rc;
}

/* The losses of the pairs that never failed, round after round; returns how many pairs. */
static size_t tabulate(const struct fl_ab *ab, double *table)
{
    size_t cells = 0, at = 0;
    for (size_t i = 0; i < ab->count; i++)
        cells += is_timed(ab, &ab->cells[i]);
    for (int r = 0; r < ab->rounds; r++)
        for (size_t i = 0; i < ab->count; i++)
            if (is_timed(ab, &ab->cells[i]))
                table[at++] = loss_of(ab, &ab->cells[i], r);
    return cells;
}

static int judge_suite(struct fl_ab *ab, double *means)
{
    const struct fl_scenario_gate *gate = &ab->request->scenarios[FL_AB_BASE]->gate;
    if (is_decided(&ab->suite) || (size_t)ab->rounds < ab->suite.next)
        return 0;
    double *table = malloc(((size_t)ab->rounds * ab->count + 1) * sizeof *table);
    if (!table)
        return -ENOMEM;
    size_t cells = tabulate(ab, table);
    size_t count = cells ? fl_suite_means(table, (size_t)ab->rounds, cells, means) : 0;
    free(table);
    if (cells < FL_SUITE_CELLS)
        ab->suite.state = FL_SEQUENTIAL_PASS; /* few cells speak for themselves */
    else if (count >= ab->suite.next)
        return decide(ab, gate->tolerance, gate->detect, means, count, &ab->suite);
    return 0;
}

int fl_ab_judge(struct fl_ab *ab, struct fl_err *err)
{
    double *losses = malloc(((size_t)ab->rounds + 1) * sizeof *losses);
    int rc = losses ? judge_cells(ab, losses) : -ENOMEM;
    if (!rc)
        rc = judge_suite(ab, losses);
    free(losses);
    return rc ? fl_fail(err, rc, "cannot judge the pairs: %s",
                        rc == -ENOMEM ? "out of memory" : "a time is no number")
              : 0;
}

int fl_ab_judge_begin(struct fl_ab *ab, struct fl_err *err)
{
    const struct fl_scenario_gate *gate = &ab->request->scenarios[FL_AB_BASE]->gate;
    int rc = decide(ab, gate->tolerance, gate->detect, NULL, 0, &ab->suite);
    for (size_t i = 0; i < ab->count && !rc; i++) {
        struct fl_ab_cell *cell = &ab->cells[i];
        rc = decide(ab, cell->tolerance, cell->detect, NULL, 0, &cell->standing);
    }
    if (ab->count < FL_SUITE_CELLS)
        ab->suite.state = FL_SEQUENTIAL_PASS;
    return rc ? fl_fail(err, rc, "cannot judge with these tolerances") : 0;
}

void fl_ab_stand(const struct fl_ab *ab, struct fl_ab_standing *out)
{
    *out = (struct fl_ab_standing){.suite = is_decided(&ab->suite), .rounds = ab->rounds};
    for (size_t i = 0; ab->timed && i < ab->count; i++) {
        const struct fl_ab_cell *cell = &ab->cells[i];
        if (fl_ab_is_closed(ab, cell) && !fl_ab_has_failed(ab, cell))
            continue;
        out->cells++;
        out->decided += fl_ab_has_failed(ab, cell) || is_decided(&cell->standing);
    }
}
