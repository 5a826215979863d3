/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scenario file, in its long and its short form, and the plan that it makes. Each key of the plan
 * must be a cell that spells the same key, and stand in it once.
 */
#include "faultline/cell.h"
#include "fuzz.h"
#include "runner/plan.h"
#include "runner/scenario.h"

enum { PATIENCE = 20000 }; /* combinations: a legal product of more takes seconds, no more */

static void check_key(const char *key)
{
    struct fl_cell cell;
    struct fl_err err = {""};
    char again[FL_CELL_KEY_MAX];
    FL_FUZZ_HOLDS(fl_cell_parse(&cell, key, &err) == 0);
    FL_FUZZ_HOLDS(fl_cell_key(&cell, again, sizeof again) == 0);
    FL_FUZZ_HOLDS(strcmp(key, again) == 0);
}

static double points(const struct fl_scenario *scenario)
{
    double product = 1;
    if (scenario->cell_count)
        return (double)scenario->cell_count;
    for (size_t i = 0; i < scenario->factor_count; i++)
        product *= (double)scenario->factors[i].count;
    return product;
}

static void check_plan(const struct fl_scenario *scenario)
{
    struct fl_plan plan;
    struct fl_err err = {""};
    if (points(scenario) > PATIENCE && points(scenario) <= FL_PLAN_POINTS)
        return;
    if (fl_plan_make(scenario, &plan, &err)) {
        FL_FUZZ_HOLDS(err.text[0]);
        return;
    }
    FL_FUZZ_HOLDS(plan.count > 0 && plan.count <= points(scenario));
    for (size_t i = 0; i < plan.count && i < 100; i++)
        check_key(plan.keys[i]);
    if (plan.count > 1)
        FL_FUZZ_HOLDS(strcmp(plan.keys[0], plan.keys[plan.count - 1]) != 0);
    fl_plan_release(&plan);
}

static void read_form(const uint8_t *data, size_t size, bool short_form)
{
    struct fl_scenario scenario;
    struct fl_err err = {""};
    if (fl_scenario_read("f.ini", (const char *)data, size, short_form, &scenario, &err)) {
        FL_FUZZ_HOLDS(err.text[0] && !strchr(err.text, '\n'));
        return;
    }
    FL_FUZZ_HOLDS(scenario.name[0] && scenario.metric_count > 0);
    FL_FUZZ_HOLDS(scenario.rounds >= 0 && scenario.counting_rounds >= 0 && scenario.calls > 0);
    check_plan(&scenario);
    fl_scenario_release(&scenario);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_form(data, size, false);
    read_form(data, size, true);
    return 0;
}
