/* SPDX-License-Identifier: Apache-2.0 */
/* The pairs of an A/B run: which cell of the base goes with which of the head. */
#ifndef FL_AB_CELLS_H
#define FL_AB_CELLS_H

#include "runner/ab-state.h"

/*
 * Makes the pairs out of both plans, in the order of the base's: cells whose keys are the same
 * without the factors that a side names. Tells how many have no counterpart. -EINVAL: there is no
 * pair, or two cells of a side differ in nothing but what is compared; -ENOMEM.
 */
int fl_ab_match(struct fl_ab *ab, struct fl_err *err) FL_MUST_CHECK;

#endif
