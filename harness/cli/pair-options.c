/* SPDX-License-Identifier: Apache-2.0 */
/* From options to an A/B run, and its end in words. */
#include "pair-options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "ab-progress.h"
#include "interruption.h"
#include "runner/gbench-side.h"
#include "runner/scenario-keys.h"

/* Windows of pairs are short: what matters is that there are many. */
#define SETTLE_SECONDS 0.020
#define WINDOW_SECONDS 0.050

/* ---- options onto the scenario ---- */

static int take_percent(const char *option, const char *text, double *out, struct fl_err *err)
{
    char *end;
    if (!text)
        return 0;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= 0 && value <= 1000))
        return fl_fail(err, -EINVAL, "--%s needs a percentage from 0 to 1000, not '%.80s'", option,
                       text);
    *out = value;
    return 0;
}

static int take_budget(const char *text, double *out, struct fl_err *err)
{
    double seconds, minutes;
    int length = 0;
    if (!text)
        return 0;
    /* `10min`, as in [gate] */
    bool in_minutes = sscanf(text, "%lfmin%n", &minutes, &length) == 1 && length && !text[length];
    if (!in_minutes && fl_factor_number(FL_FACTOR_TIME, text, &seconds))
        seconds = 0;
    *out = in_minutes ? 60 * minutes : seconds;
    if (*out >= 1 && *out <= 1e6)
        return 0;
    return fl_fail(err, -EINVAL,
                   "--budget needs a time of at least 1s, such as 90s or 10min, not "
                   "'%.80s'",
                   text);
}

static int apply(const struct fl_pair_options *options, struct fl_scenario *scenario,
                 struct fl_err *err)
{
    struct fl_scenario_gate *gate = &scenario->gate;
    int rc = take_percent("tolerance", options->tolerance, &gate->tolerance, err);
    if (!rc)
        rc = take_percent("detect", options->detect, &gate->detect, err);
    if (!rc)
        rc = take_budget(options->budget, &gate->budget, err);
    if (!rc && gate->detect <= gate->tolerance)
        rc = fl_fail(err, -EINVAL,
                     "the loss to be detected, %g %%, must be above the tolerance, "
                     "%g %%",
                     gate->detect, gate->tolerance);
    if (!rc)
        rc = fl_scenario_gate_finish(gate, scenario->path, err);
    if (!options->scenario.settle)
        scenario->settle = SETTLE_SECONDS;
    if (!options->scenario.window)
        scenario->window = WINDOW_SECONDS;
    return rc;
}

static int take_rounds(const struct fl_pair_options *options, const struct fl_scenario *scenario,
                       int *out, struct fl_err *err)
{
    *out = options->scenario.rounds ? scenario->rounds : options->rounds;
    if (options->scenario.rounds && !*out)
        return fl_fail(err, -EINVAL, "--rounds needs at least 1");
    return 0;
}

/* ---- measuring ---- */

static const char *what(const struct fl_pair_options *options)
{
    return options->purpose == FL_PAIRING_AB ? "A/B run" : "calibration";
}

static int tell_failure(int rc, const struct fl_err *err)
{
    if (rc != -EINTR)
        return fl_complain(err);
    fputs("faultline: interrupted before anything was measured\n", stderr);
    return FL_EXIT_INTERRUPTED;
}

static int tell_result(const struct fl_pair_options *options, const struct fl_ab_result *result)
{
    fprintf(stderr, "faultline: %s %s: %zu samples stored as runs %lld and %lld in '",
            what(options), result->interrupted ? "interrupted" : "finished", result->samples,
            (long long)result->runs[FL_AB_BASE], (long long)result->runs[FL_AB_HEAD]);
    fl_print_safe(stderr, options->store);
    fputs("'\n", stderr);
    if (result->unavailable)
        fprintf(stderr,
                "faultline: %zu of %zu pairs of cells cannot be measured here; `show` says "
                "why\n",
                result->unavailable, result->cells);
    if (result->interrupted) {
        fputs("faultline: add --resume to finish it\n", stderr);
        return FL_EXIT_INTERRUPTED;
    }
    if (result->open)
        fprintf(stderr,
                "faultline: the budget is spent with %zu cells undecided; a larger --budget "
                "decides more\n",
                result->open);
    return result->failed || result->unavailable == result->cells ? FL_EXIT_CELL : FL_EXIT_OK;
}

static int measure(const struct fl_pair_options *options, const struct fl_ab_request *asked,
                   struct fl_ab_result *result)
{
    struct fl_err err = {.text = ""};
    struct fl_ab_request request = *asked;
    struct fl_ab_view view;
    struct fl_ab_progress progress;
    struct fl_commit commit;
    int rc = fl_seed_take(options->seed, &request.seed, &err);
    if (!rc)
        rc = fl_commit_find(options->commit, &commit, &err);
    if (!rc)
        rc = take_rounds(options, request.scenarios[FL_AB_BASE], &request.rounds, &err);
    if (rc)
        return fl_complain(&err);
    request.commit = &commit;
    request.stop = fl_interruption_catch();
    request.budget =
        request.rounds && !options->budget ? 0 : request.scenarios[FL_AB_BASE]->gate.budget;
    fl_ab_progress_init(&view, what(options), options->quiet, &progress);
    request.progress = &progress;
    rc = fl_ab(&request, result, &err);
    fl_ab_progress_end(&view);
    return rc ? tell_failure(rc, &err) : tell_result(options, result);
}

/* The cells of a program are its benchmarks: nothing is left for a file to say but settings. */
static int make_scenario(const struct fl_pair_options *options, struct fl_scenario *scenario,
                         struct fl_err *err)
{
    static const char text[] = "[scenario]\nname = benchmarks\n[factors]\nkernel = null\n";
    char names[2][NAME_MAX + 1];
    for (int s = 0; s < 2; s++)
        if (!fl_gbench_side_program(options->texts[s], names[s], sizeof names[s]))
            return fl_fail(err, -EINVAL,
                           "%s takes one scenario: its name or a file; `faultline list scenarios` "
                           "has those that come with faultline. Only where all sides are programs, "
                           "gbench=PATH, none is needed",
                           fl_pairing_purpose_name(options->purpose));
    int rc =
        fl_scenario_read("the scenario of a program", text, strlen(text), false, scenario, err);
    if (rc)
        return rc;
    const struct fl_ini_line name = {.section = "scenario", .key = "name", .value = names[0]};
    const struct fl_ini_line title = {.section = "scenario", .key = "title", .value = names[0]};
    rc = fl_scenario_take(scenario, &name, err);
    if (!rc)
        rc = fl_scenario_take(scenario, &title, err);
    if (!rc)
        rc = fl_scenario_options_apply(&options->scenario, scenario, err);
    if (!rc &&
        (scenario->factor_count > 1 || scenario->library_count || options->scenario.plugins.count))
        rc = fl_fail(err, -EINVAL,
                     "factors, libraries and plug-ins have no effect on programs that are not "
                     "faultline's: leave them out");
    if (rc)
        fl_scenario_release(scenario);
    return rc;
}

/* Each side changes a scenario of its own. */
static int load(const struct fl_pair_options *options, const struct fl_install_paths *paths,
                const char *name, struct fl_scenario scenarios[2], struct fl_err *err)
{
    int rc = 0;
    for (int s = 0; s < 2 && !rc; s++)
        rc = options->texts[s] ? fl_side_use_plugins(options->texts[s], err) : 0;
    for (int s = 0; s < 2 && !rc; s++) {
        rc = name ? fl_scenario_options_load(paths, name, &options->scenario, &scenarios[s], err)
                  : make_scenario(options, &scenarios[s], err);
        if (!rc)
            rc = apply(options, &scenarios[s], err);
    }
    return rc;
}

static int check_resume(const struct fl_pair_options *options, struct fl_err *err)
{
    if (!options->resume || (!options->seed && !options->label))
        return 0;
    return fl_fail(err, -EINVAL, "--%s is of no use with --resume: a run keeps its own",
                   options->seed ? "seed" : "label");
}

int fl_pair_measure(const struct fl_pair_options *options, const char *scenario,
                    const char *command_line, struct fl_pair_measured *out)
{
    struct fl_err err = {.text = ""};
    struct fl_install_paths paths = {.worker = ""};
    struct fl_scenario scenarios[2] = {{.path = NULL}, {.path = NULL}};
    *out = (struct fl_pair_measured){.store = options->store};
    int rc = check_resume(options, &err);
    if (!rc)
        rc = fl_install_paths_find(&paths, &err);
    if (!rc)
        rc = load(options, &paths, scenario, scenarios, &err);
    struct fl_ab_request request = {
        .scenarios = {&scenarios[0], &scenarios[1]},
        .texts = {options->texts[0], options->texts[1]},
        .build = options->build,
        .shim = paths.shim[0] ? paths.shim : NULL,
        .worker = paths.worker,
        .probe = paths.probe[0] ? paths.probe : NULL,
        .store = options->store,
        .label = options->label,
        .command_line = command_line,
        .purpose = options->purpose,
        .resume = options->resume,
    };
    int code = rc ? fl_complain(&err) : measure(options, &request, &out->result);
    fl_scenario_release(&scenarios[FL_AB_HEAD]);
    if (code == FL_EXIT_OK || code == FL_EXIT_CELL)
        out->scenario = scenarios[FL_AB_BASE];
    else
        fl_scenario_release(&scenarios[FL_AB_BASE]);
    return code;
}
