/* SPDX-License-Identifier: Apache-2.0 */
/* faultline ratio: levels of a factor against one of them, paired by rounds. */
#include <errno.h>

#include "command.h"
#include "results/ratios.h"
#include "terminal.h"

struct ratio_options {
    const char *store, *run;
    struct fl_ratio_options chosen;
};

static int read_run(const struct ratio_options *options, struct fl_ratios *out, struct fl_err *err)
{
    struct fl_store *store;
    int64_t run;
    int rc = fl_store_open(options->store, FL_STORE_READ, &store, err);
    if (rc)
        return rc;
    rc = fl_store_find_run(store, options->run, &run, err);
    if (!rc)
        rc = fl_ratios_read(store, run, &options->chosen, out, err);
    fl_store_close(store);
    return rc;
}

static int check(const struct ratio_options *options, struct fl_err *err)
{
    if (options->chosen.by && options->chosen.base)
        return 0;
    return fl_fail(err, -EINVAL,
                   "ratio needs --by FACTOR and --base LEVEL, such as --by malloc --base glibc");
}

static int run(const struct fl_command *command, int argc, char **argv)
{
    struct ratio_options options = {
        .store = FL_STORE_DEFAULT, .run = "latest", .chosen = {.metric = "time"}};
    const struct fl_option table[] = {
        {"store", "FILE", "store to read (faultline.db)", FL_OPTION_TEXT, &options.store},
        {"run", "ID|latest", "which run: an id, a label or latest (latest)", FL_OPTION_TEXT,
         &options.run},
        {"by", "FACTOR,...", "factor whose levels are compared, or several that change together",
         FL_OPTION_TEXT, &options.chosen.by},
        {"base", "LEVEL,...", "what the others are compared with, a level for each factor",
         FL_OPTION_TEXT, &options.chosen.base},
        {"metric", "NAME", "what timed samples measured (time)", FL_OPTION_TEXT,
         &options.chosen.metric},
        {.name = NULL},
    };
    struct fl_err err = {.text = ""};
    struct fl_ratios ratios;
    int first, rc = fl_options_parse(command, table, argc, argv, &first);
    if (rc)
        return rc < 0 ? FL_EXIT_FAILURE : fl_finish_stdout();
    rc = fl_no_arguments(command, argc, argv, first, &err);
    if (!rc)
        rc = check(&options, &err);
    if (!rc)
        rc = read_run(&options, &ratios, &err);
    if (rc)
        return fl_complain(&err);
    rc = fl_ratios_print(&ratios, fl_terminal_width(), fl_terminal_colour(), stdout, &err);
    fl_ratios_release(&ratios);
    return rc ? fl_complain(&err) : FL_EXIT_OK;
}

const struct fl_command fl_command_ratio = {
    .name = "ratio",
    .summary = "compare the levels of a factor, round by round",
    .arguments = "",
    .details =
        "Cells that differ in nothing else make a group, sorted with its best, marked `*`, ahead.\n"
        "A ratio is the median over rounds of level / base, with a 95 % bootstrap interval over\n"
        "rounds, which is for reading: it decides nothing. A cell without the factor has level "
        "`-`.\n",
    .run = run,
};
