/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plug-in file: a shared library with kernels, loaded into this process. For the programs; a
 * plug-in itself needs faultline/plugin.h only.
 */
#ifndef FAULTLINE_PLUGIN_FILE_H
#define FAULTLINE_PLUGIN_FILE_H

#include <limits.h>

#include "faultline/library.h"
#include "faultline/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fl_plugin_file {
    char path[PATH_MAX];            /* absolute */
    char build_id[FL_BUILD_ID_MAX]; /* "" where the linker wrote none */
    void *handle;
    const struct fl_plugin *plugin;
};

/*
 * Loads it and looks at its symbol; what its constructors print goes to stderr. -ENOENT, -EACCES,
 * ...: the file cannot be read; -ENOEXEC: no shared library for this processor, something it needs
 * is missing, or it is no plug-in; -EPROTO: built against another faultline. The reason names the
 * file and the cure. Runs code of the file: it may not come back.
 */
int fl_plugin_file_open(struct fl_plugin_file *file, const char *path,
                        struct fl_err *err) FL_MUST_CHECK;
void fl_plugin_file_close(struct fl_plugin_file *file);

#ifdef __cplusplus
}
#endif

#endif
