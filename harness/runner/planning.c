/* SPDX-License-Identifier: Apache-2.0 */
/* Cells probed one by one, and written to the store. */
#include "runner/planning.h"

#include <errno.h>

static int probe(struct fl_campaign *campaign, size_t index, struct fl_err *err)
{
    struct fl_err why;
    if (!fl_sampler_probe(&campaign->sampler, campaign->plan.keys[index], &why))
        return 0;
    campaign->result->unavailable++;
    return fl_campaign_give_up(campaign, index, why.text) ? fl_fail(err, -ENOMEM, "out of memory")
                                                          : 0;
}

/* Its levels live in the stack of this call. */
static int store(struct fl_campaign *campaign, size_t index, struct fl_err *err)
{
    struct fl_cell cell;
    struct fl_stored_level levels[FL_CELL_LEVELS];
    int rc = fl_cell_parse(&cell, campaign->plan.keys[index], err);
    if (rc)
        return rc;
    for (size_t i = 0; i < cell.count; i++)
        levels[i] = (struct fl_stored_level){cell.levels[i].factor->name, cell.levels[i].text,
                                             !fl_cell_in_key(&cell.levels[i])};
    const struct fl_planned_cell planned = {campaign->plan.keys[index], levels, cell.count,
                                            campaign->cells[index].unavailable};
    return fl_store_plan(campaign->request->store, campaign->run, &planned, 1,
                         &campaign->cells[index].id, err);
}

int fl_planning_store(struct fl_campaign *campaign, size_t first, struct fl_err *err)
{
    int rc =
        fl_store_plan_metrics(campaign->request->store, campaign->run, campaign->sampler.metric_ids,
                              campaign->sampler.metric_count, err);
    for (size_t i = first; i < campaign->plan.count && !rc; i++) {
        rc = probe(campaign, i, err);
        if (!rc)
            rc = store(campaign, i, err);
    }
    return rc;
}
