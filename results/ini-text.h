/* SPDX-License-Identifier: Apache-2.0 */
/*
 * INI text: files of `key = value` and of rules in [sections], read with inih.
 *
 * A list goes on in indented lines. What inih would split, cut or swallow without a word is a
 * mistake; each is told with file, line, section and key.
 */
#ifndef RESULTS_INI_TEXT_H
#define RESULTS_INI_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "faultline/error.h"

#define FL_INI_LINE_MAX 198 /* bytes that Debian's inih takes in one piece */

struct fl_ini_line {
    const char *section, *key, *value;
    int number; /* in the file, from 1 */
    bool more;  /* indented: `value` is the whole line and goes on with the key */
    char cut;   /* where a line that is not indented was cut in two: '=' or ':' */
};

/* 0, or what the read returns, with a reason: it gets the place put in front. */
typedef int (*fl_ini_fn)(void *arg, const struct fl_ini_line *line, struct fl_err *err);

/*
 * Hands each line to `each`, up to the first mistake. `path` is for messages. 0; -EINVAL or what
 * `each` returned; -ENOMEM.
 */
int fl_ini_read(const char *path, const char *text, size_t length, fl_ini_fn each, void *arg,
                struct fl_err *err) FL_MUST_CHECK;

/* A line as it was written, but for space around the cut: for rules. -EINVAL: longer than `size`.
 */
int fl_ini_whole(const struct fl_ini_line *line, char *out, size_t size,
                 struct fl_err *err) FL_MUST_CHECK;

/*
 * Takes one item off a comma-separated list: trimmed, quotes removed. 1: got one, 0: end, -EINVAL.
 */
int fl_ini_item(const char **list, char *out, size_t size, struct fl_err *err) FL_MUST_CHECK;

/*
 * A file in memory, which the caller frees; `what` is for messages. -errno from opening it, -EIO,
 * -EFBIG beyond 4 MiB, -ENOMEM.
 */
int fl_ini_load(const char *path, const char *what, char **text, size_t *length,
                struct fl_err *err) FL_MUST_CHECK;

#endif
