/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Temporary trees of small files.
 */
#include "fixture-tree.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void make_parents(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

static void write_file(const char *root, const struct fixture_file *file)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s%s", root, file->path);
    make_parents(path);
    FILE *out = fopen(path, "w");
    if (out == NULL || fputs(file->text, out) < 0 || fclose(out) != 0) {
        perror(path);
        abort();
    }
}

char *fixture_tree_make(const struct fixture_file *files)
{
    char pattern[] = "/tmp/faultline-tree-XXXXXX";
    if (mkdtemp(pattern) == NULL) {
        perror(pattern);
        abort();
    }
    for (; files->path != NULL; files++)
        write_file(pattern, files);
    char *root = strdup(pattern);
    if (root == NULL)
        abort();
    return root;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

void fixture_tree_remove(char *root)
{
    nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(root);
}
