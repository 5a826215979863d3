/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gating: what `faultline gate` and `faultline baseline check` share. Finds what is compared,
 * applies the policy, writes the reports and returns the exit code of results/gate.h.
 */
#ifndef FL_GATING_H
#define FL_GATING_H

#include "command.h"

#define FL_GATING_OPTIONS 10 /* rows of fl_gating_options() */

/* As given; a zeroed struct is what stands there by default. */
struct fl_gating {
    const char *store, *run, *policy, *inconclusive;
    const char *markdown, *junit, *github, *gitlab, *json; /* files; `-`: stdout */
    struct fl_texts plugins;                               /* whose kernels the policy names */
    const char *baseline; /* a run, or a file of counts by its `.ini`; NULL: the pair of the run */
};

/* The options that both have, without an end. */
void fl_gating_options(struct fl_gating *gating, struct fl_option *out);

/* The whole work. An exit code; a failure has been told on stderr. */
int fl_gating_run(const struct fl_gating *gating);

#endif
