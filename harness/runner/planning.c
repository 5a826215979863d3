/* SPDX-License-Identifier: Apache-2.0 */
/* Cells probed one by one, and written to the store. */
#include "runner/planning.h"

#include <errno.h>

static int probe(struct fl_campaign *campaign, size_t index, struct fl_err *err)
{
    struct fl_err why;
    struct fl_side *side = campaign->side;
    if (!side->ops->probe(side, &campaign->sampler, campaign->plan.keys[index], &why))
        return 0;
    campaign->result->unavailable++;
    return fl_campaign_give_up(campaign, index, why.text) ? fl_fail(err, -ENOMEM, "out of memory")
                                                          : 0;
}

/* Its levels live in the stack of this call. */
static int store(struct fl_campaign *campaign, size_t index, struct fl_err *err)
{
    struct fl_side_levels levels;
    const char *key = campaign->plan.keys[index];
    int rc = campaign->side->ops->levels(campaign->side, key, &levels, err);
    if (rc)
        return rc;
    const struct fl_planned_cell planned = {key, levels.list, levels.count,
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
