/* SPDX-License-Identifier: Apache-2.0 */
/* faultline export: a run as CSV, JSON or Google Benchmark's JSON on stdout. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "results/export.h"

struct export_options {
    const char *store, *run, *format;
};

static int export_csv(struct fl_store *store, int64_t run, struct fl_err *err)
{
    struct fl_summary summary;
    int rc = fl_summary_read(store, run, &summary, err);
    if (rc)
        return rc;
    rc = fl_export_csv(&summary, stdout, err);
    fl_summary_release(&summary);
    return rc;
}

static int export_run(struct fl_store *store, const struct export_options *options,
                      struct fl_err *err)
{
    int64_t run;
    int rc = fl_store_find_run(store, options->run, &run, err);
    if (rc)
        return rc;
    if (!strcmp(options->format, "csv"))
        rc = export_csv(store, run, err);
    else if (!strcmp(options->format, "gbench"))
        rc = fl_export_gbench(store, run, stdout, err);
    else
        rc = fl_export_json(store, run, stdout, err);
    return rc ? rc : fl_export_flush(stdout, err);
}

static bool is_format(const char *format)
{
    return !strcmp(format, "csv") || !strcmp(format, "json") || !strcmp(format, "gbench");
}

static int run(const struct fl_command *command, int argc, char **argv)
{
    struct export_options options = {FL_STORE_DEFAULT, "latest", "csv"};
    const struct fl_option table[] = {
        {"store", "FILE", "store to read (faultline.db)", FL_OPTION_TEXT, &options.store},
        {"run", "ID|latest", "which run: an id, a label or latest (latest)", FL_OPTION_TEXT,
         &options.run},
        {"format", "csv|json|gbench",
         "csv: one row a cell; json: every sample; gbench: as Google Benchmark writes it (csv)",
         FL_OPTION_TEXT, &options.format},
        {.name = NULL},
    };
    struct fl_err err = {.text = ""};
    struct fl_store *store;
    int first, rc = fl_options_parse(command, table, argc, argv, &first);
    if (rc)
        return rc < 0 ? FL_EXIT_FAILURE : fl_finish_stdout();
    rc = fl_no_arguments(command, argc, argv, first, &err);
    if (!rc && !is_format(options.format))
        rc = fl_fail(&err, -EINVAL, "--format '%.40s' is unknown: csv, json or gbench",
                     options.format);
    if (!rc)
        rc = fl_store_open(options.store, FL_STORE_READ, &store, &err);
    if (rc)
        return fl_complain(&err);
    rc = export_run(store, &options, &err);
    fl_store_close(store);
    return rc ? fl_complain(&err) : FL_EXIT_OK;
}

const struct fl_command fl_command_export = {
    .name = "export",
    .summary = "write a run as CSV or JSON",
    .arguments = "",
    .details =
        "CSV has a column per factor, then NAME (median), NAME.min, NAME.max and NAME.count\n"
        "per metric, then status and reason. Metrics are per call, times in ns.\n",
    .run = run,
};
