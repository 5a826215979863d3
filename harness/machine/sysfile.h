/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System file: one small text of /proc or /sys, read under a root directory.
 *
 * The root is NULL or "" on the live machine and the folder of a captured tree in tests. Reads are
 * bounded and open regular files only, so that a captured tree cannot make them block or run away.
 * Nothing allocates; thread-safe.
 */
#ifndef FL_MACHINE_SYSFILE_H
#define FL_MACHINE_SYSFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "faultline/error.h"

/* Bytes, with the NUL, that callers make room for: most files, and those that have a line for each
 * processor, mount or lock of the machine. */
#define FL_SYSFILE_MAX  65536
#define FL_SYSFILE_LONG 262144

/*
 * Reads at most size - 1 bytes, drops trailing white space and turns NULs into spaces. 0, or the
 * negative errno of the failed call; `out` is "" then. A longer file is cut, not refused: what
 * callers look for stands at the front.
 */
int fl_sysfile_read(const char *root, const char *path, char *out, size_t size) FL_MUST_CHECK;

/* A file that holds one decimal integer. 0, the errno of the read, or -EINVAL. */
int fl_sysfile_number(const char *root, const char *path, long long *out) FL_MUST_CHECK;

bool fl_sysfile_exists(const char *root, const char *path);

#endif
