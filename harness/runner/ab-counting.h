/* SPDX-License-Identifier: Apache-2.0 */
/* The counting rounds of an A/B run. */
#ifndef FL_AB_COUNTING_H
#define FL_AB_COUNTING_H

#include "runner/ab-state.h"

/* Takes all that the counts need. 0; -EINTR when stopped; -errno. */
int fl_ab_count(struct fl_ab *ab, struct fl_err *err) FL_MUST_CHECK;

/* Can a count be judged by that metric, and is it to be? */
bool fl_ab_judges_count(const struct fl_ab *ab, const struct fl_metric *metric);

#endif
