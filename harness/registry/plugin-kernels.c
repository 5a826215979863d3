/* SPDX-License-Identifier: Apache-2.0 */
/* The list of kernels: those that were built in, then those of plug-ins. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/registry.h"
#include "harness-factors.h"
#include "registry-check.h"

enum { KERNELS_MAX = 255, PLUGINS_MAX = 8, FACTORS_MAX = 16, NAME_MAX_BYTES = 31 };

#define STATE_MAX ((size_t)64 << 20)

extern const struct fl_kernel_ops *const fl_kernel_table[]; /* generated */

/* Tables are constant but for this: a plug-in is known at run time only. Changed before there are
 * threads; `from[i]` is the plug-in of all[i]. */
static const struct fl_kernel_ops *all[KERNELS_MAX + 1];
static const struct fl_plugin_file *from[KERNELS_MAX];
static struct fl_plugin_file plugins[PLUGINS_MAX];
static size_t plugin_count;

const struct fl_kernel_ops *const *fl_registry_kernels(void)
{
    return plugin_count ? all : fl_kernel_table;
}

const struct fl_plugin_file *fl_registry_plugin(size_t index)
{
    return index < plugin_count ? &plugins[index] : NULL;
}

const struct fl_plugin_file *fl_registry_plugin_of(const struct fl_kernel_ops *kernel)
{
    for (size_t i = 0; plugin_count && all[i]; i++)
        if (all[i] == kernel)
            return from[i];
    return NULL;
}

/* ---- what a plug-in may bring ---- */

static bool is_plain(const char *name, size_t max)
{
    size_t length = strlen(name);
    return length && length <= max && (*name < '0' || *name > '9') && *name != '-' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") ==
               length;
}

static bool is_harness_factor(const char *name)
{
    static const struct fl_factor *const single[] = {&fl_factor_kernel,          &fl_factor_library,
                                                     &fl_factor_workspace,       &fl_factor_malloc,
                                                     &fl_factor_library_threads, NULL};
    const struct fl_factor *const *const lists[] = {single, fl_team_factors, fl_openmp_factors,
                                                    fl_process_factors};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct fl_factor *const *f = lists[i]; *f; f++)
            if (!strcmp((*f)->name, name))
                return true;
    return false;
}

static int check_factors(const struct fl_kernel_ops *kernel, struct fl_err *err)
{
    size_t count = 0;
    for (const struct fl_factor *const *f = kernel->factors; f && *f; f++) {
        if (++count > FACTORS_MAX)
            return fl_fail(err, -EINVAL, "more than %d factors, or their list does not end in NULL",
                           FACTORS_MAX);
        if (!is_plain((*f)->name, NAME_MAX_BYTES))
            return fl_fail(err, -EINVAL,
                           "'%.80s' is no name of a factor: letters, digits, '-', '_' and '.'",
                           (*f)->name);
        if (is_harness_factor((*f)->name))
            return fl_fail(err, -EINVAL,
                           "'%s' is a factor of faultline's own: name yours otherwise", (*f)->name);
        for (const struct fl_factor *const *g = kernel->factors; g != f; g++)
            if (!strcmp((*g)->name, (*f)->name))
                return fl_fail(err, -EINVAL, "it has two factors '%s'", (*f)->name);
    }
    return 0;
}

static int check_plain(const struct fl_kernel_ops *kernel, struct fl_err *err)
{
    const unsigned known = FL_USES_WORKSPACE | FL_USES_TEAM | FL_MAKES_TOKENS;
    if (!is_plain(kernel->part.name, NAME_MAX_BYTES))
        return fl_fail(err, -EINVAL,
                       "'%.80s' is no name of a kernel: up to %d letters, digits, '-', '_' and '.'",
                       kernel->part.name, NAME_MAX_BYTES);
    if ((kernel->uses & FL_USES_LIBRARY) || kernel->symbols)
        return fl_fail(err, -EINVAL,
                       "kernel '%s' has FL_USES_LIBRARY, which only faultline's own can: link the "
                       "plug-in with the library instead",
                       kernel->part.name);
    if (kernel->uses & ~known)
        return fl_fail(err, -EINVAL, "kernel '%s' uses what this faultline does not know (%#x)",
                       kernel->part.name, kernel->uses & ~known);
    if (kernel->part.state_size > STATE_MAX)
        return fl_fail(err, -EINVAL,
                       "kernel '%s' wants a state of %zu bytes: take such from the "
                       "arena in open()",
                       kernel->part.name, kernel->part.state_size);
    int rc = check_factors(kernel, err);
    return rc ? fl_fail_within(err, rc, "kernel '%s'", kernel->part.name) : 0;
}

static int check_name(const struct fl_kernel_ops *kernel, struct fl_err *err)
{
    for (const struct fl_kernel_ops *const *k = fl_registry_kernels(); *k; k++) {
        if (strcmp((*k)->part.name, kernel->part.name) != 0)
            continue;
        const struct fl_plugin_file *other = fl_registry_plugin_of(*k);
        return fl_fail(err, -EEXIST, "%s%s%s has a kernel '%s' already: give yours another name",
                       other ? "'" : "", other ? other->path : "faultline", other ? "'" : "",
                       kernel->part.name);
    }
    return 0;
}

static size_t kernel_count(void)
{
    const struct fl_kernel_ops *const *k = fl_registry_kernels();
    size_t count = 0;
    while (k[count])
        count++;
    return count;
}

static int check_kernels(const struct fl_plugin *plugin, struct fl_err *err)
{
    int rc = 0;
    size_t count = 0;
    if (!plugin->kernels || !plugin->kernels[0])
        return fl_fail(err, -EINVAL, "it has no kernel: name one in its FL_PLUGIN() line");
    for (const struct fl_kernel_ops *const *k = plugin->kernels; *k && !rc; k++) {
        if (++count > FL_PLUGIN_KERNELS_MAX)
            return fl_fail(err, -EINVAL, "more than %d kernels, or their list does not end in NULL",
                           FL_PLUGIN_KERNELS_MAX);
        rc = fl_registry_check_kernel(*k, err);
        if (!rc)
            rc = check_plain(*k, err);
        if (!rc)
            rc = check_name(*k, err);
        for (size_t i = 0; !rc && i + 1 < count; i++)
            if (!strcmp(plugin->kernels[i]->part.name, (*k)->part.name))
                rc = fl_fail(err, -EEXIST, "it has two kernels '%s'", (*k)->part.name);
    }
    if (!rc && count + kernel_count() > KERNELS_MAX)
        rc = fl_fail(err, -E2BIG, "more than %d kernels in all", KERNELS_MAX);
    return rc ? rc : fl_factor_list_add(plugin->kernels, err);
}

/* ---- adding it ---- */

static void append(const struct fl_plugin_file *file)
{
    size_t count = kernel_count();
    for (size_t i = 0; !plugin_count && i < count; i++)
        all[i] = fl_kernel_table[i];
    for (const struct fl_kernel_ops *const *k = file->plugin->kernels; *k; k++) {
        from[count] = file;
        all[count++] = *k;
    }
    plugin_count++;
}

int fl_registry_add_plugin(const char *path, struct fl_err *err)
{
    if (plugin_count == PLUGINS_MAX)
        return fl_fail(err, -E2BIG, "more than %d plug-ins", PLUGINS_MAX);
    struct fl_plugin_file *file = &plugins[plugin_count];
    int rc = fl_plugin_file_open(file, path, err);
    if (rc)
        return rc;
    rc = check_kernels(file->plugin, err);
    if (rc) {
        fl_plugin_file_close(file);
        return fl_fail_within(err, rc, "cannot use plug-in '%.200s'", path);
    }
    append(file);
    return 0;
}
