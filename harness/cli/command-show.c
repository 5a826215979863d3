/* SPDX-License-Identifier: Apache-2.0 */
/* faultline show: a run as a table in the terminal. */
#include <stdio.h>

#include "command.h"
#include "crossover-section.h"
#include "results/export.h"
#include "results/show.h"
#include "terminal.h"

struct show_options {
    const char *store, *run;
    bool runs, expectations;
    struct fl_show_options table;
};

static int show_run(struct fl_store *store, const struct show_options *options, struct fl_err *err)
{
    struct fl_scenario_crossover section;
    struct fl_summary summary;
    struct fl_err
        ignored; /* a scenario that cannot be read here leaves its order as it was planned */
    int64_t run;
    int rc = fl_store_find_run(store, options->run, &run, err);
    if (!rc)
        rc = fl_summary_read(store, run, &summary, err);
    if (rc)
        return rc;
    struct fl_show_options table = options->table;
    if (!fl_crossover_section_read(store, run, &section, &ignored) && section.search[0])
        table.searched = section.search;
    rc = fl_show_run(&summary, &table, stdout, err);
    fl_summary_release(&summary);
    return rc ? rc : fl_show_expectations(store, run, options->expectations, stdout, err);
}

static int run(const struct fl_command *command, int argc, char **argv)
{
    struct show_options options = {.store = FL_STORE_DEFAULT, .run = "latest"};
    const struct fl_option table[] = {
        {"store", "FILE", "store to read (faultline.db)", FL_OPTION_TEXT, &options.store},
        {"run", "ID|latest", "which run: an id, a label or latest (latest)", FL_OPTION_TEXT,
         &options.run},
        {"runs", NULL, "the runs of the store instead of one run", FL_OPTION_FLAG, &options.runs},
        {"rows", "FACTORS", "factors whose levels are rows, comma separated", FL_OPTION_TEXT,
         &options.table.rows},
        {"columns", "FACTOR", "factor whose levels are columns, or metrics", FL_OPTION_TEXT,
         &options.table.columns},
        {"metrics", "LIST", "metrics to show, comma separated", FL_OPTION_TEXT,
         &options.table.metrics},
        {"expectations", NULL, "every expectation and published figure, not only those broken",
         FL_OPTION_FLAG, &options.expectations},
        {.name = NULL},
    };
    struct fl_err err = {.text = ""};
    struct fl_store *store;
    int first, rc = fl_options_parse(command, table, argc, argv, &first);
    if (rc)
        return rc < 0 ? FL_EXIT_FAILURE : fl_finish_stdout();
    options.table.width = fl_terminal_width();
    options.table.colour = fl_terminal_colour();
    rc = fl_no_arguments(command, argc, argv, first, &err);
    if (!rc)
        rc = fl_store_open(options.store, FL_STORE_READ, &store, &err);
    if (rc)
        return fl_complain(&err);
    rc = options.runs ? fl_show_runs(store, stdout, &err) : show_run(store, &options, &err);
    if (!rc)
        rc = fl_export_flush(stdout, &err);
    fl_store_close(store);
    return rc ? fl_complain(&err) : FL_EXIT_OK;
}

const struct fl_command fl_command_show = {
    .name = "show",
    .summary = "show a run as a table",
    .arguments = "",
    .details = "A `*` marks the best of a row. Numbers are medians over samples, per call;\n"
               "`faultline export` has the spread, `--format json` every sample.\n",
    .run = run,
};
