/* SPDX-License-Identifier: Apache-2.0 */
/* faultline run: measures a scenario into a store. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "install-paths.h"
#include "interruption.h"
#include "progress.h"
#include "runner/crossover.h"
#include "runner/plan.h"
#include "runner/run.h"
#include "scenario-options.h"

struct run_options {
    const char *store, *label, *commit, *seed;
    struct fl_scenario_options scenario;
    bool resume, quiet;
};

/* ---- the run ---- */

static int tell_result(const struct fl_run_result *result, const char *store, bool searched)
{
    fprintf(stderr, "faultline: run %lld %s: %zu samples stored in '", (long long)result->run,
            result->interrupted ? "interrupted" : "finished", result->samples);
    fl_print_safe(stderr, store);
    fputs("'; `faultline show --store ", stderr);
    fl_print_safe(stderr, store);
    fputs("` shows them\n", stderr);
    if (searched) {
        fputs("faultline: `faultline crossover --store ", stderr);
        fl_print_safe(stderr, store);
        fputs("` shows the crossovers\n", stderr);
    }
    if (result->unavailable)
        fprintf(stderr, "faultline: %zu of %zu cells cannot be measured here; `show` says why\n",
                result->unavailable, result->cells);
    if (result->expectations)
        fprintf(stderr, "faultline: %zu of %zu expectations hold\n",
                result->expectations - result->broken, result->expectations);
    if (result->undecided)
        fprintf(stderr,
                "faultline: %zu expectations could not be judged: no sample has the metric\n",
                result->undecided);
    if (result->interrupted) {
        fputs("faultline: add --resume to finish it\n", stderr);
        return FL_EXIT_INTERRUPTED;
    }
    if (result->failed || result->unavailable == result->cells)
        return FL_EXIT_CELL;
    return result->broken ? FL_EXIT_EXPECTATION : FL_EXIT_OK;
}

/* Of a run that did not come to its end by itself or by a signal. */
static int tell_failure(int rc, const struct fl_err *err)
{
    if (rc != -EINTR)
        return fl_complain(err);
    fputs("faultline: interrupted while waiting; nothing was measured\n", stderr);
    return FL_EXIT_INTERRUPTED;
}

static int measure(const struct fl_scenario *scenario, const struct run_options *options,
                   const struct fl_install_paths *paths, const char *command_line)
{
    struct fl_err err = {.text = ""};
    struct fl_progress_view view;
    struct fl_progress progress;
    struct fl_run_result result;
    struct fl_commit commit;
    struct fl_store *store = NULL;
    const char *path = options->store ? options->store : FL_STORE_DEFAULT;
    struct fl_run_request request = {
        .scenario = scenario,
        .worker = paths->worker,
        .probe = paths->probe[0] ? paths->probe : NULL,
        .label = options->label,
        .command_line = command_line,
        .commit = &commit,
        .resume = options->resume,
        .stop = fl_interruption_catch(),
        .progress = &progress,
    };
    int rc = fl_seed_take(options->seed, &request.seed, &err);
    if (!rc)
        rc = fl_commit_find(options->commit, &commit, &err);
    if (!rc)
        rc = fl_store_open(path, FL_STORE_CREATE, &store, &err);
    if (rc)
        return fl_complain(&err);
    request.store = store;
    fl_progress_init(&view, options->quiet, &progress);
    view.foretold = scenario;
    rc = fl_run(&request, &result, &err);
    fl_progress_end(&view);
    int code = rc ? tell_failure(rc, &err)
                  : tell_result(&result, path, scenario->crossover.search[0] != 0);
    fl_store_close(store);
    return code;
}

/* Mistakes of the product are told before a store is made or the machine waited for. */
static int check_plan(const struct fl_scenario *scenario, struct fl_err *err)
{
    struct fl_plan plan;
    int rc = fl_plan_make(scenario, &plan, err);
    if (rc)
        return rc;
    rc = fl_crossovers_check(scenario, &plan, err);
    fl_plan_release(&plan);
    return rc;
}

static int run_scenario(const char *name, const struct run_options *options,
                        const char *command_line)
{
    struct fl_err err = {.text = ""};
    struct fl_install_paths paths;
    struct fl_scenario scenario;
    int rc = fl_install_paths_find(&paths, &err);
    if (!rc)
        rc = fl_scenario_options_load(&paths, name, &options->scenario, &scenario, &err);
    if (rc)
        return fl_complain(&err);
    rc = check_plan(&scenario, &err);
    int code = rc ? fl_complain(&err) : measure(&scenario, options, &paths, command_line);
    fl_scenario_release(&scenario);
    return code;
}

static int start(int argc, char **argv, const char *scenario, const struct run_options *options)
{
    struct fl_err err;
    if (options->resume && (options->seed || options->label)) {
        fl_fail(&err, -EINVAL, "--%s is of no use with --resume: a run keeps its own",
                options->seed ? "seed" : "label");
        return fl_complain(&err);
    }
    char *command_line = fl_command_line(argc, argv);
    if (!command_line) {
        fl_fail(&err, -ENOMEM, "out of memory");
        return fl_complain(&err);
    }
    int code = run_scenario(scenario, options, command_line);
    free(command_line);
    return code;
}

static int run(const struct fl_command *command, int argc, char **argv)
{
    struct run_options options = {.store = NULL};
    const struct fl_option table[] = {
        {"store", "FILE", "store to write to, made if need be (faultline.db)", FL_OPTION_TEXT,
         &options.store},
        {"label", "TEXT", "a name for this run, to find it by", FL_OPTION_TEXT, &options.label},
        {"commit", "ID", "revision that is tested (what the CI says, or HEAD here)", FL_OPTION_TEXT,
         &options.commit},
        {"resume", NULL, "finish the last unfinished run of this scenario", FL_OPTION_FLAG,
         &options.resume},
        FL_SCENARIO_OPTION_ROWS(&options.scenario, "timed samples of each cell"),
        {"seed", "N", "of orders and operands; drawn and stored if not given", FL_OPTION_TEXT,
         &options.seed},
        {"quiet", NULL, "no progress, only notes and failures", FL_OPTION_FLAG, &options.quiet},
        {.name = NULL},
    };
    int first, rc = fl_options_parse(command, table, argc, argv, &first);
    if (rc)
        return rc < 0 ? FL_EXIT_FAILURE : fl_finish_stdout();
    if (argc - first != 1) {
        fputs(
            "faultline: run takes one scenario: its name or a file; `faultline list scenarios` has "
            "those that come with faultline\n",
            stderr);
        return FL_EXIT_FAILURE;
    }
    return start(argc, argv, argv[first], &options);
}

const struct fl_command fl_command_run = {
    .name = "run",
    .summary = "measure a scenario into a store",
    .arguments = "SCENARIO|FILE.ini",
    .details = "Exit codes: 0 done; 1 an expectation of the scenario did not hold; 2 usage or\n"
               "failure; 5 a cell crashed, hung, failed or computed wrongly; 130 interrupted\n"
               "(Ctrl-C stops cleanly; --resume goes on).\n",
    .run = run,
};
