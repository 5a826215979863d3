/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of a workspace: the text behind the first ':' of its level, `name=number` each, further
 * ones behind further colons. Thread-safe, allocates nothing.
 */
#ifndef FL_WORKSPACE_OPTIONS_H
#define FL_WORKSPACE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "faultline/error.h"

/*
 * One number, of bytes (64K, 1M) or of things; its value keeps what it had where the text does not
 * name it.
 */
struct fl_ws_option {
    const char *name;
    size_t *value;
    size_t min, max; /* smallest and largest that are accepted */
    size_t step;     /* only multiples of it are accepted; 0: all */
    bool counts;     /* things, not bytes */
};

/*
 * Reads `text` into the values of the table, which ends with a row without a name. -EINVAL: an
 * unknown, repeated or malformed option; the reason says what the workspace takes.
 */
int fl_ws_options_read(const char *workspace, const char *text, const struct fl_ws_option *table,
                       struct fl_err *err) FL_MUST_CHECK;

/* For a workspace without options: -EINVAL unless `text` is empty. */
int fl_ws_options_none(const char *workspace, const char *text, struct fl_err *err) FL_MUST_CHECK;

#endif
