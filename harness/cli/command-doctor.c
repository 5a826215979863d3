/* SPDX-License-Identifier: Apache-2.0 */
/* faultline doctor: what this machine can and cannot measure, and what to do about it. */
#include <stdio.h>

#include "command.h"
#include "install-paths.h"
#include "machine/doctor.h"
#include "terminal.h"

static int run(const struct fl_command *command, int argc, char **argv)
{
    const struct fl_option table[] = {{.name = NULL}};
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
        rc = fl_doctor_run(paths.probe[0] ? paths.probe : NULL, &checks, &err);
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
