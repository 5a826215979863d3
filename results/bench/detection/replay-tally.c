/* SPDX-License-Identifier: Apache-2.0 */
#include "replay-tally.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define TOLD_EVERY 50 /* gates */

static bool is_alarm(const struct fl_sequential *standing)
{
    return standing->state == FL_SEQUENTIAL_REGRESSION;
}

static bool is_pass(const struct fl_sequential *standing)
{
    return standing->state == FL_SEQUENTIAL_PASS;
}

/* An alarm is false where the loss is the tolerance or less. */
static bool is_loss(const struct fl_gate_condition *condition)
{
    return condition->slower > condition->tolerance;
}

static void add_cells(struct fl_replay_tally *tally, const struct fl_gate_outcome *outcome,
                      size_t cells, bool *alarm, bool *wrong)
{
    for (size_t c = 0; c < cells; c++) {
        const bool found = is_alarm(&outcome->cells[c]);
        *alarm |= found;
        *wrong |= found && !(outcome->slowed[c] && is_loss(&tally->condition));
        tally->open_cells += !found && !is_pass(&outcome->cells[c]);
        if (!outcome->slowed[c])
            continue;
        tally->slowed++;
        tally->found += found;
        tally->slowed_of[c]++;
        tally->found_of[c] += found;
    }
}

static bool all_passed(const struct fl_gate_outcome *outcome, size_t cells)
{
    for (size_t c = 0; c < cells; c++)
        if (!is_pass(&outcome->cells[c]))
            return false;
    return is_pass(&outcome->suite);
}

static void add(struct fl_replay_tally *tally, const struct fl_gate_outcome *outcome, size_t cells)
{
    bool alarm = is_alarm(&outcome->suite);
    bool wrong = alarm && !(tally->condition.slowed && is_loss(&tally->condition));

    tally->suite_alarms += alarm;
    add_cells(tally, outcome, cells, &alarm, &wrong);
    const bool passed = all_passed(outcome, cells);
    tally->alarmed += alarm;
    tally->false_alarms += wrong;
    tally->passed += passed;
    tally->open += !passed && !alarm;
    tally->seconds += (outcome->seconds - tally->seconds) / (double)++tally->gates;
    tally->rounds += ((double)outcome->rounds - tally->rounds) / (double)tally->gates;
}

struct batch {
    struct fl_gate_replay *replay;
    size_t cells, gates;
    uint64_t seed;
    const struct fl_replay_teller *teller;
};

static int run(const struct batch *batch, struct fl_gate_outcome *outcome,
               struct fl_replay_tally *out)
{
    int rc = 0;

    for (size_t i = 0; i < batch->gates && !rc; i++) {
        rc = fl_gate_replay_run(batch->replay, &out->condition, batch->seed, i, outcome);
        if (!rc)
            add(out, outcome, batch->cells);
        if (!rc && batch->teller && (i + 1) % TOLD_EVERY == 0)
            batch->teller->tell(batch->teller->arg, out);
    }
    return rc;
}

int fl_replay_tally(const struct fl_pair_table *table, const struct fl_gate_condition *condition,
                    uint64_t seed, size_t gates, const struct fl_replay_teller *teller,
                    struct fl_replay_tally *out)
{
    struct fl_gate_outcome outcome = {
        .cells = calloc(table->cells, sizeof(*outcome.cells)),
        .slowed = calloc(table->cells, sizeof(*outcome.slowed)),
    };
    struct batch batch = {.cells = table->cells, .gates = gates, .seed = seed, .teller = teller};

    *out = (struct fl_replay_tally){
        .condition = *condition,
        .slowed_of = calloc(table->cells, sizeof(*out->slowed_of)),
        .found_of = calloc(table->cells, sizeof(*out->found_of)),
    };
    int rc = outcome.cells && outcome.slowed && out->slowed_of && out->found_of ? 0 : -ENOMEM;
    if (!rc)
        rc = fl_gate_replay_new(table, &batch.replay);
    if (!rc)
        rc = run(&batch, &outcome, out);
    fl_gate_replay_free(batch.replay);
    free(outcome.cells);
    free(outcome.slowed);
    if (rc)
        fl_replay_tally_release(out);
    return rc;
}

void fl_replay_tally_release(struct fl_replay_tally *tally)
{
    free(tally->slowed_of);
    free(tally->found_of);
    tally->slowed_of = tally->found_of = NULL;
}

double fl_replay_power(const struct fl_replay_tally *tally)
{
    return tally->slowed ? (double)tally->found / (double)tally->slowed : (double)NAN;
}

double fl_replay_worst_power(const struct fl_replay_tally *tally, size_t cells)
{
    double worst = (double)NAN;

    for (size_t c = 0; c < cells; c++) {
        if (!tally->slowed_of[c])
            continue;
        const double power = (double)tally->found_of[c] / (double)tally->slowed_of[c];
        worst = power < worst || isnan(worst) ? power : worst;
    }
    return worst;
}
