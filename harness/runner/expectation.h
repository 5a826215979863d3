/* SPDX-License-Identifier: Apache-2.0 */
/* Expectations: the scenario's [expect] and [published] rules against what a run stored. */
#ifndef FL_RUN_EXPECTATION_H
#define FL_RUN_EXPECTATION_H

#include "runner/campaign.h"

/*
 * Judges every rule on every cell it selects, over all stored samples with a value, and stores one
 * row each; sets result->expectations and ->broken. [published] rules are stored, not judged.
 */
int fl_expectations_judge(struct fl_campaign *campaign, struct fl_err *err) FL_MUST_CHECK;

#endif
