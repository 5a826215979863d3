/* SPDX-License-Identifier: Apache-2.0 */
/* Preload rig: runs a test program under the probe. */
#ifndef FL_PRELOAD_RIG_H
#define FL_PRELOAD_RIG_H

#include <stdbool.h>

/*
 * Called first in main(): runs the program again with the probe preloaded where it is not.
 * Returns 0 under the probe; 77 where there is none and 1 where it does not load, with
 * the reason on stderr.
 */
int preload_probe(char **argv);

/*
 * Runs this program again with LD_PRELOAD set to `preload` (NULL: unset) and one argument; its
 * exit code, or -1.
 */
int preload_run(const char *preload, const char *argument);

/* "PROBE other", or "other PROBE" where the probe comes last. Static buffer. */
const char *preload_order(const char *other, bool probe_last);

#endif
