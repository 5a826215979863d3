/* SPDX-License-Identifier: Apache-2.0 */
/* faultline scaling: throughput against threads, and the Universal Scalability Law through it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "results/scaling.h"
#include "terminal.h"

struct scaling_options {
    const char *store, *run, *by, *metric, *csv;
    bool rates;
};

static int read_file(const char *path, char *text, size_t room, size_t *size, struct fl_err *err)
{
    FILE *file = fopen(path, "rbe");
    if (!file)
        return fl_fail(err, -errno, "cannot open '%s': %s", path, strerror(errno));
    *size = fread(text, 1, room, file);
    int rc = ferror(file) ? fl_fail(err, -errno, "cannot read '%s': %s", path, strerror(errno)) : 0;
    fclose(file);
    return rc;
}

/* One byte more than is accepted, so that a longer file is refused and not cut. */
static int read_table(const struct scaling_options *options, struct fl_scaling *out,
                      struct fl_err *err)
{
    size_t size = 0, room = FL_SCALING_CSV_MAX + 1;
    char *text = malloc(room);
    if (!text)
        return fl_fail(err, -ENOMEM, "cannot read '%s': out of memory", options->csv);
    int rc = read_file(options->csv, text, room, &size, err);
    if (!rc) {
        rc = fl_scaling_parse(text, size, options->rates, out, err);
        if (rc)
            rc = fl_fail_within(err, rc, "cannot read '%s'", options->csv);
        else
            out->title = options->csv;
    }
    free(text);
    return rc;
}

static int read_run(const struct scaling_options *options, struct fl_scaling *out,
                    struct fl_err *err)
{
    const struct fl_scaling_options chosen = {
        .by = options->by ? options->by : "threads",
        .metric = options->metric ? options->metric : "time",
    };
    struct fl_store *store;
    int64_t run;
    int rc = fl_store_open(options->store ? options->store : FL_STORE_DEFAULT, FL_STORE_READ,
                           &store, err);
    if (rc)
        return rc;
    rc = fl_store_find_run(store, options->run ? options->run : "latest", &run, err);
    if (!rc)
        rc = fl_scaling_read(store, run, &chosen, out, err);
    fl_store_close(store);
    return rc;
}

/* A table has no store, run, factors or metrics; a run says itself which of its metrics are rates.
 */
static int check(const struct scaling_options *options, struct fl_err *err)
{
    if (options->csv && (options->store || options->run || options->by || options->metric))
        return fl_fail(err, -EINVAL,
                       "--csv reads a table: --store, --run, --by and --metric are for runs");
    if (options->rates && !options->csv)
        return fl_fail(err, -EINVAL, "--rates is for --csv; name a rate with --metric");
    return 0;
}

static int run(const struct fl_command *command, int argc, char **argv)
{
    struct scaling_options options = {.store = NULL};
    const struct fl_option table[] = {
        {"store", "FILE", "store to read (faultline.db)", FL_OPTION_TEXT, &options.store},
        {"run", "ID|latest", "which run: an id, a label or latest (latest)", FL_OPTION_TEXT,
         &options.run},
        {"by", "FACTOR", "factor that counts the threads (threads)", FL_OPTION_TEXT, &options.by},
        {"metric", "NAME", "a time per call, or a rate (time)", FL_OPTION_TEXT, &options.metric},
        {"csv", "FILE", "a table instead of a run", FL_OPTION_TEXT, &options.csv},
        {"rates", NULL, "the table has rates, not times in ms", FL_OPTION_FLAG, &options.rates},
        {.name = NULL},
    };
    struct fl_err err = {.text = ""};
    struct fl_scaling scaling;
    int first, rc = fl_options_parse(command, table, argc, argv, &first);
    if (rc)
        return rc < 0 ? FL_EXIT_FAILURE : fl_finish_stdout();
    rc = fl_no_arguments(command, argc, argv, first, &err);
    if (!rc)
        rc = check(&options, &err);
    if (!rc)
        rc =
            options.csv ? read_table(&options, &scaling, &err) : read_run(&options, &scaling, &err);
    if (rc)
        return fl_complain(&err);
    rc = fl_scaling_print(&scaling, fl_terminal_width(), stdout, &err);
    fl_scaling_release(&scaling);
    return rc ? fl_complain(&err) : FL_EXIT_OK;
}

const struct fl_command fl_command_scaling = {
    .name = "scaling",
    .summary = "show how throughput grows with threads, and fit a law to it",
    .arguments = "",
    .details =
        "Cells that differ only in the number of threads make a group. The law is the Universal\n"
        "Scalability Law, X(N) = gamma N / (1 + alpha (N-1) + beta N (N-1)): alpha is what\n"
        "threads queue for, beta what each pair costs. Residuals are in % of the fitted value.\n"
        "\n"
        "A table is a file of lines `threads,NAME,...`, then `N,VALUE,...`; `#` begins a "
        "comment.\n",
    .run = run,
};
