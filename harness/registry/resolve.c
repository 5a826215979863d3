/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resolving a cell: from whatever levels were given to exactly the factors that its kernel has, in
 * canonical order, fallbacks filled in. A known factor that this kernel does not use drops out, so
 * that a product over kernels does not multiply cells that are the same.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "faultline/registry.h"
#include "harness-factors.h"

struct given {
    const char *const *factors;
    const char *const *levels;
    size_t count;
};

static const char *given_level(const struct given *given, const char *factor)
{
    for (size_t i = 0; i < given->count; i++)
        if (!strcmp(given->factors[i], factor))
            return given->levels[i];
    return NULL;
}

static int check_names(const struct given *given, struct fl_err *err)
{
    for (size_t i = 0; i < given->count; i++) {
        if (!fl_registry_factor(given->factors[i]))
            return fl_unknown_factor(given->factors[i], err);
        for (size_t j = 0; j < i; j++)
            if (!strcmp(given->factors[i], given->factors[j]))
                return fl_fail(err, -EINVAL, "factor '%s' is given twice", given->factors[i]);
    }
    return 0;
}

static int take(struct fl_cell *cell, const struct given *given, const struct fl_factor *factor,
                struct fl_err *err)
{
    const char *level = given_level(given, factor->name);
    if (!level)
        level = factor->fallback;
    if (!level)
        return fl_fail(err, -EINVAL, "factor '%s' is missing: %s", factor->name, factor->summary);
    return fl_cell_set(cell, factor, level, err);
}

static int take_all(struct fl_cell *cell, const struct given *given,
                    const struct fl_factor *const *factors, struct fl_err *err)
{
    int rc = 0;
    for (; factors && *factors && !rc; factors++)
        rc = take(cell, given, *factors, err);
    return rc;
}

/*
 * The team's factors. A barrier that waits by itself takes no policy, so that whatever level was
 * given for `wait` drops out and stands as `runtime`.
 */
static int take_team(struct fl_cell *cell, const struct given *given, struct fl_err *err)
{
    int rc = take_all(cell, given, fl_team_factors, err);
    if (rc)
        return rc;
    const struct fl_barrier_ops *barrier = fl_registry_barrier(fl_cell_get(cell, "barrier"));
    const struct fl_team_ops *team = fl_registry_team(fl_cell_get(cell, "team"));
    if (barrier->own_wait)
        rc = fl_cell_set(cell, &fl_factor_wait, "runtime", err);
    if (!rc && barrier->openmp && !team->openmp)
        rc = fl_fail(err, -EDOM, "barrier '%s' goes with team=openmp only, not '%s'",
                     barrier->part.name, team->part.name);
    if (!rc && fl_barrier_check_wait(barrier, fl_registry_wait(fl_cell_get(cell, "wait")), err))
        rc = -EDOM;
    return rc;
}

/* Neither runtime reads the other's knob. */
static int check_openmp(const struct fl_cell *cell, struct fl_err *err)
{
    const char *runtime = fl_cell_get(cell, "omp-runtime"), *wait = fl_cell_get(cell, "omp-wait");
    bool spins = !strncmp(wait, FL_OMP_SPINCOUNT, strlen(FL_OMP_SPINCOUNT));
    bool blocks = !strncmp(wait, FL_OMP_BLOCKTIME, strlen(FL_OMP_BLOCKTIME));
    if (!strcmp(runtime, "libgomp") ? !blocks : !spins)
        return 0;
    return fl_fail(err, -EDOM, "omp-wait '%s' goes with omp-runtime=%s only", wait,
                   spins ? "libgomp" : "libomp");
}

/* Factors of threads that are not ours. */
static int take_runtime(struct fl_cell *cell, const struct given *given,
                        const struct fl_kernel_ops *kernel, struct fl_err *err)
{
    const char *team = fl_cell_get(cell, "team");
    bool library = kernel->uses & FL_USES_LIBRARY;
    int rc = library ? take(cell, given, &fl_factor_library_threads, err) : 0;
    if (rc || !(library || (team && fl_registry_team(team)->openmp)))
        return rc;
    rc = take_all(cell, given, fl_openmp_factors, err);
    return rc ? rc : check_openmp(cell, err);
}

static int find_kernel(const struct given *given, const struct fl_kernel_ops **kernel,
                       struct fl_err *err)
{
    const char *name = given_level(given, "kernel"), *library = given_level(given, "library");
    if (!name)
        return fl_fail(err, -EINVAL, "factor 'kernel' is missing: %s", fl_factor_kernel.summary);
    int rc = fl_factor_check(&fl_factor_kernel, name, err);
    if (!rc && library)
        rc = fl_factor_check(&fl_factor_library, library, err);
    if (rc)
        return rc;
    *kernel = fl_registry_kernel(name, library ? library : FL_OWN_LIBRARY);
    if (!*kernel)
        return fl_fail(err, -EINVAL, "kernel '%s' cannot be called from library '%s'", name,
                       library);
    bool shared = library && strcmp(library, FL_OWN_LIBRARY) != 0;
    if (((*kernel)->uses & FL_USES_LIBRARY) && !shared)
        return fl_fail(err, -EINVAL,
                       "kernel '%s' needs the factor 'library': an alias such as openblas", name);
    return 0;
}

int fl_cell_resolve(struct fl_cell *cell, const char *const *factors, const char *const *levels,
                    size_t count, struct fl_err *err)
{
    struct given given = {factors, levels, count};
    const struct fl_kernel_ops *kernel = NULL;
    fl_cell_clear(cell);
    int rc = check_names(&given, err);
    if (!rc)
        rc = find_kernel(&given, &kernel, err);
    if (!rc)
        rc = take(cell, &given, &fl_factor_kernel, err);
    if (!rc)
        rc = take(cell, &given, &fl_factor_library, err);
    if (!rc)
        rc = take_all(cell, &given, kernel->factors, err);
    if (!rc && (kernel->uses & FL_USES_TEAM))
        rc = take_team(cell, &given, err);
    if (!rc)
        rc = take_runtime(cell, &given, kernel, err);
    if (!rc && (kernel->uses & FL_USES_WORKSPACE))
        rc = take(cell, &given, &fl_factor_workspace, err);
    if (!rc)
        rc = take(cell, &given, &fl_factor_malloc, err);
    if (!rc)
        rc = take_all(cell, &given, fl_process_factors, err);
    return rc;
}

int fl_cell_parse(struct fl_cell *cell, const char *text, struct fl_err *err)
{
    char names[FL_CELL_LEVELS][64], store[FL_CELL_KEY_MAX];
    const char *factors[FL_CELL_LEVELS], *levels[FL_CELL_LEVELS];
    size_t count = 0, used = 0;
    for (;;) {
        char level[FL_LEVEL_MAX];
        if (count == FL_CELL_LEVELS)
            return fl_fail(err, -EINVAL, "a cell has more than %d factors", FL_CELL_LEVELS);
        int rc = fl_cell_split(&text, names[count], sizeof names[count], level, sizeof level, err);
        if (rc < 0)
            return rc;
        if (!rc)
            break;
        size_t bytes = strlen(level) + 1;
        if (bytes > sizeof store - used)
            return fl_fail(err, -EINVAL, "a cell is longer than %d bytes", FL_CELL_KEY_MAX);
        memcpy(store + used, level, bytes);
        factors[count] = names[count];
        levels[count++] = store + used;
        used += bytes;
    }
    return fl_cell_resolve(cell, factors, levels, count, err);
}
