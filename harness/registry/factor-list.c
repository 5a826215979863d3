/* SPDX-License-Identifier: Apache-2.0 */
/* The list of every factor some cell can have, gathered once from the kernels' tables. */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "faultline/registry.h"
#include "harness-factors.h"

enum { FACTORS_MAX = 256 };

/* Filled once behind the pthread_once below; constant from then on, but for plug-ins, which are
 * added before there are threads. */
static const struct fl_factor *factors[FACTORS_MAX];
static pthread_once_t gathered = PTHREAD_ONCE_INIT;

static bool known(const char *name, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(factors[i]->name, name))
            return true;
    return false;
}

static size_t count_known(void)
{
    size_t count = 0;
    while (factors[count])
        count++;
    return count;
}

static size_t gather(const struct fl_factor *const *list, size_t count)
{
    for (; list && *list; list++)
        if (count < FACTORS_MAX - 1 && !known((*list)->name, count))
            factors[count++] = *list;
    return count;
}

/* Of the kernels from `first` on: called again when a plug-in brings some. */
static size_t gather_kernels(const struct fl_kernel_ops *const *first, size_t count)
{
    for (const struct fl_kernel_ops *const *k = first; *k; k++)
        count = gather((*k)->factors, count);
    return count;
}

static void gather_all(void)
{
    const struct fl_factor *const head[] = {&fl_factor_kernel, &fl_factor_library, NULL};
    const struct fl_factor *const memory[] = {&fl_factor_workspace, &fl_factor_malloc, NULL};
    const struct fl_factor *const runtime[] = {&fl_factor_library_threads, NULL};
    size_t count = gather(head, 0);
    count = gather_kernels(fl_registry_kernels(), count);
    count = gather(fl_team_factors, count);
    count = gather(runtime, count);
    count = gather(fl_openmp_factors, count);
    count = gather(memory, count);
    gather(fl_process_factors, count);
}

const struct fl_factor *const *fl_registry_factors(void)
{
    pthread_once(&gathered, gather_all);
    return factors;
}

int fl_factor_list_add(const struct fl_kernel_ops *const *kernels, struct fl_err *err)
{
    pthread_once(&gathered, gather_all);
    size_t count = count_known(), more = 0;
    for (const struct fl_kernel_ops *const *k = kernels; *k; k++)
        for (const struct fl_factor *const *f = (*k)->factors; f && *f; f++)
            more += !known((*f)->name, count);
    if (count + more > FACTORS_MAX - 1)
        return fl_fail(err, -E2BIG, "%zu factors and more: give those that mean the same one name",
                       count);
    gather_kernels(kernels, count);
    return 0;
}

int fl_unknown_factor(const char *name, struct fl_err *err)
{
    const char *names[FACTORS_MAX];
    size_t count = 0;
    for (const struct fl_factor *const *f = fl_registry_factors(); *f; f++)
        names[count++] = (*f)->name;
    names[count] = NULL;
    const char *near = fl_nearest(name, names);
    return fl_fail(err, -EINVAL,
                   "unknown factor '%.80s'%s%s%s; `faultline list factors` has them all", name,
                   near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}

const struct fl_factor *fl_registry_factor(const char *name)
{
    for (const struct fl_factor *const *f = fl_registry_factors(); *f; f++)
        if (!strcmp((*f)->name, name))
            return *f;
    return NULL;
}

int fl_registry_check_level(const char *factor, const char *level, struct fl_err *err)
{
    const struct fl_factor *first = fl_registry_factor(factor);
    if (!first)
        return fl_unknown_factor(factor, err);
    bool others = false;
    struct fl_err why = {.text = ""};
    int rc = fl_factor_check(first, level, &why);
    for (const struct fl_kernel_ops *const *k = fl_registry_kernels(); rc && *k; k++)
        for (const struct fl_factor *const *f = (*k)->factors; rc && f && *f; f++)
            if (*f != first && !strcmp((*f)->name, factor)) {
                others = true;
                rc = fl_factor_check(*f, level, NULL);
            }
    return rc ? fl_fail(err, rc, "%s%s", why.text,
                        others ? "; some kernels take others: `faultline list factors`" : "")
              : 0;
}
