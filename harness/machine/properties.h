/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties: a growable list of `name=value` pairs, in the order in which they were first set.
 *
 * Values are free text of one line; control characters become spaces, because values come from
 * files and variables that anybody can write. A zeroed struct is an empty list. Not thread-safe.
 */
#ifndef FL_MACHINE_PROPERTIES_H
#define FL_MACHINE_PROPERTIES_H

#include <stddef.h>

#include "faultline/error.h"

struct fl_property {
    char *name, *value; /* owned by the list */
};

struct fl_properties {
    struct fl_property *items;
    size_t count, capacity;
};

/* Adds or replaces. 0 or -ENOMEM; the list is unchanged then. */
int fl_properties_set(struct fl_properties *list, const char *name, const char *format, ...)
    FL_PRINTF(3, 4) FL_MUST_CHECK;

/* The value, or NULL. It lives until the property is replaced. */
const char *fl_properties_get(const struct fl_properties *list, const char *name);

/* Gives the memory back; the list is empty again. */
void fl_properties_clear(struct fl_properties *list);

#endif
