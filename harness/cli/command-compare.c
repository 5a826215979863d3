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
    const char *store, *run, *tolerance, *detect, *slack, *sort, *interval, *changed;
    struct fl_compare_levels levels;
    struct fl_compare_options chosen;
};

/* NAN where it is not asked for. */
static int read_number(const char *option, const char *text, double *out, struct fl_err *err)
{
    char *end;

    *out = (double)NAN;
    if (!text)
        return 0;
    *out = strtod(text, &end);
    if (end != text && !*end && *out >= 0 && *out <= 1000)
        return 0;
    return fl_fail(err, -EINVAL, "--%s needs a number from 0 to 1000, not '%.80s'", option, text);
}

/* Whether `text` is the second of two words. */
static int read_choice(const char *option, const char *text, const char *const words[2], bool *out,
                       struct fl_err *err)
{
    *out = strcmp(text, words[1]) == 0;
    if (*out || strcmp(text, words[0]) == 0)
        return 0;
    return fl_fail(err, -EINVAL, "--%s takes %s or %s, not '%.80s'", option, words[0], words[1],
                   text);
}

static int read_numbers(struct compare_command *options, struct fl_err *err)
{
    struct fl_compare_options *chosen = &options->chosen;
    int rc = read_number("tolerance", options->tolerance, &chosen->tolerance, err);

    if (!rc)
        rc = read_number("detect", options->detect, &chosen->detect, err);
    if (!rc && options->slack)
        rc = read_number("slack", options->slack, &chosen->slack, err);
    return rc;
}

static int read_choices(struct compare_command *options, struct fl_err *err)
{
    static const char *const sorts[] = {"regression", "cell"};
    static const char *const intervals[] = {"ranks", "bootstrap"};
    static const char *const changes[] = {"nothing", "library"};
    struct fl_compare_options *chosen = &options->chosen;
    bool by_cell;
    int rc = read_choice("sort", options->sort, sorts, &by_cell, err);

    chosen->sort = by_cell ? FL_COMPARE_BY_CELL : FL_COMPARE_BY_REGRESSION;
    if (!rc)
        rc = read_choice("interval", options->interval, intervals, &chosen->bootstrap, err);
    return rc ? rc
              : read_choice("changed", options->changed, changes, &chosen->changed_library, err);
}

static int check(struct compare_command *options, int arguments, struct fl_err *err)
{
    const struct fl_compare_levels *levels = &options->levels;
    bool by = levels->by || levels->base || levels->head;
    int rc = read_numbers(options, err);

    if (!rc)
        rc = read_choices(options, err);
    if (rc)
        return rc;
    if (by ? levels->by && levels->base && levels->head && !arguments
           : arguments == 1 || arguments == 2)
        return 0;
    return fl_fail(err, -EINVAL,
                   "compare needs two runs, BASE HEAD, one side of an A/B run, or --by FACTOR "
                   "--base LEVEL --head LEVEL");
}

static int compare_stored(struct fl_store *store, struct compare_command *options, char **runs,
                          int count, struct fl_compare *out, struct fl_err *err)
{
    int64_t base, head;
    int rc;

    if (options->levels.by) {
        rc = fl_store_find_run(store, options->run, &options->levels.run, err);
        return rc ? rc : fl_compare_levels(store, &options->levels, &options->chosen, out, err);
    }
    rc = fl_store_find_run(store, runs[0], &base, err);
    if (!rc && count == 1)
        return fl_compare_pairing(store, base, &options->chosen, out, err);
    if (!rc)
        rc = fl_store_find_run(store, runs[1], &head, err);
    return rc ? rc : fl_compare_runs(store, base, head, &options->chosen, out, err);
}

static int compare(struct compare_command *options, char **runs, int count, struct fl_compare *out,
                   struct fl_err *err)
{
    struct fl_store *store;
    int rc = fl_store_open(options->store, FL_STORE_READ, &store, err);

    if (rc)
        return rc;
    rc = compare_stored(store, options, runs, count, out, err);
    fl_store_close(store);
    return rc;
}

static int run(const struct fl_command *command, int argc, char **argv)
{
    struct compare_command options = {.store = FL_STORE_DEFAULT,
                                      .run = "latest",
                                      .sort = "regression",
                                      .interval = "ranks",
                                      .changed = "nothing"};
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
        {"tolerance", "PERCENT", "never a regression up to this loss (as of the A/B run, or 0.5)",
         FL_OPTION_TEXT, &options.tolerance},
        {"detect", "PERCENT", "never a pass from this loss on (as of the A/B run, or 2)",
         FL_OPTION_TEXT, &options.detect},
        {"slack", "EVENTS", "of counts: a loss a call of up to this is none (0.5 of noisy ones)",
         FL_OPTION_TEXT, &options.slack},
        {"interval", "ranks|bootstrap", "how the 95 % interval is made (ranks)", FL_OPTION_TEXT,
         &options.interval},
        {"changed", "nothing|library", "two runs: counts may come from another library (nothing)",
         FL_OPTION_TEXT, &options.changed},
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
        rc = compare(&options, argv + first, argc - first, &compared, &err);
    if (rc)
        return fl_complain(&err);
    rc = fl_compare_print(&compared, fl_terminal_width(), fl_terminal_colour(), stdout, &err);
    fl_compare_release(&compared);
    return rc ? fl_complain(&err) : FL_EXIT_OK;
}

const struct fl_command fl_command_compare = {
    .name = "compare",
    .summary = "judge a run against another, or a level against another",
    .arguments = "[BASE HEAD | RUN]",
    .details = "Effects are of the head, in percent of the base. Verdicts do not change the exit "
               "code.\nRUN is either side of an A/B run. Times of two other runs are shown but not "
               "judged: their rounds are no pairs.\n",
    .run = run,
};
