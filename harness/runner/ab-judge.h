/* SPDX-License-Identifier: Apache-2.0 */
/* Judging an A/B run while it goes on: which pairs are decided, and whether all together are. */
#ifndef FL_AB_JUDGE_H
#define FL_AB_JUDGE_H

#include "runner/ab-state.h"

/* Before the first round. 0, -errno. */
int fl_ab_judge_begin(struct fl_ab *ab, struct fl_err *err) FL_MUST_CHECK;

/* By the rounds so far. 0, -ENOMEM. */
int fl_ab_judge(struct fl_ab *ab, struct fl_err *err) FL_MUST_CHECK;

/* Is the pair to be timed on? */
bool fl_ab_is_open(const struct fl_ab *ab, const struct fl_ab_cell *cell);

void fl_ab_stand(const struct fl_ab *ab, struct fl_ab_standing *out);

#endif
