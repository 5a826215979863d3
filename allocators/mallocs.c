/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table of mallocs. One row adds one.
 *
 * glibc's settings go through its MALLOC_ variables: glibc 2.26 to 2.43 keep them as aliases of the
 * tunables. Setting a threshold or the pad also switches the dynamic thresholds off for good.
 */
#include "faultline/malloc.h"

#include <string.h>

/* Both thresholds, as the report of the packing faults pinned them: nothing is mapped below 32 MiB,
 * nothing is trimmed below 1 GiB. */
#define MMAP_THRESHOLD "MALLOC_MMAP_THRESHOLD_=33554432"
#define TRIM_THRESHOLD "MALLOC_TRIM_THRESHOLD_=1073741824"

static const char *const pinned[] = {MMAP_THRESHOLD, TRIM_THRESHOLD, NULL};
static const char *const mmap_only[] = {MMAP_THRESHOLD, NULL};
static const char *const trim_only[] = {TRIM_THRESHOLD, NULL};
/* More than any working set of the scenarios, so that every heap growth brings all of it. */
static const char *const top_pad[] = {"MALLOC_TOP_PAD_=67108864", NULL};
static const char *const arena1[] = {"MALLOC_ARENA_MAX=1", NULL};

/* Debian 12's SONAME first, then what later releases ship, then the variant with a profiler. */
static const char *const jemalloc[] = {"libjemalloc.so.2", NULL};
static const char *const mimalloc[] = {"libmimalloc.so.2", "libmimalloc.so.3", NULL};
static const char *const tcmalloc[] = {"libtcmalloc_minimal.so.4", "libtcmalloc.so.4", NULL};

static const struct fl_malloc rows[] = {
    {"glibc", "glibc as it is: thresholds follow the largest mapped block freed", NULL, NULL, NULL},
    {"glibc-pinned", "glibc, mmap threshold 32 MiB and trim threshold 1 GiB", pinned, NULL, NULL},
    {"glibc-mmap-only", "glibc, mmap threshold 32 MiB, trim threshold left at 128 KiB", mmap_only,
     NULL, NULL},
    {"glibc-trim-only", "glibc, trim threshold 1 GiB, mmap threshold left at 128 KiB", trim_only,
     NULL, NULL},
    {"glibc-top-pad", "glibc, 64 MiB more at every growth of the heap", top_pad, NULL, NULL},
    {"glibc-arena1", "glibc, one arena: worker threads allocate from the main heap", arena1, NULL,
     NULL},
    {"jemalloc", "jemalloc, preloaded", NULL, jemalloc, "libjemalloc2"},
    {"mimalloc", "mimalloc, preloaded", NULL, mimalloc, "libmimalloc2.0 (Debian 13: libmimalloc3)"},
    {"tcmalloc", "tcmalloc of gperftools without its profilers, preloaded", NULL, tcmalloc,
     "libtcmalloc-minimal4 (Debian 13: libtcmalloc-minimal4t64)"},
    {NULL, NULL, NULL, NULL, NULL},
};

/* A name that ends in '*' stands for all that begin so. */
static const char *const variables[] = {
    "LD_PRELOAD",  "LD_AUDIT",       "GLIBC_TUNABLES", /* the dynamic linker's */
    "MALLOC_*",                                        /* glibc; jemalloc's MALLOC_CONF */
    "JE_MALLOC_*", "_RJEM_MALLOC_*",                   /* jemalloc built with a prefix */
    "MIMALLOC_*",                                      /* mimalloc */
    "TCMALLOC_*",  "MALLOCSTATS",    "HEAP*",          "PERFTOOLS_*", /* gperftools */
    NULL,
};

const struct fl_malloc *fl_mallocs(void)
{
    return rows;
}

const struct fl_malloc *fl_malloc_find(const char *name)
{
    for (const struct fl_malloc *row = rows; row->name; row++)
        if (!strcmp(row->name, name))
            return row;
    return NULL;
}

bool fl_malloc_owns(const char *entry)
{
    size_t length = strcspn(entry, "=");
    for (const char *const *v = variables; *v; v++) {
        size_t known = strlen(*v);
        bool prefix = (*v)[known - 1] == '*';
        if (prefix ? length >= known - 1 && !strncmp(*v, entry, known - 1)
                   : length == known && !strncmp(*v, entry, known))
            return true;
    }
    return false;
}
