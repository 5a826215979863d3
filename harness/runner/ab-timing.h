/* SPDX-License-Identifier: Apache-2.0 */
/* The timed rounds of an A/B run. */
#ifndef FL_AB_TIMING_H
#define FL_AB_TIMING_H

#include "runner/ab-state.h"

/* Takes pairs until all is decided, the budget is spent or the rounds are over. 0; -EINTR when
 * stopped; -errno. */
int fl_ab_time(struct fl_ab *ab, struct fl_err *err) FL_MUST_CHECK;

#endif
