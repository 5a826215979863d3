/* SPDX-License-Identifier: Apache-2.0 */
/* faultline doctor: what this machine can and cannot measure, and what to do about it. */
#include <errno.h>
#include <stdio.h>

#include "command.h"
#include "install-paths.h"
#include "machine/doctor.h"
#include "runner/plugins.h"
#include "terminal.h"

/* What became of each plug-in that was named. */
struct tried {
    struct fl_part_state states[FL_PLUGINS_MAX + 1]; /* ended by a row without a name */
    struct fl_err reasons[FL_PLUGINS_MAX];
};

static int try_plugins(const struct fl_texts *paths, struct tried *tried, struct fl_err *err)
{
    if (paths->count > FL_PLUGINS_MAX)
        return fl_fail(err, -E2BIG, "more than %d plug-ins", FL_PLUGINS_MAX);
    for (size_t i = 0; i < paths->count; i++) {
        int rc = fl_plugins_use(&paths->items[i], 1, &tried->reasons[i]);
        tried->states[i] =
            (struct fl_part_state){paths->items[i], rc ? tried->reasons[i].text : NULL};
    }
    return 0;
}

static int run(const struct fl_command *command, int argc, char **argv)
{
    struct fl_texts plugins = {.count = 0};
    struct tried tried = {.states = {{.name = NULL}}};
    const struct fl_option table[] = {
        {"plugin", "FILE", "shared library with kernels of yours to try; may be repeated",
         FL_OPTION_TEXTS, &plugins},
        {.name = NULL},
    };
    struct fl_install_paths paths;
    struct fl_checks checks = {.count = 0};
    struct fl_err err = {.text = ""};
    int first, rc = fl_options_parse(command, table, argc, argv, &first);
    if (rc)
        return rc < 0 ? FL_EXIT_FAILURE : fl_finish_stdout();
    rc = fl_no_arguments(command, argc, argv, first, &err);
    if (!rc)
        rc = fl_install_paths_find(&paths, &err);
    if (!rc)
        rc = try_plugins(&plugins, &tried, &err);
    if (!rc)
        rc = fl_doctor_run(paths.probe[0] ? paths.probe : NULL, plugins.count ? tried.states : NULL,
                           &checks, &err);
    if (rc)
        return fl_complain(&err);
    fl_doctor_print(&checks, stdout, fl_terminal_width());
    fl_checks_release(&checks);
    return fl_finish_stdout();
}

const struct fl_command fl_command_doctor = {
    .name = "doctor",
    .summary = "say what this machine can and cannot measure, and what to do about it",
    .arguments = "",
    .run = run,
};
