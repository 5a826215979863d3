/* SPDX-License-Identifier: Apache-2.0 */
/* faultline explain: why a cell is slow, by removing one suspect at a time. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "install-paths.h"
#include "interruption.h"
#include "progress.h"
#include "results/explanation.h"
#include "runner/explain.h"
#include "runner/forecast.h"
#include "runner/run-description.h"
#include "runner/run.h"
#include "runner/scenario-keys.h"
#include "scenario-options.h"
#include "terminal.h"

struct explain_options {
    const char *store, *label, *seed, *rounds, *settle, *window, *calls, *tolerance;
    bool quiet;
};

struct explainer {
    const struct explain_options *options;
    const char *command_line;
    double tolerance; /* a share */
    struct fl_store *store;
    int64_t source;            /* run that the cell was taken from; 0: none */
    char key[FL_CELL_KEY_MAX]; /* of the slow cell */
    int64_t run;               /* that has the variants; 0: still to be measured */
    struct fl_explain_plan plan;
    struct fl_scenario scenario;
    struct fl_err err;
};

/* ---- which cell ---- */

static int tell_choice(const struct explainer *explainer)
{
    if (explainer->options->quiet)
        return 0;
    fprintf(stderr, "faultline: of run %lld: ", (long long)explainer->source);
    fl_print_safe(stderr, explainer->key);
    fputc('\n', stderr);
    return 0;
}

/* The first cell of a run of `explain` is what it explains; of another run one is chosen. */
static int choose_cell(struct explainer *explainer, const struct fl_summary *summary)
{
    size_t cell = 0;
    int rc = 0;
    if (!strcmp(summary->run.info.scenario, FL_EXPLAIN_SCENARIO) && summary->cell_count)
        explainer->run = summary->run.id;
    else
        rc = fl_explain_choose(summary, &cell, &explainer->err);
    if (rc)
        return rc;
    snprintf(explainer->key, sizeof explainer->key, "%s", summary->cells[cell].key);
    return tell_choice(explainer);
}

static int find_cell(struct explainer *explainer, const char *argument)
{
    struct fl_summary summary;
    if (strchr(argument, '=')) {
        snprintf(explainer->key, sizeof explainer->key, "%s", argument);
        return 0;
    }
    int rc = fl_store_find_run(explainer->store, argument, &explainer->source, &explainer->err);
    if (!rc)
        rc = fl_summary_read(explainer->store, explainer->source, &summary, &explainer->err);
    if (rc)
        return rc;
    rc = choose_cell(explainer, &summary);
    fl_summary_release(&summary);
    return rc;
}

/* ---- the scenario ---- */

/* A run keeps the paths that its aliases stood for. */
static int take_library(void *arg, const struct fl_fact *fact)
{
    static const char prefix[] = FL_RUN_SETTING "library.";
    struct explainer *explainer = arg;
    if (strncmp(fact->name, prefix, sizeof prefix - 1) != 0)
        return 0;
    const struct fl_ini_line line = {
        .section = "libraries", .key = fact->name + sizeof prefix - 1, .value = fact->value};
    return fl_scenario_take(&explainer->scenario, &line, &explainer->err);
}

static int apply_settings(struct explainer *explainer)
{
    const struct explain_options *options = explainer->options;
    const struct {
        const char *key, *value;
    } settings[] = {{"rounds", options->rounds},
                    {"settle", options->settle},
                    {"window", options->window},
                    {"calls", options->calls}};
    int rc = 0;
    for (size_t i = 0; i < sizeof settings / sizeof *settings && !rc; i++)
        if (settings[i].value)
            rc = fl_scenario_set(&explainer->scenario, settings[i].key, settings[i].value,
                                 &explainer->err);
    if (!rc && explainer->scenario.rounds > FL_EXPLAIN_ROUNDS)
        rc = fl_fail(&explainer->err, -EINVAL, "rounds: at most %d can be explained",
                     FL_EXPLAIN_ROUNDS);
    return rc;
}

static int make_scenario(struct explainer *explainer)
{
    char *text = NULL;
    int rc = fl_explain_scenario(&explainer->plan, &text, &explainer->err);
    if (!rc)
        rc = fl_scenario_read(FL_EXPLAIN_SCENARIO, text, strlen(text), false, &explainer->scenario,
                              &explainer->err);
    free(text);
    if (rc)
        return rc;
    if (explainer->source)
        rc = fl_store_environment(explainer->store, explainer->source, take_library, explainer,
                                  &explainer->err);
    if (!rc)
        rc = apply_settings(explainer);
    struct fl_plan plan;
    if (!rc && !(rc = fl_plan_make(&explainer->scenario, &plan, &explainer->err)))
        fl_plan_release(&plan);
    return rc;
}

/* ---- measuring ---- */

/* Ends the run when the slow cell itself fails: nothing could be compared with it. */
struct watch {
    struct fl_progress told;
    struct explainer *explainer;
    bool failed;
};

static void give_up(struct watch *watch)
{
    watch->failed = true;
    raise(SIGTERM); /* ends the run as the user would, between two samples */
}

static int find_trouble(void *arg, const struct fl_stored_cell *cell)
{
    struct watch *watch = arg;
    if (cell->unavailable && !strcmp(cell->key, watch->explainer->plan.key))
        give_up(watch);
    return 0;
}

static void watch_begin(void *arg, int64_t run, size_t cells, size_t done, size_t total)
{
    struct watch *watch = arg;
    struct fl_err ignored; /* a store that cannot be read fails the first sample */
    watch->told.begin(watch->told.arg, run, cells, done, total);
    if (fl_store_cells(watch->explainer->store, run, find_trouble, watch, &ignored))
        give_up(watch);
}

static void watch_sample(void *arg, const char *key, size_t done, size_t total,
                         enum fl_outcome outcome, const char *reason)
{
    struct watch *watch = arg;
    watch->told.sample(watch->told.arg, key, done, total, outcome, reason);
    if (outcome != FL_OUTCOME_OK && !strcmp(key, watch->explainer->plan.key))
        give_up(watch);
}

static void watch_waiting(void *arg, int holder, double seconds)
{
    struct watch *watch = arg;
    watch->told.waiting(watch->told.arg, holder, seconds);
}

static void watch_note(void *arg, const char *text)
{
    struct watch *watch = arg;
    watch->told.note(watch->told.arg, text);
}

static void watch_warning(void *arg, const char *text)
{
    struct watch *watch = arg;
    watch->told.warning(watch->told.arg, text);
}

static void tell_time(const struct explainer *explainer)
{
    char text[64];
    if (explainer->options->quiet)
        return;
    fl_forecast_text(&explainer->scenario, explainer->plan.count + 1, text, sizeof text);
    fprintf(stderr, "faultline: the cell and %zu variants, %d rounds: %s\n", explainer->plan.count,
            explainer->scenario.rounds, text);
}

static int measure(struct explainer *explainer, const struct fl_install_paths *paths)
{
    struct fl_progress_view view;
    struct watch watch = {.explainer = explainer};
    struct fl_progress progress = {watch_begin, watch_sample,  watch_waiting,
                                   watch_note,  watch_warning, &watch};
    struct fl_run_result result;
    struct fl_run_request request = {
        .scenario = &explainer->scenario,
        .store = explainer->store,
        .worker = paths->worker,
        .probe = paths->probe[0] ? paths->probe : NULL,
        .label = explainer->options->label,
        .command_line = explainer->command_line,
        .stop = fl_interruption_catch(),
        .progress = &progress,
    };
    int rc = fl_seed_take(explainer->options->seed, &request.seed, &explainer->err);
    if (rc)
        return rc;
    tell_time(explainer);
    fl_progress_init(&view, explainer->options->quiet, &watch.told);
    rc = fl_run(&request, &result, &explainer->err);
    fl_progress_end(&view);
    explainer->run = result.run;
    return rc ? rc : result.interrupted && !watch.failed ? -EINTR : 0;
}

/* ---- the answer ---- */

static int explain(struct explainer *explainer)
{
    const struct fl_explain_query query = {explainer->plan.key, explainer->plan.variants,
                                           explainer->plan.count, explainer->tolerance};
    struct fl_explanation explanation;
    int rc = fl_explanation_read(explainer->store, explainer->run, &query, &explanation,
                                 &explainer->err);
    if (rc)
        return fl_complain(&explainer->err);
    bool failed = explanation.trouble != NULL;
    rc = fl_explanation_print(&explanation, fl_terminal_width(), fl_terminal_colour(), stdout,
                              &explainer->err);
    fl_explanation_release(&explanation);
    return rc ? fl_complain(&explainer->err) : failed ? FL_EXIT_CELL : FL_EXIT_OK;
}

static int tell_failure(int rc, const struct explainer *explainer)
{
    if (rc != -EINTR)
        return fl_complain(&explainer->err);
    fputs("faultline: interrupted; nothing is explained\n", stderr);
    return FL_EXIT_INTERRUPTED;
}

static int answer(struct explainer *explainer, const char *argument)
{
    struct fl_install_paths paths;
    int rc = fl_install_paths_find(&paths, &explainer->err);
    if (!rc)
        rc = find_cell(explainer, argument);
    if (!rc)
        rc = fl_explain_plan_make(explainer->key, &explainer->plan, &explainer->err);
    if (!rc && !explainer->run) {
        rc = make_scenario(explainer);
        if (!rc)
            rc = measure(explainer, &paths);
    }
    return rc ? tell_failure(rc, explainer) : explain(explainer);
}

static int read_tolerance(const char *text, double *share, struct fl_err *err)
{
    char *end;
    double percent = strtod(text, &end);
    if (end == text || *end || !(percent >= 0) || percent > 1000)
        return fl_fail(err, -EINVAL, "--tolerance needs a number from 0 to 1000, not '%.80s'",
                       text);
    *share = percent / 100;
    return 0;
}

/* A cell is measured into a store that is made where there is none; a run must be there. */
static int start(struct explainer *explainer, const char *argument)
{
    enum fl_store_access access = strchr(argument, '=') ? FL_STORE_CREATE : FL_STORE_WRITE;
    struct fl_cell cell;
    int rc = read_tolerance(explainer->options->tolerance, &explainer->tolerance, &explainer->err);
    if (!rc && access == FL_STORE_CREATE) /* a slip makes no store */
        rc = fl_cell_parse(&cell, argument, &explainer->err);
    if (!rc)
        rc = fl_store_open(explainer->options->store, access, &explainer->store, &explainer->err);
    if (rc)
        return fl_complain(&explainer->err);
    int code = answer(explainer, argument);
    fl_scenario_release(&explainer->scenario);
    fl_explain_plan_release(&explainer->plan);
    fl_store_close(explainer->store);
    return code;
}

static int run(const struct fl_command *command, int argc, char **argv)
{
    struct explain_options options = {.store = FL_STORE_DEFAULT, .tolerance = "2"};
    const struct fl_option table[] = {
        {"store", "FILE", "store with the run, and to measure into (faultline.db)", FL_OPTION_TEXT,
         &options.store},
        {"label", "TEXT", "a name for the run that is made, to find it by", FL_OPTION_TEXT,
         &options.label},
        {"rounds", "N", "timed samples of each variant (21)", FL_OPTION_TEXT, &options.rounds},
        {"settle", "TIME", "calls before the window of a timed sample (20ms)", FL_OPTION_TEXT,
         &options.settle},
        {"window", "TIME", "length of a timed window (50ms)", FL_OPTION_TEXT, &options.window},
        {"calls", "N", "calls in the window of a counting sample (20)", FL_OPTION_TEXT,
         &options.calls},
        {"tolerance", "PERCENT", "gains up to this are none (2)", FL_OPTION_TEXT,
         &options.tolerance},
        {"seed", "N", "of orders and operands; drawn and stored if not given", FL_OPTION_TEXT,
         &options.seed},
        {"quiet", NULL, "no progress, only notes and failures", FL_OPTION_FLAG, &options.quiet},
        {.name = NULL},
    };
    int first, rc = fl_options_parse(command, table, argc, argv, &first);
    if (rc)
        return rc < 0 ? FL_EXIT_FAILURE : fl_finish_stdout();
    if (argc - first != 1) {
        fputs("faultline: explain takes one cell, 'kernel=dgemm n=192 ...' in quotes, or one run\n",
              stderr);
        return FL_EXIT_FAILURE;
    }
    struct explainer *explainer = calloc(1, sizeof *explainer);
    char *command_line = fl_command_line(argc, argv);
    int code = FL_EXIT_FAILURE;
    if (explainer && command_line) {
        explainer->options = &options;
        explainer->command_line = command_line;
        code = start(explainer, argv[first]);
    }
    free(command_line);
    free(explainer);
    return code;
}

const struct fl_command fl_command_explain = {
    .name = "explain",
    .summary = "find out why a cell is slow",
    .arguments = "'KEY'|RUN",
    .details =
        "Measures a cell again with one suspect removed at a time, all variants once in each\n"
        "round, and says how much of the loss each removal recovers, which counter fell with it,\n"
        "and what to do. Of a run it takes the cell that loses most; a run of explain itself is\n"
        "shown again without measuring.\n"
        "Exit codes: 0 explained, or nothing is wrong; 2 usage or failure; 5 the cell crashed,\n"
        "hung, computed wrongly or cannot run here; 130 interrupted.\n",
    .run = run,
};
