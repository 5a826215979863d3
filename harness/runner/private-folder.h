/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private folder: copies of programs and libraries under test, at paths of a fixed length.
 *
 * It lies below TMPDIR or /tmp, has a name that nobody can guess and belongs to one process, which
 * holds a lock in it. Who is killed leaves it behind; the next one to open a folder removes those
 * of this user whose owner is gone.
 */
#ifndef FL_PRIVATE_FOLDER_H
#define FL_PRIVATE_FOLDER_H

#include <limits.h>
#include <stddef.h>

#include "faultline/error.h"

/* A zeroed one is closed. */
struct fl_private_folder {
    char path[PATH_MAX]; /* "": closed */
    int lock;
    int count; /* files in it */
};

/* One that is open stays as it is. 0, -errno. */
int fl_private_folder_open(struct fl_private_folder *folder, struct fl_err *err) FL_MUST_CHECK;

/*
 * Copies a file, with its permission to be run; where the copy lies comes back. The n-th file of
 * one folder has a path as long as that of another. 0, -errno.
 */
int fl_private_folder_add(struct fl_private_folder *folder, const char *file, char *copy,
                          size_t size, struct fl_err *err) FL_MUST_CHECK;

/* Where another file or a folder may be made by somebody else: like a copy, or the one tree that a
 * folder may have. 0, -ENAMETOOLONG. */
int fl_private_folder_file(struct fl_private_folder *folder, char *path, size_t size,
                           struct fl_err *err) FL_MUST_CHECK;
int fl_private_folder_tree(const struct fl_private_folder *folder, char *path, size_t size,
                           struct fl_err *err) FL_MUST_CHECK;

/* Removes it and what these functions put into it. */
void fl_private_folder_close(struct fl_private_folder *folder);

#endif
