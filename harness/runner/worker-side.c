/* SPDX-License-Identifier: Apache-2.0 */
/* The side whose samples come from faultline-worker. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/registry.h"
#include "runner/plugins.h"
#include "runner/side.h"

static const char *named_level(const struct fl_side *side, const char *factor)
{
    for (size_t i = 0; i < side->named_count; i++)
        if (!strcmp(side->named[i].factor, factor))
            return side->named[i].level;
    return NULL;
}

/* The cell's levels with the named ones in their place. */
static size_t replace_levels(const struct fl_side *side, const struct fl_cell *cell,
                             const char **names, const char **levels)
{
    size_t count = 0;
    for (size_t i = 0; i < cell->count; i++) {
        names[count] = cell->levels[i].factor->name;
        if (!named_level(side, names[count]))
            levels[count++] = cell->levels[i].text;
    }
    for (size_t i = 0; i < side->named_count && count < FL_CELL_LEVELS; i++) {
        names[count] = side->named[i].factor;
        levels[count++] = side->named[i].level;
    }
    return count;
}

/* A cell that the side's selector meets gets the side's levels. */
static int limit_cell(const struct fl_side *side, char **key, size_t *met, struct fl_err *err)
{
    struct fl_cell cell, changed;
    const char *names[FL_CELL_LEVELS], *levels[FL_CELL_LEVELS];
    char text[FL_CELL_KEY_MAX];
    int rc = fl_cell_parse(&cell, *key, err);
    if (rc || !fl_rule_selects(&side->limit, &cell))
        return rc;
    (*met)++;
    size_t count = replace_levels(side, &cell, names, levels);
    rc = fl_cell_resolve(&changed, names, levels, count, err);
    if (!rc)
        rc = fl_cell_key(&changed, text, sizeof text);
    if (rc)
        return rc == -E2BIG ? fl_fail(err, rc, "a cell's key is too long") : -EINVAL;
    char *copy = strdup(text);
    if (!copy)
        return fl_fail(err, -ENOMEM, "out of memory");
    free(*key);
    *key = copy;
    return 0;
}

static int plan_all(struct fl_side *side, struct fl_plan *plan, struct fl_err *err)
{
    size_t met = 0;
    int rc = fl_plan_make(side->scenario, plan, err);
    if (rc || !side->limited)
        return rc;
    for (size_t i = 0; !rc && i < plan->count; i++)
        rc = limit_cell(side, &plan->keys[i], &met, err);
    if (!rc && !met) /* both sides would be the same, and pass */
        rc = fl_fail(err, -EINVAL, "'%s' selects no cell of the scenario", side->asked.text);
    if (rc)
        fl_plan_release(plan);
    return rc;
}

static int try_costs(const struct fl_plan *plan, struct fl_err *err)
{
    int rc = 0;
    for (size_t i = 0; i < plan->count && !rc; i++) {
        struct fl_cell cell;
        struct fl_cost cost;
        rc = fl_cell_parse(&cell, plan->keys[i], err);
        if (!rc) /* an error is the sample's, where there is one */
            (void)!fl_registry_kernel(fl_cell_get(&cell, "kernel"), fl_cell_get(&cell, "library"))
                ->cost(&cell, &cost, err);
    }
    return rc;
}

/* In a child: what plug-ins are asked for these cells. */
static int try_plan(void *arg, struct fl_rehearsal *rehearsal, struct fl_err *err)
{
    struct fl_plan plan;
    snprintf(rehearsal->stage, sizeof rehearsal->stage, "%s", FL_PLANNING_STAGE);
    int rc = plan_all(arg, &plan, err);
    if (rc)
        return rc;
    rc = try_costs(&plan, err);
    fl_plan_release(&plan);
    return rc;
}

static int plan_cells(struct fl_side *side, struct fl_plan *plan, struct fl_err *err)
{
    int rc = fl_plugins_rehearse(try_plan, side, err);
    return rc ? rc : plan_all(side, plan, err);
}

static int cell_levels(const struct fl_side *side, const char *key, struct fl_side_levels *out,
                       struct fl_err *err)
{
    struct fl_cell *cell = &out->cell;
    (void)side;
    int rc = fl_cell_parse(cell, key, err);
    if (rc)
        return rc;
    out->count = cell->count;
    for (size_t i = 0; i < cell->count; i++)
        out->list[i] = (struct fl_stored_level){cell->levels[i].factor->name, cell->levels[i].text,
                                                !fl_cell_in_key(&cell->levels[i])};
    return 0;
}

static int probe_cell(struct fl_side *side, const struct fl_sampler *sampler, const char *key,
                      struct fl_err *why)
{
    (void)side;
    return fl_sampler_probe(sampler, key, why);
}

static int take_sample(struct fl_side *side, const struct fl_sampler *sampler,
                       const struct fl_sample_task *task, struct fl_taken *taken,
                       struct fl_err *err)
{
    (void)side;
    return fl_sampler_take(sampler, task, taken, err);
}

const struct fl_side_ops fl_worker_side_ops = {
    .plan = plan_cells,
    .levels = cell_levels,
    .probe = probe_cell,
    .take = take_sample,
};
