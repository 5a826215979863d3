/* SPDX-License-Identifier: Apache-2.0 */
/* faultline ab: two sides of a scenario, measured side by side and judged. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "command.h"
#include "pair-options.h"
#include "results/compare.h"
#include "terminal.h"

/* What the file says of single metrics and cells; limits of times are stored with the pairs. */
static void limit(void *arg, const char *cell, const struct fl_metric *metric,
                  struct fl_verdict_rule *rule)
{
    struct fl_gate_limits limits;
    fl_scenario_gate_limits(arg, cell, metric->name, &limits);
    rule->slack = limits.slack;
}

static int print(struct fl_pair_measured *measured, struct fl_err *err)
{
    const struct fl_ab_result *result = &measured->result;
    const struct fl_compare_options options = {
        .tolerance = (double)NAN,
        .detect = (double)NAN,
        .limits = limit,
        .limits_arg = &measured->scenario.gate,
    };
    struct fl_compare compared;
    struct fl_store *store;
    int rc = fl_store_open(measured->store, FL_STORE_READ, &store, err);
    if (rc)
        return rc;
    rc = fl_compare_runs(store, result->runs[FL_AB_BASE], result->runs[FL_AB_HEAD], &options,
                         &compared, err);
    fl_store_close(store);
    if (rc)
        return rc;
    rc = fl_compare_print(&compared, fl_terminal_width(), fl_terminal_colour(), stdout, err);
    fl_compare_release(&compared);
    return rc;
}

static int measure(const struct fl_pair_options *options, const char *scenario,
                   const char *command_line)
{
    struct fl_err err = {.text = ""};
    struct fl_pair_measured measured;
    int code = fl_pair_measure(options, scenario, command_line, &measured);
    if (code != FL_EXIT_OK && code != FL_EXIT_CELL)
        return code;
    if (print(&measured, &err))
        code = fl_complain(&err);
    fl_scenario_release(&measured.scenario);
    fputs("faultline: `faultline gate --store ", stderr);
    fl_print_safe(stderr, measured.store);
    fputs("` makes an exit code of it\n", stderr);
    return code;
}

static int check(const struct fl_pair_options *options, int arguments, struct fl_err *err)
{
    if (arguments > 1)
        return fl_fail(err, -EINVAL, "ab takes one scenario: its name or a file");
    if (!options->texts[FL_AB_BASE] && !options->texts[FL_AB_HEAD])
        return fl_fail(err, -EINVAL,
                       "ab needs --base or --head or both: `--head malloc=jemalloc`, `--base "
                       "worker=PATH`; see `faultline ab --help`");
    return 0;
}

static int start(int argc, char **argv, int first, struct fl_pair_options *options)
{
    struct fl_err err = {.text = ""};
    if (check(options, argc - first, &err))
        return fl_complain(&err);
    for (int s = 0; s < 2; s++)
        if (!options->texts[s])
            options->texts[s] = ""; /* the scenario as it is */
    char *command_line = fl_command_line(argc, argv);
    if (!command_line) {
        fl_fail(&err, -ENOMEM, "out of memory");
        return fl_complain(&err);
    }
    int code = measure(options, first < argc ? argv[first] : NULL, command_line);
    free(command_line);
    return code;
}

static int run(const struct fl_command *command, int argc, char **argv)
{
    struct fl_pair_options options = {.store = FL_STORE_DEFAULT, .purpose = FL_PAIRING_AB};
    const struct fl_option table[] = {
        {"base", "SIDE", "what the head is judged against (the scenario as it is)", FL_OPTION_TEXT,
         &options.texts[FL_AB_BASE]},
        {"head", "SIDE", "what is judged (the scenario as it is)", FL_OPTION_TEXT,
         &options.texts[FL_AB_HEAD]},
        {"build", "CMD", "how a side git:REF is built", FL_OPTION_TEXT, &options.build},
        {"budget", "TIME", "for timed rounds (10min)", FL_OPTION_TEXT, &options.budget},
        FL_PAIR_OPTION_ROWS(&options),
        FL_SCENARIO_OPTION_ROWS(&options.scenario,
                                "so many timed pairs of each cell, whatever they say"),
        {.name = NULL},
    };
    int first, rc = fl_options_parse(command, table, argc, argv, &first);
    if (rc)
        return rc < 0 ? FL_EXIT_FAILURE : fl_finish_stdout();
    return start(argc, argv, first, &options);
}

const struct fl_command fl_command_ab = {
    .name = "ab",
    .summary = "measure two sides of a scenario side by side, and judge",
    .arguments = "--base SIDE --head SIDE [SCENARIO|FILE.ini]",
    .details = "A SIDE is words in one argument: worker=PATH, library=PATH, library=ALIAS:PATH,\n"
               "plugin=PATH, eigen=DIR, FACTOR=LEVEL; or SELECTOR : FACTOR=LEVEL for some cells\n"
               "alone. gbench=PATH [filter=REGEX] is a Google Benchmark program, whose benchmarks\n"
               "are the cells: where both sides are one, no scenario is needed. Before Google\n"
               "Benchmark 1.8 they take no iteration count: each process chooses its own. git:REF\n"
               "in front is that revision of the repository here, built by --build; paths behind\n"
               "it are of it: --base 'git:main gbench=build/bench' --build 'make bench'.\n"
               "Exit codes: 0 measured, whatever the verdicts; 2 usage or failure; 5 a cell\n"
               "crashed, hung, failed or computed wrongly; 130 interrupted (--resume goes on).\n",
    .run = run,
};
