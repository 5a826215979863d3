/* SPDX-License-Identifier: Apache-2.0 */
#include "gate-rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool judges(void *arg, const struct fl_compare_row *row)
{
    (void)arg;
    return row->kind != FL_METRIC_TIMED || !strcmp(row->metric, "time");
}

static struct fl_gate_place place(void *arg, const struct fl_compare_row *row)
{
    (void)arg;
    (void)row;
    return (struct fl_gate_place){"scenarios/packing.ini", 7};
}

static const char *command(void *arg, const struct fl_compare_row *row, struct fl_arena *arena)
{
    (void)arg;
    (void)row;
    (void)arena;
    return "faultline ab --base x --head y packing.ini";
}

void rig_begin(struct rig *rig)
{
    *rig = (struct rig){.policy = {.judges = judges, .place = place, .command = command}};
    rig->compare.title = "run 2 against run 1";
    rig->compare.rows = rig->rows;
}

struct fl_compare_row *rig_row(struct rig *rig, const char *cell, const char *metric,
                               enum fl_verdict verdict)
{
    struct fl_compare_row *row = &rig->rows[rig->compare.count++];
    bool worse = verdict == FL_VERDICT_REGRESSION, timed = strcmp(metric, "time") == 0;

    assert_true(rig->compare.count <= RIG_ROWS);
    *row = (struct fl_compare_row){
        .cell = cell,
        .metric = metric,
        .unit = timed ? "ns" : "faults",
        .kind = timed ? FL_METRIC_TIMED : FL_METRIC_SET,
        .result = {.verdict = verdict,
                   .base = 100,
                   .head = worse ? 110 : 100,
                   .effect = worse ? 10 : 0,
                   .low = worse ? 9 : -1,
                   .high = worse ? 11 : 1,
                   .pairs = timed ? 36 : 0,
                   .base_count = 10,
                   .head_count = 10,
                   .base_min = 100,
                   .base_max = 101,
                   .head_min = worse ? 109 : 100,
                   .head_max = worse ? 110 : 101,
                   .judged = {.used = timed ? 36 : 0},
                   .bounds = {worse ? 8.5 : -1, 12}},
        .tolerance = 0.5,
        .detect = 2,
    };
    rig->compare.verdicts[verdict]++;
    return row;
}

int rig_judge(struct rig *rig)
{
    struct fl_err err = {.text = ""};

    if (fl_gate_judge(&rig->compare, &rig->policy, &rig->gate, &err))
        fail_msg("%s", err.text);
    return (int)rig->gate.exit;
}

void rig_end(struct rig *rig)
{
    fl_gate_release(&rig->gate);
}
