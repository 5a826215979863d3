/* SPDX-License-Identifier: Apache-2.0 */
/* Pairings written and read back. */
#include "runner/ab-store.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runner/resume.h"

/* ---- beginning ---- */

static int add_cells(struct fl_ab *ab, struct fl_err *err)
{
    struct fl_paired_cell *rows = calloc(ab->count, sizeof *rows);
    if (!rows)
        return fl_fail(err, -ENOMEM, "out of memory");
    for (size_t i = 0; i < ab->count; i++) {
        const struct fl_ab_cell *cell = &ab->cells[i];
        rows[i] = (struct fl_paired_cell){
            .key = cell->key,
            .base = ab->campaigns[FL_AB_BASE].cells[cell->place[FL_AB_BASE]].id,
            .head = ab->campaigns[FL_AB_HEAD].cells[cell->place[FL_AB_HEAD]].id,
            .tolerance = cell->tolerance,
            .detect = cell->detect,
        };
    }
    int rc = fl_pairing_add_cells(ab->store, ab->result->pairing, rows, ab->count, err);
    free(rows);
    return rc;
}

/* For people: an empty text says nothing. */
static const char *side_text(const struct fl_ab *ab, int s)
{
    return *ab->request->texts[s] ? ab->request->texts[s] : "the scenario as it is";
}

static void describe(const struct fl_ab *ab, struct fl_pairing *out)
{
    const struct fl_scenario_gate *gate = &ab->request->scenarios[FL_AB_BASE]->gate;
    *out = (struct fl_pairing){
        .base = ab->campaigns[FL_AB_BASE].run,
        .head = ab->campaigns[FL_AB_HEAD].run,
        .purpose = ab->request->purpose,
        .base_side = side_text(ab, FL_AB_BASE),
        .head_side = side_text(ab, FL_AB_HEAD),
        .tolerance = gate->tolerance,
        .detect = gate->detect,
        .planned = ab->planned,
        .budget_ns = fl_run_nanoseconds(ab->request->budget),
    };
}

int fl_ab_begin(struct fl_ab *ab, struct fl_err *err)
{
    struct fl_pairing pairing;
    int rc = 0;
    for (int s = 0; s < 2 && !rc; s++)
        rc = fl_campaign_begin(&ab->campaigns[s], &ab->descriptions[s], err);
    if (rc)
        return rc;
    describe(ab, &pairing);
    rc = fl_pairing_add(ab->store, &pairing, &ab->result->pairing, err);
    return rc ? rc : add_cells(ab, err);
}

/* ---- resuming ---- */

struct finding {
    struct fl_ab *ab;
    int64_t pairing;     /* the newest of this scenario and purpose; 0: none so far */
    bool finished, same; /* is it? and was it started as this one? */
    size_t cells;        /* read back */
};

static bool same_number(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(a);
}

static int look_at_run(void *arg, const struct fl_run_record *record)
{
    struct finding *finding = arg;
    const struct fl_scenario *scenario = finding->ab->request->scenarios[FL_AB_BASE];
    if (strcmp(record->info.scenario, scenario->name) != 0)
        return 1;
    finding->finished = record->status == FL_RUN_FINISHED;
    return 0;
}

/* Above 0 from look_at_run(): of another scenario. */
static int look_at(void *arg, const struct fl_pairing *pairing)
{
    struct finding *finding = arg;
    struct fl_ab *ab = finding->ab;
    struct fl_pairing mine;
    if (pairing->purpose != ab->request->purpose)
        return 0;
    int rc = fl_store_run(ab->store, pairing->base, look_at_run, finding, NULL);
    if (rc)
        return rc < 0 ? rc : 0;
    describe(ab, &mine);
    finding->pairing = pairing->id;
    finding->same = !strcmp(pairing->base_side, mine.base_side) &&
                    !strcmp(pairing->head_side, mine.head_side) &&
                    same_number(pairing->tolerance, mine.tolerance) &&
                    same_number(pairing->detect, mine.detect) && pairing->planned == mine.planned;
    ab->campaigns[FL_AB_BASE].run = pairing->base;
    ab->campaigns[FL_AB_HEAD].run = pairing->head;
    return 0;
}

static int find(struct finding *finding, struct fl_err *err)
{
    struct fl_ab *ab = finding->ab;
    int rc = fl_pairings(ab->store, look_at, finding, err);
    if (rc)
        return rc;
    if (!finding->pairing || finding->finished)
        return fl_fail(err, -ENOENT, "cannot resume '%s': the store has no unfinished %s of it",
                       ab->request->scenarios[FL_AB_BASE]->name,
                       ab->request->purpose == FL_PAIRING_AB ? "A/B run" : "calibration");
    if (!finding->same)
        return fl_fail(err, -EINVAL,
                       "cannot resume run %lld: sides, limits or cells are not those it was "
                       "started with; start a new one without --resume",
                       (long long)ab->campaigns[FL_AB_BASE].run);
    ab->result->pairing = finding->pairing;
    return 0;
}

static int take_cell(void *arg, const struct fl_paired_cell *row)
{
    struct finding *finding = arg;
    struct fl_ab *ab = finding->ab;
    size_t at = finding->cells++;
    if (at >= ab->count || strcmp(ab->cells[at].key, row->key) != 0)
        return -EINVAL;
    ab->cells[at].calls = row->calls;
    ab->cells[at].tolerance = row->tolerance;
    ab->cells[at].detect = row->detect;
    return 0;
}

int fl_ab_resume(struct fl_ab *ab, struct fl_err *err)
{
    struct finding finding = {.ab = ab};
    int rc = find(&finding, err);
    for (int s = 0; s < 2 && !rc; s++)
        rc = fl_run_resume_at(&ab->campaigns[s], &ab->descriptions[s], err);
    if (rc)
        return rc;
    err->text[0] = 0;
    rc = fl_pairing_cells(ab->store, finding.pairing, take_cell, &finding, err);
    if (!rc && !finding.cells) /* killed before they were written */
        return add_cells(ab, err);
    if (!rc && finding.cells != ab->count)
        rc = -EINVAL;
    if (!rc || err->text[0])
        return rc;
    return fl_fail(err, rc, "cannot resume run %lld: its pairs of cells are others",
                   (long long)ab->campaigns[FL_AB_BASE].run);
}
