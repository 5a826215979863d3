/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of all parts, from the tables that the build generated. */
#include "faultline/registry.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "derived-metrics.h"
#include "harness-factors.h"

/* Generated, each in the library of its kind. */
extern const struct fl_workspace_ops *const fl_workspace_table[];
extern const struct fl_counter_ops *const fl_counter_table[];
extern const struct fl_barrier_ops *const fl_barrier_table[];
extern const struct fl_barrier_ops *const fl_counting_barrier_table[];
extern const struct fl_wait_ops *const fl_wait_table[];
extern const struct fl_team_ops *const fl_team_table[];

#define FOREIGN_PREFIX "blas:"

const struct fl_workspace_ops *const *fl_registry_workspaces(void)
{
    return fl_workspace_table;
}

const struct fl_counter_ops *const *fl_registry_counters(void)
{
    return fl_counter_table;
}

const struct fl_barrier_ops *const *fl_registry_barriers(void)
{
    return fl_barrier_table;
}

const struct fl_barrier_ops *const *fl_registry_counting_barriers(void)
{
    return fl_counting_barrier_table;
}

const struct fl_wait_ops *const *fl_registry_waits(void)
{
    return fl_wait_table;
}

const struct fl_team_ops *const *fl_registry_teams(void)
{
    return fl_team_table;
}

const char *fl_registry_options(const char *level)
{
    const char *colon = strchr(level, ':');
    return colon ? colon + 1 : "";
}

/* Does `level` name the part `name`, with or without options behind a ':'? */
static bool names_part(const char *level, const char *name)
{
    size_t length = strlen(name);
    return !strncmp(level, name, length) && (!level[length] || level[length] == ':');
}

const struct fl_workspace_ops *fl_registry_workspace(const char *level)
{
    for (const struct fl_workspace_ops *const *w = fl_workspace_table; *w; w++)
        if (names_part(level, (*w)->part.name))
            return *w;
    return NULL;
}

const struct fl_counter_ops *fl_registry_counter(const char *name)
{
    for (const struct fl_counter_ops *const *c = fl_counter_table; *c; c++)
        if (!strcmp((*c)->part.name, name))
            return *c;
    return NULL;
}

static const struct fl_barrier_ops *barrier_of(const struct fl_barrier_ops *const *table,
                                               const char *level)
{
    for (; *table; table++)
        if (names_part(level, (*table)->part.name))
            return *table;
    return NULL;
}

const struct fl_barrier_ops *fl_registry_barrier(const char *level)
{
    return barrier_of(fl_barrier_table, level);
}

const struct fl_barrier_ops *fl_registry_counting_barrier(const char *level)
{
    return barrier_of(fl_counting_barrier_table, level);
}

const struct fl_wait_ops *fl_registry_wait(const char *level)
{
    for (const struct fl_wait_ops *const *w = fl_wait_table; *w; w++)
        if (names_part(level, (*w)->part.name))
            return *w;
    return NULL;
}

const struct fl_team_ops *fl_registry_team(const char *level)
{
    for (const struct fl_team_ops *const *t = fl_team_table; *t; t++)
        if (!strcmp((*t)->part.name, level))
            return *t;
    return NULL;
}

static const struct fl_kernel_ops *kernel_named(const char *name)
{
    for (const struct fl_kernel_ops *const *k = fl_registry_kernels(); *k; k++)
        if (!strcmp((*k)->part.name, name))
            return *k;
    return NULL;
}

static bool calls_symbol(const struct fl_kernel_ops *kernel, const char *symbol, size_t letters)
{
    for (const char *const *s = kernel->symbols; s && *s; s++)
        if (strlen(*s) == letters && !strncmp(*s, symbol, letters))
            return true;
    return false;
}

/*
 * The part that calls a symbol of a shared library: what stands behind its letters is a suffix, and
 * the part's own affair (`dgemm_64_`). A name of ours with a '-' is no symbol, but a way to call
 * one (`dgemm-small-tn`).
 */
static const struct fl_kernel_ops *foreign_kernel(const char *symbol)
{
    size_t letters = strspn(symbol, "abcdefghijklmnopqrstuvwxyz-");
    for (const struct fl_kernel_ops *const *k = fl_registry_kernels(); *k; k++)
        if (((*k)->uses & FL_USES_LIBRARY) && calls_symbol(*k, symbol, letters))
            return *k;
    return NULL;
}

const struct fl_kernel_ops *fl_registry_kernel(const char *kernel, const char *library)
{
    const char *symbol = kernel + strlen(FOREIGN_PREFIX);
    if (!strncmp(kernel, FOREIGN_PREFIX, strlen(FOREIGN_PREFIX)))
        return strchr(symbol, '-') ? NULL : foreign_kernel(symbol);
    const struct fl_kernel_ops *own = kernel_named(kernel);
    if (!own || (own->uses & FL_USES_LIBRARY))
        return NULL;
    return strcmp(library, FL_OWN_LIBRARY) ? foreign_kernel(kernel) : own;
}

const struct fl_metric *fl_registry_derived_metrics(void)
{
    return fl_derived_metrics;
}

int fl_registry_metric(const char *name, struct fl_metric *metric,
                       const struct fl_counter_ops **counter, struct fl_err *err)
{
    const char *names[128];
    size_t count = 0;
    for (const struct fl_metric *m = fl_derived_metrics; m->name; m++) {
        names[count++] = m->name;
        if (strcmp(m->name, name))
            continue;
        *metric = *m;
        *counter = NULL;
        return 0;
    }
    for (const struct fl_counter_ops *const *c = fl_counter_table; *c; c++) {
        *counter = *c;
        if ((*c)->dynamic && (*c)->dynamic(name, metric))
            return 0;
        for (size_t i = 0; i < (*c)->metric_count; i++) {
            *metric = (*c)->metrics[i];
            if (!strcmp(metric->name, name))
                return 0;
            if (count < sizeof names / sizeof *names - 1)
                names[count++] = metric->name;
        }
    }
    names[count] = NULL;
    const char *near = fl_nearest(name, names);
    return fl_fail(err, -ENOENT,
                   "unknown metric '%.80s'%s%s%s; `faultline list counters` has them all", name,
                   near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}
