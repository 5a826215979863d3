/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Environment group: the collectors behind fl_environment_collect(), one a subject. Private to the
 * environment's own files. Each returns 0 or -ENOMEM.
 */
#ifndef FL_MACHINE_ENVIRONMENT_GROUP_H
#define FL_MACHINE_ENVIRONMENT_GROUP_H

#include "machine/properties.h"
#include "machine/topology.h"

/* One file as one property; "absent" or "unreadable" where it cannot be read. */
int fl_environment_read(const char *root, const char *path, struct fl_properties *out,
                        const char *name) FL_MUST_CHECK;

/* cpu.*, cache.*: model, features, caches, frequency. `topology` may be NULL. */
int fl_environment_collect_cpu(const char *root, const struct fl_topology *topology,
                               struct fl_properties *out) FL_MUST_CHECK;

/* libc.*, process.*, locale.*, kernel.parameters, kernel.tracefs, env.* */
int fl_environment_collect_process(const char *root, const char *const *variables,
                                   struct fl_properties *out) FL_MUST_CHECK;

/* faultline.*: version, compiler, flags, build id. */
int fl_environment_collect_build(struct fl_properties *out) FL_MUST_CHECK;

#endif
