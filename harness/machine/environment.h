/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Environment: everything about this machine, system and process that can move a result.
 *
 * Collected once a run, as properties whose names are stable (docs/environment.md lists them):
 * `cpu.model`, `thp.enabled`, `libc.build-id`, `env.MALLOC_ARENA_MAX`, ... What cannot be read is
 * kept as "absent" (no such file) or "unreadable", so that a hole is never silent. Values come from
 * files and variables that anybody may have written: escape them where they are shown.
 */
#ifndef FL_MACHINE_ENVIRONMENT_H
#define FL_MACHINE_ENVIRONMENT_H

#include <stdbool.h>

#include "machine/properties.h"
#include "machine/topology.h"

#define FL_ABSENT     "absent"
#define FL_UNREADABLE "unreadable"

struct fl_environment_source {
    const char *root;                   /* of /proc and /sys; NULL: the live machine */
    const char *const *variables;       /* NULL-terminated `NAME=value`; NULL: this process's own */
    const struct fl_topology *topology; /* NULL: left out */
};

/* 0 or -ENOMEM. `out` is added to. */
int fl_environment_collect(const struct fl_environment_source *source, struct fl_properties *out,
                           struct fl_err *err) FL_MUST_CHECK;

/* Has the property a value, neither missing, "absent" nor "unreadable"? */
bool fl_environment_knows(const struct fl_properties *list, const char *name);

#endif
