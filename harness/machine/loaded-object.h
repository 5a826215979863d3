/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loaded object: path and build id of a shared library that this process runs on.
 */
#ifndef FL_MACHINE_LOADED_OBJECT_H
#define FL_MACHINE_LOADED_OBJECT_H

#include <limits.h>

#include "faultline/error.h"
#include "faultline/library.h"

struct fl_loaded_object {
    char path[PATH_MAX];
    char build_id[FL_BUILD_ID_MAX]; /* "" where the linker wrote none */
};

/*
 * The loaded object whose file name starts with `name` ("libc.so"), or the program itself where
 * `name` is NULL. 0 or -ENOENT. Takes the dynamic linker's lock.
 */
int fl_loaded_object_find(const char *name, struct fl_loaded_object *out) FL_MUST_CHECK;

#endif
