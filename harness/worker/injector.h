/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Injector: stands in for the kernel where the cell's factor `inject` asks for a slow-down, and
 * passes calls on. Where it asks for none, the kernel stays as it is and nothing is paid.
 */
#ifndef FL_INJECTOR_H
#define FL_INJECTOR_H

#include "sample.h"

/* Puts itself in front of sample->kernel, which is open. 0, -ENOMEM. */
int fl_injector_open(struct fl_sample *sample, struct fl_err *err) FL_MUST_CHECK;

/*
 * A window begins. Counting samples count from 0, so that all of them inject floor(calls / N)
 * times; timed ones from a number of their seed, so that calls / N is true of their mean.
 */
void fl_injector_restart(struct fl_sample *sample);

/* -EINVAL where the window of a timed sample has less than N calls: some had none injected. */
int fl_injector_check_calls(const struct fl_sample *sample, struct fl_err *err) FL_MUST_CHECK;

/* Adds the fact `injected` of a counting sample: how often since the restart. 0 or -E2BIG. */
int fl_injector_facts(struct fl_sample *sample);

#endif
