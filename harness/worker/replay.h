/* SPDX-License-Identifier: Apache-2.0 */
/* Replay: the allocation history of a cell, in this fresh process, before settling. */
#ifndef FL_REPLAY_H
#define FL_REPLAY_H

#include "sample.h"

/* Performs the steps of the cell's factor `history`. 0, or the first step's error. */
int fl_replay(struct fl_sample *sample, struct fl_err *err) FL_MUST_CHECK;

#endif
