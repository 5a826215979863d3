/* SPDX-License-Identifier: Apache-2.0 */
/* faultline compare: two runs, or two levels of a factor in one. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "results/compare.h"
#include "terminal.h"

struct compare_command {
    const char *store, *run, *tolerance, *detect, *sort;
    struct fl_compare_levels levels;
    struct fl_compare_options chosen;
};

static int read_percent(const char *option, const char *text, double *out, struct fl_err *err)
{
    char *end;

    *out = strtod(text, &end);
    if (end != text && !*end && *out >= 0 && *out <= 1000)
        return 0;
    return fl_fail(err, -EINVAL, "--%s needs a percentage from 0 to 1000, not '%.80s'", option,
                   text);
}

static int check(struct compare_command *options, int arguments, struct fl_err *err)
{
    const struct fl_compare_levels *levels = &options->levels;
    bool by = levels->by || levels->base || levels->head;
    int rc = read_percent("tolerance", options->tolerance, &options->chosen.tolerance, err);

    if (!rc)
        rc = read_percent("detect", options->detect, &options->chosen.detect, err);
    if (rc)
        return rc;
    if (options->chosen.detect <= options->chosen.tolerance)
        return fl_fail(err, -EINVAL, "--detect must be above --tolerance");
    if (strcmp(options->sort, "regression") != 0 && strcmp(options->sort, "cell") != 0)
        return fl_fail(err, -EINVAL, "--sort takes regression or cell, not '%.80s'", options->sort);
    if (strcmp(options->sort, "cell") == 0)
        options->chosen.sort = FL_COMPARE_BY_CELL;
    if (by ? levels->by && levels->base && levels->head && !arguments : arguments == 2)
        return 0;
    return fl_fail(err, -EINVAL,
                   "compare needs two runs, BASE HEAD, or --by FACTOR --base LEVEL --head LEVEL");
}

static int compare_stored(struct fl_store *store, struct compare_command *options, char **runs,
                          struct fl_compare *out, struct fl_err *err)
{
    int64_t base, head;
    int rc;

    if (options->levels.by) {
        rc = fl_store_find_run(store, options->run, &options->levels.run, err);
        return rc ? rc : fl_compare_levels(store, &options->levels, &options->chosen, out, err);
    }
    rc = fl_store_find_run(store, runs[0], &base, err);
    if (!rc)
        rc = fl_store_find_run(store, runs[1], &head, err);
    return rc ? rc : fl_compare_runs(store, base, head, &options->chosen, out, err);
}

static int compare(struct compare_command *options, char **runs, struct fl_compare *out,
                   struct fl_err *err)
{
    struct fl_store *store;
    int rc = fl_store_open(options->store, FL_STORE_READ, &store, err);

    if (rc)
        return rc;
    rc = compare_stored(store, options, runs, out, err);
    fl_store_close(store);
    return rc;
}

static int run(const struct fl_command *command, int argc, char **argv)
{
    struct compare_command options = {.store = FL_STORE_DEFAULT,
                                      .run = "latest",
                                      .tolerance = "0.5",
                                      .detect = "2",
                                      .sort = "regression"};
    const struct fl_option table[] = {
        {"store", "FILE", "store to read (faultline.db)", FL_OPTION_TEXT, &options.store},
        {"by", "FACTOR", "compare two levels of this factor, in one run", FL_OPTION_TEXT,
         &options.levels.by},
        {"base", "LEVEL", "with --by: the level to compare with", FL_OPTION_TEXT,
         &options.levels.base},
        {"head", "LEVEL", "with --by: the level that is judged", FL_OPTION_TEXT,
         &options.levels.head},
        {"run", "ID|latest", "with --by: which run: an id, a label or latest (latest)",
         FL_OPTION_TEXT, &options.run},
        {"metric", "NAME", "only this metric (all)", FL_OPTION_TEXT, &options.chosen.metric},
        {"tolerance", "PERCENT", "never a regression up to this loss (0.5)", FL_OPTION_TEXT,
         &options.tolerance},
        {"detect", "PERCENT", "never a pass from this loss on (2)", FL_OPTION_TEXT,
         &options.detect},
        {"sort", "regression|cell", "what comes first (regression)", FL_OPTION_TEXT, &options.sort},
        {.name = NULL},
    };
    struct fl_err err = {.text = ""};
    struct fl_compare compared;
    int first, rc = fl_options_parse(command, table, argc, argv, &first);
    if (rc)
        return rc < 0 ? FL_EXIT_FAILURE : fl_finish_stdout();
    rc = check(&options, argc - first, &err);
    if (!rc)
        rc = compare(&options, argv + first, &compared, &err);
    if (rc)
        return fl_complain(&err);
    rc = fl_compare_print(&compared, fl_terminal_width(), fl_terminal_colour(), stdout, &err);
    fl_compare_release(&compared);
    return rc ? fl_complain(&err) : FL_EXIT_OK;
}

const struct fl_command fl_command_compare = {
    .name = "compare",
    .summary = "judge a run against another, or a level against another",
    .arguments = "[BASE HEAD]",
    .details = "Effects are of the head, in percent of the base. Verdicts do not change the exit "
               "code.\nTimes of two runs are shown but not judged: their rounds are no pairs.\n",
    .run = run,
};
