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
#include "runner/plugins.h"
#include "runner/run-description.h"
#include "runner/run.h"
#include "scenario-options.h"
#include "terminal.h"

struct explain_options {
    const char *store, *label, *seed, *tolerance;
    struct fl_scenario_options scenario;
    bool quiet;
};

struct explainer {
    const struct explain_options *options;
    const char *command_line;
    double tolerance; /* a share */
    struct fl_store *store;
    int64_t source;                    /* run that the cell was taken from; 0: none */
    char key[FL_CELL_KEY_MAX];         /* of the slow cell */
    int64_t run;                       /* that has the variants; 0: still to be measured */
    struct fl_scenario_options chosen; /* the run's libraries among them */
    struct fl_arena arena;             /* of those */
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

/* ---- what the cell's run was told ---- */

/* What stands behind `name` in the name of a fact; NULL: the fact is another. */
static const char *setting(const struct fl_fact *fact, const char *name)
{
    size_t length = strlen(name);
    return strncmp(fact->name, name, length) != 0 ? NULL : fact->name + length;
}

/* Paths of the run's libraries and plug-ins, which the key has not. */
static int take_setting(void *arg, const struct fl_fact *fact)
{
    struct explainer *explainer = arg;
    struct fl_texts *libraries = &explainer->chosen.libraries;
    const char *alias = setting(fact, FL_RUN_SETTING "library.");
    if (setting(fact, FL_RUN_SETTING "plugin."))
        return fl_plugins_use(&fact->value, 1, &explainer->err);
    if (!alias || libraries->count == FL_TEXTS_MAX)
        return 0;
    size_t bytes = strlen(alias) + strlen(fact->value) + sizeof "=";
    char *text = fl_arena_alloc(&explainer->arena, bytes, 1);
    if (!text)
        return fl_fail(&explainer->err, -ENOMEM, "out of memory");
    snprintf(text, bytes, "%s=%s", alias, fact->value);
    libraries->items[libraries->count++] = text;
    return 0;
}

/* The command line's libraries come behind them and so have the last word. */
static int take_settings(struct explainer *explainer)
{
    const struct fl_texts *mine = &explainer->options->scenario.libraries;
    struct fl_texts *libraries = &explainer->chosen.libraries;
    int rc = 0;
    explainer->chosen = explainer->options->scenario;
    libraries->count = 0;
    if (explainer->source)
        rc = fl_store_environment(explainer->store, explainer->source, take_setting, explainer,
                                  &explainer->err);
    for (size_t i = 0; i < mine->count && libraries->count < FL_TEXTS_MAX; i++)
        libraries->items[libraries->count++] = mine->items[i];
    return rc;
}

/* ---- the scenario ---- */

static int apply_options(struct explainer *explainer)
{
    int rc = fl_scenario_options_apply(&explainer->chosen, &explainer->scenario, &explainer->err);
    if (!rc && explainer->scenario.rounds > FL_EXPLAIN_ROUNDS)
        rc = fl_fail(&explainer->err, -EINVAL, "rounds: at most %d can be explained",
                     FL_EXPLAIN_ROUNDS);
    return rc;
}

static int make_scenario(struct explainer *explainer)
{
    char *text = NULL;
    struct fl_plan plan;
    int rc = fl_explain_scenario(&explainer->plan, &text, &explainer->err);
    if (!rc)
        rc = fl_scenario_read(FL_EXPLAIN_SCENARIO, text, strlen(text), false, &explainer->scenario,
                              &explainer->err);
    free(text);
    if (!rc)
        rc = apply_options(explainer);
    if (!rc && !(rc = fl_plan_make(&explainer->scenario, &plan, &explainer->err)))
        fl_plan_release(&plan);
    return rc;
}

static int prepare(struct explainer *explainer)
{
    int rc = fl_explain_plan_make(explainer->key, &explainer->plan, &explainer->err);
    return rc || explainer->run ? rc : make_scenario(explainer);
}

/* In a child: every check() and cost() of a plug-in that this process will call. */
static int try_prepare(void *arg, struct fl_rehearsal *rehearsal, struct fl_err *err)
{
    struct explainer *explainer = arg;
    snprintf(rehearsal->stage, sizeof rehearsal->stage, "%s", FL_PLANNING_STAGE);
    int rc = prepare(explainer);
    *err = explainer->err;
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
    char text[32];
    double seconds = fl_forecast_seconds(&explainer->scenario, explainer->plan.count + 1);
    if (explainer->options->quiet)
        return;
    fl_progress_duration(seconds < 1 ? 1 : seconds, text, sizeof text);
    fprintf(stderr, "faultline: the cell and %zu variants, %d rounds: at least %s\n",
            explainer->plan.count, explainer->scenario.rounds, text);
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
        rc = take_settings(explainer);
    if (!rc)
        rc = fl_plugins_rehearse(try_prepare, explainer, &explainer->err);
    if (!rc)
        rc = prepare(explainer);
    if (!rc && !explainer->run)
        rc = measure(explainer, &paths);
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
    const struct fl_texts *plugins = &explainer->options->scenario.plugins;
    struct fl_cell cell;
    int rc = read_tolerance(explainer->options->tolerance, &explainer->tolerance, &explainer->err);
    if (!rc)
        rc = fl_plugins_use(plugins->items, plugins->count, &explainer->err);
    if (!rc && access == FL_STORE_CREATE && !plugins->count) /* a slip makes no store */
        rc = fl_cell_parse(&cell, argument, &explainer->err);
    if (!rc)
        rc = fl_store_open(explainer->options->store, access, &explainer->store, &explainer->err);
    if (rc)
        return fl_complain(&explainer->err);
    int code = answer(explainer, argument);
    fl_scenario_release(&explainer->scenario);
    fl_explain_plan_release(&explainer->plan);
    fl_arena_release(&explainer->arena);
    fl_store_close(explainer->store);
    return code;
}

static int explain_argument(const struct explain_options *options, int argc, char **argv,
                            const char *argument)
{
    struct fl_err err;
    struct explainer *explainer = calloc(1, sizeof *explainer);
    char *command_line = fl_command_line(argc, argv);
    int code = FL_EXIT_FAILURE;
    if (explainer && command_line) {
        explainer->options = options;
        explainer->command_line = command_line;
        code = start(explainer, argument);
    } else {
        fl_fail(&err, -ENOMEM, "out of memory");
        fl_complain(&err);
    }
    free(command_line);
    free(explainer);
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
        {"library", "ALIAS=PATH", "path behind a library's alias; may be repeated", FL_OPTION_TEXTS,
         &options.scenario.libraries},
        {"plugin", "FILE", "shared library with kernels of yours; may be repeated", FL_OPTION_TEXTS,
         &options.scenario.plugins},
        {"rounds", "N", "timed samples of each variant (21)", FL_OPTION_TEXT,
         &options.scenario.rounds},
        {"settle", "TIME", "calls before the window of a timed sample (20ms)", FL_OPTION_TEXT,
         &options.scenario.settle},
        {"window", "TIME", "length of a timed window (50ms)", FL_OPTION_TEXT,
         &options.scenario.window},
        {"calls", "N", "calls in the window of a counting sample (20)", FL_OPTION_TEXT,
         &options.scenario.calls},
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
    return explain_argument(&options, argc, argv, argv[first]);
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
