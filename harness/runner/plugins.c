/* SPDX-License-Identifier: Apache-2.0 */
/* Loading plug-ins for the command line, and naming them to workers. */
#include "runner/plugins.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/history.h"
#include "faultline/registry.h"

static void probe_kernels(const struct fl_plugin_file *file, struct fl_rehearsal *rehearsal)
{
    for (const struct fl_kernel_ops *const *k = file->plugin->kernels; *k; k++) {
        struct fl_err ignored; /* a reason to be told where the kernel is asked for */
        snprintf(rehearsal->stage, sizeof rehearsal->stage, "in probe() of kernel '%s'",
                 (*k)->part.name);
        (void)!fl_part_probe(&(*k)->part, &ignored);
    }
}

/* In the child: everything that this process will have called of it. */
static int try_plugin(void *arg, struct fl_rehearsal *rehearsal, struct fl_err *err)
{
    struct fl_plugin_file file;
    const char *path = arg;
    snprintf(rehearsal->stage, sizeof rehearsal->stage, "while it is loaded, in its constructors");
    int rc = fl_plugin_file_open(&file, path, err);
    if (rc)
        return rc;
    snprintf(rehearsal->stage, sizeof rehearsal->stage, "while its kernels' tables are read");
    rc = fl_registry_add_plugin(path, err);
    if (rc)
        return rc;
    probe_kernels(&file, rehearsal);
    snprintf(rehearsal->stage, sizeof rehearsal->stage, "while it is unloaded, in its destructors");
    struct fl_plugin_file added = *fl_registry_plugin_of(file.plugin->kernels[0]);
    fl_plugin_file_close(&added);
    fl_plugin_file_close(&file);
    return 0;
}

static bool is_used(const char *path)
{
    char whole[PATH_MAX];
    const struct fl_plugin_file *file;
    if (!realpath(path, whole))
        return false;
    for (size_t i = 0; (file = fl_registry_plugin(i)); i++)
        if (!strcmp(file->path, whole))
            return true;
    return false;
}

static int use(const char *path, struct fl_err *err)
{
    if (is_used(path))
        return 0;
    int rc = fl_rehearse(try_plugin, (void *)(uintptr_t)path, FL_REHEARSAL_SECONDS, err);
    if (rc == -EIO)
        return fl_fail_within(err, rc, "cannot load plug-in '%.200s'", path);
    return rc ? rc : fl_registry_add_plugin(path, err);
}

int fl_plugins_use(const char *const *paths, size_t count, struct fl_err *err)
{
    int rc = 0;
    for (size_t i = 0; i < count && !rc; i++)
        rc = use(paths[i], err);
    return rc;
}

int fl_plugins_rehearse(fl_rehearsal_fn body, void *arg, struct fl_err *err)
{
    if (!fl_registry_plugin(0))
        return 0;
    int rc = fl_rehearse(body, arg, FL_PLANNING_SECONDS, err);
    return rc == -EIO ? fl_fail_within(err, rc, "cannot plan with the plug-in") : rc;
}

/* ---- on sides ---- */

/* In the child: what it says is the name of the first kernel. */
static int name_kernel(void *arg, struct fl_rehearsal *rehearsal, struct fl_err *err)
{
    struct fl_plugin_file file;
    snprintf(rehearsal->stage, sizeof rehearsal->stage, "while it is loaded, in its constructors");
    int rc = fl_plugin_file_open(&file, arg, err);
    if (rc)
        return rc;
    const struct fl_kernel_ops *const *kernels = file.plugin->kernels;
    return fl_fail(err, 0, "%s", kernels && kernels[0] ? kernels[0]->part.name : "");
}

int fl_plugins_find_loaded(const char *path, const struct fl_plugin_file **loaded,
                           struct fl_err *err)
{
    struct fl_err said = {.text = ""};
    int rc = fl_rehearse(name_kernel, (void *)(uintptr_t)path, FL_REHEARSAL_SECONDS, &said);
    *loaded = NULL;
    if (rc) {
        *err = said;
        return rc == -EIO ? fl_fail_within(err, rc, "cannot load plug-in '%.200s'", path) : rc;
    }
    const struct fl_kernel_ops *ops = fl_registry_kernel(said.text, FL_OWN_LIBRARY);
    *loaded = ops ? fl_registry_plugin_of(ops) : NULL;
    return 0;
}

int fl_plugins_use_variant(const char *path, struct fl_err *err)
{
    const struct fl_plugin_file *loaded;
    int rc = fl_plugins_find_loaded(path, &loaded, err);
    return rc || loaded ? rc : use(path, err);
}

/* ---- for workers ---- */

/* The file that the scenario has for the plug-in of a kernel; NULL: the kernel is built in. */
static const char *file_of(const struct fl_scenario *scenario, const char *kernel)
{
    const struct fl_kernel_ops *ops = fl_registry_kernel(kernel, FL_OWN_LIBRARY);
    const struct fl_plugin_file *file = ops ? fl_registry_plugin_of(ops) : NULL;
    if (!file)
        return NULL;
    return fl_scenario_plugin(scenario, file->path);
}

static size_t add_path(const char *path, const char *paths[FL_PLUGINS_MAX], size_t count)
{
    for (size_t i = 0; path && i < count; i++)
        if (!strcmp(paths[i], path))
            return count;
    if (path && count < FL_PLUGINS_MAX)
        paths[count++] = path;
    return count;
}

const char *fl_plugins_origin(const struct fl_scenario *scenario, const struct fl_cell *cell)
{
    const struct fl_kernel_ops *ops =
        fl_registry_kernel(fl_cell_get(cell, "kernel"), fl_cell_get(cell, "library"));
    const struct fl_plugin_file *file = ops ? fl_registry_plugin_of(ops) : NULL;
    return file ? fl_scenario_plugin_origin(scenario, file->path) : NULL;
}

size_t fl_plugins_of_cell(const struct fl_scenario *scenario, const struct fl_cell *cell,
                          const char *paths[FL_PLUGINS_MAX])
{
    struct fl_history history;
    size_t count = add_path(file_of(scenario, fl_cell_get(cell, "kernel")), paths, 0);
    if (fl_history_parse(fl_cell_get(cell, "history"), &history, NULL))
        return count;
    for (size_t i = 0; i < history.count; i++)
        count = add_path(file_of(scenario, history.steps[i].kernel), paths, count);
    return count;
}
