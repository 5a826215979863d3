/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Install paths: where the worker, the probe library and the scenarios lie, found from where this
 * program lies, so that a build folder and an installed tree work alike.
 */
#ifndef FL_INSTALL_PATHS_H
#define FL_INSTALL_PATHS_H

#include <limits.h>
#include <stddef.h>

#include "faultline/error.h"

struct fl_install_paths {
    char worker[PATH_MAX];    /* bin/faultline-worker */
    char probe[PATH_MAX];     /* libfaultline-probe.so; "" where there is none */
    char scenarios[PATH_MAX]; /* folder of the *.ini files that come with faultline */
    char shim[PATH_MAX];      /* source of the shim over Eigen; "" where there is none */
};

/* 0; -ENOENT naming the file that is missing. */
int fl_install_paths_find(struct fl_install_paths *paths, struct fl_err *err) FL_MUST_CHECK;

/*
 * The file behind a scenario's name: itself where it has a '/' or ends in .ini, else NAME.ini in
 * the folder of scenarios. 0; -ENOENT naming the nearest one.
 */
int fl_install_scenario(const struct fl_install_paths *paths, const char *name, char *file,
                        size_t size, struct fl_err *err) FL_MUST_CHECK;

#endif
