/* SPDX-License-Identifier: Apache-2.0 */
/* Building the environment of a worker. */
#include "runner/worker-environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "faultline/library.h"
#include "faultline/malloc.h"
#include "faultline/registry.h"

/* Thread counts, wait policies and instruction sets of libraries; a '*' ends a prefix. */
static const char *const library_variables[] = {"OPENBLAS_*", "GOTO_*", "BLIS_*", "BLAS_*",
                                                "OMP_*",      "KMP_*",  "GOMP_*", "MKL_*",
                                                "LC_*",       "LANG",   NULL};

static bool names(const char *pattern, const char *entry)
{
    size_t length = strlen(pattern);
    if (pattern[length - 1] == '*')
        return !strncmp(pattern, entry, length - 1);
    return !strncmp(pattern, entry, length) && entry[length] == '=';
}

static bool inherited(const char *entry)
{
    for (const char *const *v = library_variables; *v; v++)
        if (names(*v, entry))
            return false;
    return !fl_malloc_owns(entry);
}

static int add(struct fl_worker_environment *environment, const char *entry)
{
    char **grown = realloc(environment->variables, (environment->count + 2) * sizeof *grown);
    if (!grown)
        return -ENOMEM;
    environment->variables = grown;
    grown[environment->count] = strdup(entry);
    if (!grown[environment->count])
        return -ENOMEM;
    grown[++environment->count] = NULL;
    return 0;
}

static int add_inherited(struct fl_worker_environment *environment)
{
    int rc = add(environment, "LC_ALL=C");
    for (char **entry = environ; *entry && !rc; entry++)
        if (inherited(*entry))
            rc = add(environment, *entry);
    return rc;
}

static int add_all(struct fl_worker_environment *environment, const char *const *entries)
{
    int rc = 0;
    for (; entries && *entries && !rc; entries++)
        rc = add(environment, *entries);
    return rc;
}

static int add_preloads(struct fl_worker_environment *environment, const char *probe,
                        const char *malloc)
{
    char entry[2 * PATH_MAX + 32];
    if (!probe && !*malloc)
        return 0;
    snprintf(entry, sizeof entry, "LD_PRELOAD=%s%s%s", probe ? probe : "",
             probe && *malloc ? ":" : "", malloc);
    return add(environment, entry);
}

static int add_malloc(struct fl_worker_environment *environment, const struct fl_cell *cell,
                      const char *probe, struct fl_err *err)
{
    char path[PATH_MAX];
    const struct fl_malloc *row = fl_malloc_find(fl_cell_get(cell, "malloc"));
    int rc = fl_malloc_locate(row, path, sizeof path, err);
    if (rc)
        return rc;
    rc = add_all(environment, row->environment);
    return rc ? rc : add_preloads(environment, probe, path);
}

static int add_library(struct fl_worker_environment *environment,
                       const struct fl_scenario *scenario, const struct fl_cell *cell,
                       struct fl_err *err)
{
    const char *alias = fl_cell_get(cell, "library"), *isa = fl_cell_get(cell, "isa");
    if (!strcmp(alias, FL_OWN_LIBRARY))
        return 0;
    struct fl_library_place place;
    struct fl_library_environment wanted;
    int rc = fl_library_find(alias, fl_scenario_library(scenario, alias), isa, &place, err);
    if (!rc)
        rc = fl_library_environment(&place, isa, &wanted, err);
    if (rc)
        return rc;
    snprintf(environment->library, sizeof environment->library, "%s", place.path);
    return add_all(environment, wanted.variables);
}

int fl_worker_environment_make(const struct fl_scenario *scenario, const struct fl_cell *cell,
                               const char *probe, struct fl_worker_environment *environment,
                               struct fl_err *err)
{
    *environment = (struct fl_worker_environment){.variables = NULL};
    err->text[0] = 0;
    int rc = add_inherited(environment);
    if (!rc)
        rc = add_malloc(environment, cell, probe, err);
    if (!rc)
        rc = add_library(environment, scenario, cell, err);
    if (!rc)
        return 0;
    fl_worker_environment_release(environment);
    return err->text[0] ? rc : fl_fail(err, rc, "cannot build an environment: %s", strerror(-rc));
}

void fl_worker_environment_release(struct fl_worker_environment *environment)
{
    for (size_t i = 0; i < environment->count; i++)
        free(environment->variables[i]);
    free(environment->variables);
    *environment = (struct fl_worker_environment){.variables = NULL};
}
