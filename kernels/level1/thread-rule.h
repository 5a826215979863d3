/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thread rule: whether one call is shared out to the team or left to the caller. Pure; thread-safe.
 *
 *   one                    never
 *   all                    always
 *   n>10000                beyond so many elements
 *   bytes-per-thread:384K  from so many bytes for each thread that must be woken, with unit stride;
 *                          always with any other
 *   calibrated             from the bytes at which a calibration says that it pays
 */
#ifndef FAULTLINE_KERNELS_THREAD_RULE_H
#define FAULTLINE_KERNELS_THREAD_RULE_H

#include <stdbool.h>

#include "faultline/error.h"

enum fl_thread_rule_kind {
    FL_RULE_ONE,
    FL_RULE_ALL,
    FL_RULE_LENGTH,
    FL_RULE_BYTES,
    FL_RULE_CALIBRATED
};

struct fl_thread_rule {
    enum fl_thread_rule_kind kind;
    double limit; /* elements, bytes per thread, or the calibrated crossover in bytes */
};

struct fl_thread_rule_call {
    double n, bytes; /* elements; bytes read and written */
    bool unit;       /* every stride is 1 */
    unsigned threads;
};

/* Reads a level. 0, or -EINVAL saying what is accepted. Of `calibrated` the limit is infinite until
 * a calibration sets it. */
int fl_thread_rule_parse(const char *level, struct fl_thread_rule *rule,
                         struct fl_err *err) FL_MUST_CHECK;

/* True: the team. False: one thread. */
bool fl_thread_rule_shares(const struct fl_thread_rule *rule,
                           const struct fl_thread_rule_call *call);

#endif
