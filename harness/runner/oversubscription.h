/* SPDX-License-Identifier: Apache-2.0 */
/* Oversubscription: what a run says beforehand about cells with more threads than processors. */
#ifndef FL_OVERSUBSCRIPTION_H
#define FL_OVERSUBSCRIPTION_H

#include "runner/campaign.h"

/*
 * Warns once where cells of the plan have more threads than can run at once, and once more where
 * their threads never give a processor up while they wait. 0, or -errno of a key.
 */
int fl_oversubscription_tell(const struct fl_campaign *campaign, struct fl_err *err) FL_MUST_CHECK;

#endif
