/* SPDX-License-Identifier: Apache-2.0 */
/* Scenario options: what `run`, `ab` and `calibrate` may say about a scenario on the command line,
 * put onto the file. */
#ifndef FL_SCENARIO_OPTIONS_H
#define FL_SCENARIO_OPTIONS_H

#include "command.h"
#include "install-paths.h"
#include "runner/scenario.h"

struct fl_scenario_options {
    const char *rounds, *settle, *window, *calls, *metrics; /* NULL: as the scenario has it */
    struct fl_texts sets, libraries, plugins;
    bool short_form;
};

/* Rows for a command's table of options; `ROUNDS` is the help of --rounds. */
#define FL_SCENARIO_OPTION_ROWS(options, ROUNDS)                                                   \
    {"short", NULL, "the scenario's short form", FL_OPTION_FLAG, &(options)->short_form},          \
        {"set", "FACTOR=LIST", "replace a factor's levels; may be repeated", FL_OPTION_TEXTS,      \
         &(options)->sets},                                                                        \
        {"library", "ALIAS=PATH", "path behind a library's alias; may be repeated",                \
         FL_OPTION_TEXTS, &(options)->libraries},                                                  \
        {"plugin", "FILE", "shared library with kernels of yours; may be repeated",                \
         FL_OPTION_TEXTS, &(options)->plugins},                                                    \
        {"rounds", "N", ROUNDS, FL_OPTION_TEXT, &(options)->rounds},                               \
        {"settle", "TIME", "calls before the window of a timed sample", FL_OPTION_TEXT,            \
         &(options)->settle},                                                                      \
        {"window", "TIME", "length of a timed window", FL_OPTION_TEXT, &(options)->window},        \
        {"calls", "N", "calls in the window of a counting sample", FL_OPTION_TEXT,                 \
         &(options)->calls},                                                                       \
    {                                                                                              \
        "metrics", "LIST", "what to measure; `faultline list counters` has them all",              \
            FL_OPTION_TEXT, &(options)->metrics                                                    \
    }

/*
 * Loads the plug-ins, then the scenario of that name, and applies the options. What plug-ins are
 * asked meanwhile they are asked in a child first. On success the caller releases the scenario.
 */
int fl_scenario_options_load(const struct fl_install_paths *paths, const char *name,
                             const struct fl_scenario_options *options,
                             struct fl_scenario *scenario, struct fl_err *err) FL_MUST_CHECK;

/* Puts the options, plug-ins apart, onto a scenario. 0, or -EINVAL with the reason. */
int fl_scenario_options_apply(const struct fl_scenario_options *options,
                              struct fl_scenario *scenario, struct fl_err *err) FL_MUST_CHECK;

/* Reads --seed, or draws one where there is none. 0, -EINVAL, -EIO. */
int fl_seed_take(const char *text, uint64_t *seed, struct fl_err *err) FL_MUST_CHECK;

#endif
