/* SPDX-License-Identifier: Apache-2.0 */
/* What is recorded about the machine and the build with every run. For run.c. */
#ifndef FL_RUN_DESCRIPTION_H
#define FL_RUN_DESCRIPTION_H

#include <stdint.h>

#include "machine/environment.h"
#include "machine/fingerprint.h"
#include "machine/topology.h"
#include "results/store.h"
#include "runner/run.h"
#include "runner/side.h"

struct fl_run_description {
    struct fl_topology topology;
    unsigned long caches[4]; /* bytes, in [1]..[3] */
    struct fl_properties environment;
    struct fl_fingerprint fingerprint;
    char fingerprint_text[FL_FINGERPRINT_TEXT_MAX];
    char host[256];
    struct fl_fact *environment_facts, *machine_facts; /* views of the two lists above */
};

/*
 * In front of the names of the environment that are settings and not found: run.timeout-ns,
 * run.library.ALIAS for each path that a scenario or a command line gives an alias, and of a side
 * of an A/B run run.side, its text, run.worker and run.worker-hash.
 */
#define FL_RUN_SETTING "run."

/* Looks at the machine; takes about 25 ms. 0, or -errno. Release it also after an error. */
int fl_run_description_make(struct fl_run_description *description, const struct fl_side *side,
                            struct fl_err *err) FL_MUST_CHECK;

void fl_run_description_release(struct fl_run_description *description);

/* The row of a run; points into description and request. */
void fl_run_describe(const struct fl_run_description *description,
                     const struct fl_run_request *request, struct fl_run_info *info);

int64_t fl_run_nanoseconds(double seconds);

#endif
