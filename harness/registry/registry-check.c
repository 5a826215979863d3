/* SPDX-License-Identifier: Apache-2.0 */
/* One validator for every table of every part, run at start and by a test. */
#include <errno.h>
#include <string.h>

#include "faultline/registry.h"
#include "registry-check.h"

static int check_factors(const struct fl_kernel_ops *kernel, struct fl_err *err)
{
    for (const struct fl_factor *const *f = kernel->factors; f && *f; f++) {
        if (!(*f)->name || !(*f)->summary)
            return fl_fail(err, -EINVAL, "kernel '%s' has a factor without name or summary",
                           kernel->part.name);
        if ((*f)->fallback && fl_factor_check(*f, (*f)->fallback, err))
            return fl_fail_within(err, -EINVAL, "kernel '%s', fallback", kernel->part.name);
    }
    return 0;
}

int fl_registry_check_kernel(const struct fl_kernel_ops *kernel, struct fl_err *err)
{
    int rc = fl_part_check(&kernel->part, err);
    if (rc)
        return rc;
    const struct {
        const char *name;
        bool missing;
    } slots[] = {
        {"cost", !kernel->cost},
        {"open", !kernel->open},
        {"run", !kernel->run},
        {"check", !kernel->check},
        {"close", !kernel->close},
        {"requests", (kernel->uses & FL_USES_WORKSPACE) && !kernel->requests},
        {"symbols", (kernel->uses & FL_USES_LIBRARY) && !kernel->symbols},
    };
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        if (slots[i].missing)
            return fl_fail(err, -EINVAL, "kernel '%s' lacks a required slot: %s", kernel->part.name,
                           slots[i].name);
    return check_factors(kernel, err);
}

static int check_workspace(const struct fl_workspace_ops *ops, struct fl_err *err)
{
    int rc = fl_part_check(&ops->part, err);
    if (!rc && !(ops->open && ops->with && ops->held && ops->close))
        rc = fl_fail(err, -EINVAL, "workspace '%s' lacks a required slot", ops->part.name);
    return rc;
}

static int check_counter(const struct fl_counter_ops *ops, struct fl_err *err)
{
    int rc = fl_part_check(&ops->part, err);
    bool slots = ops->open && ops->start && ops->stop && ops->read && ops->close;
    if (!rc && (!slots || (!ops->metrics && !ops->dynamic)))
        rc = fl_fail(err, -EINVAL, "counter '%s' lacks a required slot", ops->part.name);
    return rc;
}

static int check_barrier(const struct fl_barrier_ops *ops, struct fl_err *err)
{
    int rc = fl_part_check(&ops->part, err);
    if (!rc && !(ops->open && ops->arrive))
        rc = fl_fail(err, -EINVAL, "barrier '%s' lacks a required slot", ops->part.name);
    return rc;
}

static int check_wait(const struct fl_wait_ops *ops, struct fl_err *err)
{
    int rc = fl_part_check(&ops->part, err);
    if (!rc && !ops->until != ops->runtime)
        rc = fl_fail(err, -EINVAL, "wait policy '%s' lacks a required slot", ops->part.name);
    return rc;
}

static int check_team(const struct fl_team_ops *ops, struct fl_err *err)
{
    int rc = fl_part_check(&ops->part, err);
    if (!rc && !(ops->open && ops->run && ops->close))
        rc = fl_fail(err, -EINVAL, "team '%s' lacks a required slot", ops->part.name);
    return rc;
}

/* Every part has its struct fl_part first, so one loop can compare names of any kind. */
static int check_unique(const void *const *parts, struct fl_err *err)
{
    for (size_t i = 0; parts[i]; i++)
        for (size_t j = 0; j < i; j++)
            if (!strcmp(((const struct fl_part *)parts[i])->name,
                        ((const struct fl_part *)parts[j])->name))
                return fl_fail(err, -EINVAL, "two parts are named '%s'",
                               ((const struct fl_part *)parts[i])->name);
    return 0;
}

int fl_registry_check(struct fl_err *err)
{
    int rc = 0;
    for (const struct fl_kernel_ops *const *k = fl_registry_kernels(); *k && !rc; k++)
        rc = fl_registry_check_kernel(*k, err);
    for (const struct fl_workspace_ops *const *w = fl_registry_workspaces(); *w && !rc; w++)
        rc = check_workspace(*w, err);
    for (const struct fl_counter_ops *const *c = fl_registry_counters(); *c && !rc; c++)
        rc = check_counter(*c, err);
    for (const struct fl_barrier_ops *const *b = fl_registry_barriers(); *b && !rc; b++)
        rc = check_barrier(*b, err);
    for (const struct fl_wait_ops *const *w = fl_registry_waits(); *w && !rc; w++)
        rc = check_wait(*w, err);
    for (const struct fl_team_ops *const *t = fl_registry_teams(); *t && !rc; t++)
        rc = check_team(*t, err);
    if (!rc)
        rc = check_unique((const void *const *)fl_registry_kernels(), err);
    if (!rc)
        rc = check_unique((const void *const *)fl_registry_workspaces(), err);
    if (!rc)
        rc = check_unique((const void *const *)fl_registry_counters(), err);
    if (!rc)
        rc = check_unique((const void *const *)fl_registry_barriers(), err);
    if (!rc)
        rc = check_unique((const void *const *)fl_registry_waits(), err);
    if (!rc)
        rc = check_unique((const void *const *)fl_registry_teams(), err);
    return rc;
}
