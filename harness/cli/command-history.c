/* SPDX-License-Identifier: Apache-2.0 */
/* faultline history: cells over revisions and runs. */
#include <errno.h>

#include "history-options.h"

static int run(const struct fl_command *command, int argc, char **argv)
{
    struct fl_history_choice choice = {.store = NULL};
    struct fl_err err;
    const struct fl_option table[] = {
        FL_HISTORY_OPTION_ROWS(&choice),
        {.name = NULL},
    };
    int first, rc = fl_options_parse(command, table, argc, argv, &first);
    if (rc)
        return rc < 0 ? FL_EXIT_FAILURE : fl_finish_stdout();
    if (argc - first == 1)
        return fl_history_show(&choice, argv[first], true);
    fl_fail(&err, -EINVAL,
            "history takes the key of a cell, or a selector such as 'kernel=dgemm n=192', in one "
            "argument");
    return fl_complain(&err);
}

const struct fl_command fl_command_history = {
    .name = "history",
    .summary = "show cells over revisions and runs",
    .arguments = "CELL|SELECTOR",
    .details =
        "A run that is the head of an A/B run is shown as the ratio to the base beside it, with\n"
        "a 95 % interval for reading; any other run by its median. Changes are as in `changes`.\n",
    .run = run,
};
