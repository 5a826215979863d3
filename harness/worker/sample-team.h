/* SPDX-License-Identifier: Apache-2.0 */
/* The team of a sample. */
#ifndef FL_SAMPLE_TEAM_H
#define FL_SAMPLE_TEAM_H

#include "sample.h"

/*
 * Opens sample->team as the cell says; a cell without the factor gets the caller alone, so that a
 * history's kernels always have one. 0, or fl_team_open()'s error.
 */
int fl_sample_open_team(struct fl_sample *sample, struct fl_err *err) FL_MUST_CHECK;

#endif
