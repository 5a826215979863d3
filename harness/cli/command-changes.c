/* SPDX-License-Identifier: Apache-2.0 */
/* faultline changes: where cells changed for good, and what else changed there. */
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
    if (argc - first <= 1)
        return fl_history_show(&choice, argc - first == 1 ? argv[first] : NULL, false);
    fl_fail(&err, -EINVAL,
            "changes takes one selector at most, such as 'kernel=dgemm n=192', in one argument");
    return fl_complain(&err);
}

const struct fl_command fl_command_changes = {
    .name = "changes",
    .summary = "find where cells changed for good over revisions and runs",
    .arguments = "[SELECTOR]",
    .details =
        "A line a change: GOOD..BAD, size with 95 % interval, scenario, cell; then what else was\n"
        "recorded differently there. scripts/bisect-regression takes such a line. A change needs\n"
        "three points after it, and 16 in all.\n",
    .run = run,
};
