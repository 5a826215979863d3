/* SPDX-License-Identifier: Apache-2.0 */
/* faultline gate: pass or not, for a CI. */
#include "gating.h"

static int run(const struct fl_command *command, int argc, char **argv)
{
    struct fl_gating gating = {.store = NULL};
    struct fl_option table[FL_GATING_OPTIONS + 2] = {{.name = NULL}};
    struct fl_err err = {.text = ""};
    int first;
    fl_gating_options(&gating, table);
    table[FL_GATING_OPTIONS] =
        (struct fl_option){"baseline", "RUN|FILE.ini",
                           "judge against this run or these counts (the other side of an A/B run)",
                           FL_OPTION_TEXT, &gating.baseline};
    int rc = fl_options_parse(command, table, argc, argv, &first);
    if (rc)
        return rc < 0 ? FL_EXIT_FAILURE : fl_finish_stdout();
    if (fl_no_arguments(command, argc, argv, first, &err))
        return fl_complain(&err);
    return fl_gating_run(&gating);
}

const struct fl_command fl_command_gate = {
    .name = "gate",
    .summary = "say whether something got worse, by exit code and reports",
    .arguments = "",
    .details =
        "Judges the last A/B run, or with --run another one. Exit codes, the first that\n"
        "applies: 2 usage or failure, 1 something got worse, 5 a cell of the head failed or\n"
        "is missing, 3 not all is decided (with --on-inconclusive fail), 4 nothing is\n"
        "comparable, 0 pass.\n",
    .run = run,
};
