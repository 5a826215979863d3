/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fixture tree: a small /proc and /sys written into a temporary folder.
 */
#ifndef FL_MACHINE_FIXTURE_TREE_H
#define FL_MACHINE_FIXTURE_TREE_H

struct fixture_file {
    const char *path; /* from the root: "/proc/stat"; NULL ends the list */
    const char *text;
};

/* Writes the files, with the folders they need, below a new temporary folder and returns its path.
 * Aborts where it cannot: a test cannot go on without. */
char *fixture_tree_make(const struct fixture_file *files);

/* Removes the folder with all that is in it and frees the path. */
void fixture_tree_remove(char *root);

#endif
