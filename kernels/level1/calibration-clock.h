/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times of a team and of level-1 calls for a calibration, under the pause that the cell has between
 * its calls: a team that sleeps in the pause is what the wake is about.
 */
#ifndef FAULTLINE_KERNELS_CALIBRATION_CLOCK_H
#define FAULTLINE_KERNELS_CALIBRATION_CLOCK_H

#include "calibration.h"
#include "level1-call.h"

/*
 * Calibrates for the call of these operands, whose values it changes. Maps vectors of its own where
 * the crossover lies beyond theirs; they stay. Takes about 100 ms, more where a call
 * takes milliseconds.
 */
int fl_level1_calibrate(const struct fl_level1_call *call,
                        const struct fl_level1_operands *operands, double gap,
                        struct fl_arena *arena, struct fl_calibration *out,
                        struct fl_err *err) FL_MUST_CHECK;

#endif
