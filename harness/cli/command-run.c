/* SPDX-License-Identifier: Apache-2.0 */
/* faultline run: measures a scenario into a store. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "command.h"
#include "faultline/library.h"
#include "install-paths.h"
#include "progress.h"
#include "runner/crossover.h"
#include "runner/plan.h"
#include "runner/run.h"
#include "runner/scenario-keys.h"

struct run_options {
    const char *store, *label, *seed, *rounds, *settle, *window, *calls, *metrics;
    struct fl_texts sets, libraries;
    bool short_form, resume, quiet;
};

/* Set by the handler, read by the runner between and during samples; a handler has no argument. */
static volatile sig_atomic_t stop;

static void on_signal(int number)
{
    (void)number;
    stop = 1;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal}, inherited;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (!sigaction(SIGHUP, NULL, &inherited) && inherited.sa_handler != SIG_IGN) /* nohup */
        sigaction(SIGHUP, &action, NULL);
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &usual, NULL); /* ignored by some parents: workers could not be waited for */
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, NULL); /* a reader of the progress may go; the run stays */
}

/* ---- options onto the scenario ---- */

static int apply_set(struct fl_scenario *scenario, const char *text, struct fl_err *err)
{
    char key[128];
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || (size_t)(equals - text) >= sizeof key)
        return fl_fail(err, -EINVAL, "--set '%.80s': expected KEY=VALUE", text);
    memcpy(key, text, (size_t)(equals - text));
    key[equals - text] = 0;
    return fl_scenario_set(scenario, key, equals + 1, err);
}

static int apply_library(struct fl_scenario *scenario, const char *text, struct fl_err *err)
{
    char alias[128];
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || (size_t)(equals - text) >= sizeof alias)
        return fl_fail(err, -EINVAL, "--library '%.80s': expected ALIAS=PATH", text);
    memcpy(alias, text, (size_t)(equals - text));
    alias[equals - text] = 0;
    const struct fl_ini_line line = {.section = "libraries", .key = alias, .value = equals + 1};
    int rc = fl_scenario_take(scenario, &line, err);
    struct fl_library_place place;
    /* Typed here and now: what is not there is a slip, not a machine that lacks it. */
    return rc ? rc : fl_library_find(alias, equals + 1, NULL, &place, err);
}

static int apply_settings(struct fl_scenario *scenario, const struct run_options *options,
                          struct fl_err *err)
{
    const struct {
        const char *key, *value;
    } settings[] = {{"rounds", options->rounds},
                    {"settle", options->settle},
                    {"window", options->window},
                    {"calls", options->calls},
                    {"metrics", options->metrics}};
    int rc = 0;
    for (size_t i = 0; i < sizeof settings / sizeof *settings && !rc; i++)
        if (settings[i].value)
            rc = fl_scenario_set(scenario, settings[i].key, settings[i].value, err);
    for (size_t i = 0; i < options->sets.count && !rc; i++)
        rc = apply_set(scenario, options->sets.items[i], err);
    for (size_t i = 0; i < options->libraries.count && !rc; i++)
        rc = apply_library(scenario, options->libraries.items[i], err);
    return rc;
}

static int take_seed(const char *text, uint64_t *seed, struct fl_err *err)
{
    if (!text) {
        if (getrandom(seed, sizeof *seed, 0) != sizeof *seed)
            return fl_fail(err, -EIO, "cannot draw a seed: %s", strerror(errno));
        *seed >>= 1; /* SQLite's integers are signed */
        return 0;
    }
    char *end;
    errno = 0;
    *seed = strtoull(text, &end, 10);
    if (*end || end == text || errno || *text == '-' || *seed > INT64_MAX)
        return fl_fail(err, -EINVAL, "--seed '%.80s': expected a whole number from 0 to 2^63 - 1",
                       text);
    return 0;
}

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
    struct fl_store *store = NULL;
    const char *path = options->store ? options->store : FL_STORE_DEFAULT;
    struct fl_run_request request = {
        .scenario = scenario,
        .worker = paths->worker,
        .probe = paths->probe[0] ? paths->probe : NULL,
        .label = options->label,
        .command_line = command_line,
        .resume = options->resume,
        .stop = &stop,
        .progress = &progress,
    };
    int rc = take_seed(options->seed, &request.seed, &err);
    if (!rc)
        rc = fl_store_open(path, FL_STORE_CREATE, &store, &err);
    if (rc)
        return fl_complain(&err);
    request.store = store;
    catch_signals();
    fl_progress_init(&view, options->quiet, &progress);
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
    char file[PATH_MAX];
    int rc = fl_install_paths_find(&paths, &err);
    if (!rc)
        rc = fl_install_scenario(&paths, name, file, sizeof file, &err);
    if (!rc)
        rc = fl_scenario_load(file, options->short_form, &scenario, &err);
    if (rc)
        return fl_complain(&err);
    rc = apply_settings(&scenario, options, &err);
    if (!rc)
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
        {"short", NULL, "the scenario's short form", FL_OPTION_FLAG, &options.short_form},
        {"resume", NULL, "finish the last unfinished run of this scenario", FL_OPTION_FLAG,
         &options.resume},
        {"set", "FACTOR=LIST", "replace a factor's levels; may be repeated", FL_OPTION_TEXTS,
         &options.sets},
        {"library", "ALIAS=PATH", "path behind a library's alias; may be repeated", FL_OPTION_TEXTS,
         &options.libraries},
        {"rounds", "N", "timed samples of each cell", FL_OPTION_TEXT, &options.rounds},
        {"settle", "TIME", "calls before the window of a timed sample", FL_OPTION_TEXT,
         &options.settle},
        {"window", "TIME", "length of a timed window", FL_OPTION_TEXT, &options.window},
        {"calls", "N", "calls in the window of a counting sample", FL_OPTION_TEXT, &options.calls},
        {"metrics", "LIST", "what to measure; `faultline list counters` has them all",
         FL_OPTION_TEXT, &options.metrics},
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
