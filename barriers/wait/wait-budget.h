/* SPDX-License-Identifier: Apache-2.0 */
/* The option of policies that spin for a while first: a bare time, as in `spin-futex:50us`. */
#ifndef FL_WAIT_BUDGET_H
#define FL_WAIT_BUDGET_H

#include <stdint.h>

#include "faultline/error.h"

#define FL_WAIT_BUDGET_MAX_NS 10000000000u /* ten seconds: beyond, nobody means it */

/*
 * Reads "50us" into *ns. "" leaves *ns alone. -EINVAL: no time, or above the limit; the reason
 * names the policy and what it takes.
 */
int fl_wait_budget_read(const char *policy, const char *options, uint64_t *ns,
                        struct fl_err *err) FL_MUST_CHECK;

/*
 * What one park and one unpark cost here, in ns: half of the median round trip between two threads
 * that park in turn. Starts a thread and takes about a millisecond. Where no thread can be had,
 * 10 us. Between 1 us and 1 ms, whatever a busy machine shows.
 */
uint64_t fl_wait_park_cost_ns(void);

#endif
