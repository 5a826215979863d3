/* SPDX-License-Identifier: Apache-2.0 */
/* Building the environment of a worker. */
#include "runner/worker-environment.h"

#include <errno.h>
#include <stdarg.h>
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

/* Adds an entry, or replaces the one of its name that is there. */
static int put(struct fl_worker_environment *environment, const char *name, const char *format, ...)
    FL_PRINTF(3, 4);
static int put(struct fl_worker_environment *environment, const char *name, const char *format, ...)
{
    char entry[128];
    int length = snprintf(entry, sizeof entry, "%s=", name);
    va_list values;
    va_start(values, format);
    vsnprintf(entry + length, sizeof entry - (size_t)length, format, values);
    va_end(values);
    for (size_t i = 0; i < environment->count; i++) {
        if (strncmp(environment->variables[i], entry, (size_t)length) != 0)
            continue;
        char *copy = strdup(entry);
        if (!copy)
            return -ENOMEM;
        free(environment->variables[i]);
        environment->variables[i] = copy;
        return 0;
    }
    return add(environment, entry);
}

/* `paths`: of what is to be preloaded, in order; "" and NULL for none. */
static int add_preloads(struct fl_worker_environment *environment, const char *const *paths,
                        size_t count)
{
    char entry[3 * PATH_MAX + 32] = "LD_PRELOAD=";
    size_t start = strlen(entry), used = start;
    for (size_t i = 0; i < count; i++)
        if (paths[i] && *paths[i])
            used += (size_t)snprintf(entry + used, sizeof entry - used, "%s%s",
                                     used > start ? ":" : "", paths[i]);
    return used > start ? add(environment, entry) : 0;
}

/* Path of the OpenMP runtime to preload, "" for none: libgomp comes with whoever wants it. */
static int locate_runtime(const struct fl_cell *cell, char *path, size_t size, struct fl_err *err)
{
    static const char *const libomp[] = {"libomp.so.5", NULL};
    const char *runtime = fl_cell_get(cell, "omp-runtime");
    path[0] = 0;
    if (!runtime || strcmp(runtime, "libomp") != 0)
        return 0;
    return fl_preload_locate(libomp, "libomp5", path, size, err);
}

static int add_malloc(struct fl_worker_environment *environment, const struct fl_cell *cell,
                      const char *probe, struct fl_err *err)
{
    char path[PATH_MAX], runtime[PATH_MAX];
    const char *const preloads[] = {probe, path, runtime};
    const struct fl_malloc *row = fl_malloc_find(fl_cell_get(cell, "malloc"));
    int rc = fl_malloc_locate(row, path, sizeof path, err);
    if (!rc)
        rc = locate_runtime(cell, runtime, sizeof runtime, err);
    if (rc)
        return rc;
    rc = add_all(environment, row->environment);
    return rc ? rc : add_preloads(environment, preloads, sizeof preloads / sizeof *preloads);
}

/* The text behind `form` in the level, NULL where it is another form. */
static const char *behind(const char *level, const char *form)
{
    size_t length = strlen(form);
    return strncmp(level, form, length) ? NULL : level + length;
}

/* How the runtime's threads wait; runtimes read it when they are loaded. */
static int add_openmp(struct fl_worker_environment *environment, const struct fl_cell *cell,
                      unsigned threads)
{
    const char *wait = fl_cell_get(cell, "omp-wait"), *number;
    double seconds;
    if (!wait)
        return 0;
    int rc = put(environment, "OMP_NUM_THREADS", "%u", threads);
    if (!rc)
        rc = put(environment, "OMP_DYNAMIC", "false");
    if (rc || !strcmp(wait, "default"))
        return rc;
    if ((number = behind(wait, FL_OMP_SPINCOUNT)))
        return put(environment, "GOMP_SPINCOUNT", "%s", number);
    if (!(number = behind(wait, FL_OMP_BLOCKTIME)))
        return put(environment, "OMP_WAIT_POLICY", "%s", wait);
    rc = fl_factor_number(FL_FACTOR_TIME, number, &seconds);
    return rc ? rc : put(environment, "KMP_BLOCKTIME", "%.0f", seconds * 1e3);
}

static int set_thread_counts(struct fl_worker_environment *environment, unsigned threads)
{
    int rc = 0;
    for (const char *const *name = fl_library_thread_variables(); *name && !rc; name++)
        rc = put(environment, *name, "%u", threads);
    return rc;
}

static int add_library(struct fl_worker_environment *environment,
                       const struct fl_scenario *scenario, const struct fl_cell *cell,
                       unsigned threads, struct fl_err *err)
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
    rc = add_all(environment, wanted.variables);
    return rc ? rc : set_thread_counts(environment, threads);
}

int fl_worker_environment_make(const struct fl_scenario *scenario, const struct fl_cell *cell,
                               const struct fl_thread_plan *threads, const char *probe,
                               struct fl_worker_environment *environment, struct fl_err *err)
{
    *environment = (struct fl_worker_environment){.variables = NULL};
    err->text[0] = 0;
    int rc = add_inherited(environment);
    if (!rc)
        rc = add_malloc(environment, cell, probe, err);
    if (!rc)
        rc = add_library(environment, scenario, cell, threads->library, err);
    if (!rc)
        rc = add_openmp(environment, cell,
                        environment->library[0] ? threads->library : threads->team);
    if (!rc)
        return 0;
    fl_worker_environment_release(environment);
    return err->text[0] ? rc : fl_fail(err, rc, "cannot build an environment: %s", strerror(-rc));
}

int fl_worker_environment_pad(struct fl_worker_environment *environment, size_t bytes,
                              struct fl_err *err)
{
    static const char name[] = "FAULTLINE_PADDING=";
    char *entry = malloc(sizeof name + bytes);
    int rc = entry ? 0 : -ENOMEM;
    if (entry) {
        memcpy(entry, name, sizeof name);
        memset(entry + sizeof name - 1, '.', bytes);
        entry[sizeof name - 1 + bytes] = 0;
        rc = add(environment, entry);
    }
    free(entry);
    if (rc)
        fl_worker_environment_release(environment);
    return rc ? fl_fail(err, rc, "out of memory") : 0;
}

void fl_worker_environment_release(struct fl_worker_environment *environment)
{
    for (size_t i = 0; i < environment->count; i++)
        free(environment->variables[i]);
    free(environment->variables);
    *environment = (struct fl_worker_environment){.variables = NULL};
}
