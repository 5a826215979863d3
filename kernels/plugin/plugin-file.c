/* SPDX-License-Identifier: Apache-2.0 */
/* From a path to a plug-in's table. */
#include "faultline/plugin-file.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../foreign/elf-file.h"

static int find(struct fl_plugin_file *file, const char *path, struct fl_err *err)
{
    struct fl_elf_file elf;
    const char *const wanted[] = {FL_PLUGIN_SYMBOL, NULL};
    bool found[1];
    if (!realpath(path, file->path)) /* so that the loader does not search for it */
        return fl_fail(err, -errno, "%s: build it, or mend the path", strerror(errno));
    int rc = fl_elf_read(file->path, wanted, found, &elf, err);
    if (rc) {
        struct fl_err why = *err;
        return fl_fail(err, rc,
                       "%s: name a shared library built for this processor (-shared -fPIC)",
                       why.text);
    }
    snprintf(file->build_id, sizeof file->build_id, "%s", elf.build_id);
    return 0;
}

/* stdout is for data: what constructors print goes to where messages go. */
static void *load(const char *path)
{
    fflush(NULL);
    int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (out >= 0)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    /* Now, so that a function that nobody has is known before anything is measured. */
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    fflush(NULL);
    if (out >= 0) {
        dup2(out, STDOUT_FILENO);
        close(out);
    }
    return handle;
}

static int refuse_load(struct fl_err *err)
{
    const char *why = dlerror();
    const char *cure = strstr(why, "undefined symbol")
                           ? "link it with the library that defines the symbol"
                           : "install what is missing, or say where it is by an rpath or "
                             "LD_LIBRARY_PATH";
    return fl_fail(err, -ENOEXEC, "%s: %s", why, cure);
}

static int check(const struct fl_plugin *plugin, struct fl_err *err)
{
    if (!plugin)
        return fl_fail(
            err, -ENOEXEC,
            "it has no symbol '%s': add one line FL_PLUGIN(&kernel) (faultline/plugin.h)",
            FL_PLUGIN_SYMBOL);
    if (plugin->abi != FL_PART_ABI)
        return fl_fail(err, -EPROTO,
                       "it was built for ABI %u, this faultline has %u: build it against the "
                       "headers of this faultline",
                       plugin->abi, FL_PART_ABI);
    if (plugin->size != sizeof *plugin || plugin->kernel_size != sizeof(struct fl_kernel_ops) ||
        plugin->factor_size != sizeof(struct fl_factor))
        return fl_fail(err, -EPROTO,
                       "its tables have %u, %u and %u bytes, this faultline's %zu, %zu and %zu: "
                       "build it against the headers of this faultline",
                       plugin->size, plugin->kernel_size, plugin->factor_size, sizeof *plugin,
                       sizeof(struct fl_kernel_ops), sizeof(struct fl_factor));
    return 0;
}

int fl_plugin_file_open(struct fl_plugin_file *file, const char *path, struct fl_err *err)
{
    *file = (struct fl_plugin_file){.handle = NULL};
    int rc = find(file, path, err);
    if (!rc && !(file->handle = load(file->path)))
        rc = refuse_load(err);
    if (!rc) {
        file->plugin = dlsym(file->handle, FL_PLUGIN_SYMBOL);
        rc = check(file->plugin, err);
    }
    if (!rc)
        return 0;
    fl_plugin_file_close(file);
    return fl_fail_within(err, rc, "cannot load plug-in '%.200s'", path);
}

void fl_plugin_file_close(struct fl_plugin_file *file)
{
    if (file->handle)
        dlclose(file->handle);
    file->handle = NULL;
}
