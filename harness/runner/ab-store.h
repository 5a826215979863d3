/* SPDX-License-Identifier: Apache-2.0 */
/* What is stored of an A/B run beside its two runs: begun, and found again to be resumed. */
#ifndef FL_AB_STORE_H
#define FL_AB_STORE_H

#include "runner/ab-state.h"

/* Stores both runs, their pairing and its cells. As the store. */
int fl_ab_begin(struct fl_ab *ab, struct fl_err *err) FL_MUST_CHECK;

/*
 * Takes the scenario's last unfinished A/B run of this purpose over. -ENOENT: there is none;
 * -EINVAL: something differs from what it was started with, named in the reason; as the store.
 */
int fl_ab_resume(struct fl_ab *ab, struct fl_err *err) FL_MUST_CHECK;

#endif
