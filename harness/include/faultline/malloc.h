/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Malloc: which malloc the measured process runs on. Chosen before it starts, by environment
 * variables (glibc's settings) or by a preloaded library; a row of a table, not code.
 */
#ifndef FAULTLINE_MALLOC_H
#define FAULTLINE_MALLOC_H

#include <stddef.h>

#include "faultline/error.h"

struct fl_malloc {
    const char *name;               /* level of the factor `malloc` */
    const char *summary;            /* one line */
    const char *const *environment; /* NULL-terminated `NAME=value`; NULL: none */
    const char *preload; /* library to preload: a SONAME the dynamic linker finds; NULL: none */
    const char *package; /* Debian package of `preload`, for the message when it is missing */
};

/* All of them, ended by a row without a name. Thread-safe. */
const struct fl_malloc *fl_mallocs(void);

/* By name, or NULL. */
const struct fl_malloc *fl_malloc_find(const char *name);

/* 0, or -ENOTSUP with the reason (library not found, glibc too old) and the package to install. */
int fl_malloc_probe(const struct fl_malloc *row, struct fl_err *why) FL_MUST_CHECK;

#endif
