/* SPDX-License-Identifier: Apache-2.0 */
/* Planning: what a run sets out to measure, looked at and written down before its first sample. */
#ifndef FL_RUN_PLANNING_H
#define FL_RUN_PLANNING_H

#include "runner/campaign.h"

/*
 * Stores the run's metrics and the cells from `first` on, with the reason where one cannot be
 * measured here, and sets the cells' ids. Killed on the way, it is finished by the resuming
 * process. 0, or -errno.
 */
int fl_planning_store(struct fl_campaign *campaign, size_t first, struct fl_err *err) FL_MUST_CHECK;

#endif
