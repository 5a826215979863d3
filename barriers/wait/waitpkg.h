/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instructions UMONITOR, UMWAIT and TPAUSE, which let a core rest in user mode until a line is
 * written or a time has come. Only where fl_waitpkg_probe() is 0.
 */
#ifndef FL_WAITPKG_H
#define FL_WAITPKG_H

#include <stdint.h>

#include "faultline/error.h"

/* 0, or -ENOTSUP where the processor lacks them. */
int fl_waitpkg_probe(struct fl_err *why) FL_MUST_CHECK;

/* Arms the monitor on the line of `address`. Look at the word after, before fl_umwait(). */
void fl_umonitor(const void *address);

/* Rests lightly (C0.1) until the monitored line is written or about `cycles` have passed. */
void fl_umwait(uint64_t cycles);

/* Rests lightly (C0.1) for about `cycles` of the time-stamp counter. */
void fl_tpause(uint64_t cycles);

#endif
