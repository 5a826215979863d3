/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages: what the worker tells whoever started it, one line each, on a file descriptor.
 *
 *   phase NAME                        what it does from now on, so that a crash has a place
 *   fact NAME VALUE                   a resolved value
 *   settle CALLS NANOSECONDS
 *   window CALLS NANOSECONDS RUNS     wall time of all calls, which so many run()s made
 *   metric NAME ok TOTAL SCALE [multiplexed]    SCALE 1, or enabled/running time where the kernel
 *                                     multiplexed the event
 *   metric NAME ratio VALUE
 *   metric NAME unavailable|not-observable REASON
 *   outcome ok|unavailable|wrong-result|failed REASON
 *
 * The outcome is the last line; a worker that ends without one has crashed. Lines go out with one
 * write each, outside the window; nothing is allocated.
 */
#ifndef FL_MESSAGE_H
#define FL_MESSAGE_H

#include "faultline/error.h"

/* Writes one line; the newline is added, newlines inside become spaces. Not thread-safe. A reader
 * that went away is no error: the worker is about to be killed. */
void fl_message(int fd, const char *format, ...) FL_PRINTF(2, 3);

#endif
