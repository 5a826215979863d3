/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plan: the cells of a scenario, its factors' product without what `skip` takes out.
 *
 * A factor that a kernel does not use drops out, so that the same cell comes once. A level that the
 * kernel at hand does not know (`trans=NN` for a SYRK) drops the combination, not the run. Cells
 * are kept as keys: fl_cell_parse() gives the cell back.
 */
#ifndef FL_PLAN_H
#define FL_PLAN_H

#include <stddef.h>

#include "faultline/error.h"
#include "runner/scenario.h"

#define FL_PLAN_POINTS 1000000 /* of the product; more is a mistake in the scenario */

struct fl_plan {
    char **keys; /* in the order of the scenario's lists, first factor slowest */
    size_t count;
};

/* 0; -EINVAL naming factor, line and what is accepted; -E2BIG; -ENOMEM. */
int fl_plan_make(const struct fl_scenario *scenario, struct fl_plan *plan,
                 struct fl_err *err) FL_MUST_CHECK;

/* One more cell at the end, whose key is copied. 0, -ENOMEM. */
int fl_plan_add(struct fl_plan *plan, const char *key) FL_MUST_CHECK;

void fl_plan_release(struct fl_plan *plan);

#endif
