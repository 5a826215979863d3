/* SPDX-License-Identifier: Apache-2.0 */
/* Resuming: a campaign brought to where an earlier process left its run. For run.c. */
#ifndef FL_RUN_RESUME_H
#define FL_RUN_RESUME_H

#include "runner/campaign.h"
#include "runner/run-description.h"

/*
 * Finds the scenario's last run, which is not finished, takes over its seed and notes what is
 * stored of it. Samples of one run are compared with each other, so it goes on only with the same
 * scenario, settings and metrics, on the same machine and with the same build. What could not be
 * measured then is not tried again. -ENOENT: nothing to resume; -EINVAL: something differs, named
 * in the reason; -errno.
 */
int fl_run_resume(struct fl_campaign *campaign, const struct fl_run_description *description,
                  struct fl_err *err) FL_MUST_CHECK;

/* The same for the run that campaign->run names. */
int fl_run_resume_at(struct fl_campaign *campaign, const struct fl_run_description *description,
                     struct fl_err *err) FL_MUST_CHECK;

#endif
