/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Malloc: which malloc the measured process runs on. Chosen before it starts, by environment
 * variables (glibc's settings) or by a preloaded library; a row of a table, not code.
 *
 * Whoever starts a measured process drops every inherited variable that fl_malloc_owns(), adds the
 * row's environment, and puts the path from fl_malloc_locate() into LD_PRELOAD. The measured
 * process then asks fl_malloc_verify(), since the dynamic linker only warns when it cannot preload.
 */
#ifndef FAULTLINE_MALLOC_H
#define FAULTLINE_MALLOC_H

#include <stdbool.h>
#include <stddef.h>

#include "faultline/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fl_malloc {
    const char *name;               /* level of the factor `malloc` */
    const char *summary;            /* one line */
    const char *const *environment; /* NULL-terminated `NAME=value`; NULL: none */
    /* Library to preload: SONAMEs, NULL-terminated, of which the first that the dynamic linker
     * finds is taken (a distribution has one of them); NULL: none. */
    const char *const *preload;
    const char *package; /* Debian package of `preload`, for the message when it is missing */
};

/* All of them, ended by a row without a name. Thread-safe. */
const struct fl_malloc *fl_mallocs(void);

/* By name, or NULL. */
const struct fl_malloc *fl_malloc_find(const char *name);

/* 0, or -ENOTSUP with the reason (library not found, C library not glibc) and the package to
 * install. Starts the dynamic linker (about 1 ms) for a row with a library; loads nothing. */
int fl_malloc_probe(const struct fl_malloc *row, struct fl_err *why) FL_MUST_CHECK;

/* As fl_malloc_probe(), and writes the absolute path of the library, "" for a row without one.
 * -ENAMETOOLONG where `size` is too small. */
int fl_malloc_locate(const struct fl_malloc *row, char *path, size_t size,
                     struct fl_err *why) FL_MUST_CHECK;

/*
 * The absolute path of the first of these SONAMEs (NULL-terminated) that the dynamic linker finds,
 * for LD_PRELOAD. -ENOTSUP: none, naming the package to install; -ENAMETOOLONG.
 */
int fl_preload_locate(const char *const *sonames, const char *package, char *path, size_t size,
                      struct fl_err *why) FL_MUST_CHECK;

/*
 * Does an environment entry (`NAME` or `NAME=value`) change what a malloc does? LD_PRELOAD and
 * GLIBC_TUNABLES are among them: nothing inherited may leak in.
 */
bool fl_malloc_owns(const char *entry);

/* In the measured process: 0 where malloc is the row's, else -ENOTSUP naming what is in its place.
 */
int fl_malloc_verify(const struct fl_malloc *row, struct fl_err *why) FL_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
