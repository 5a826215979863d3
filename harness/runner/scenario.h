/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scenario: an experiment as a keyed INI file, read with inih.
 *
 *   [scenario]   name, title
 *   [libraries]  alias = path of a shared library
 *   [factors]    factor = level, level, ...   lists expand to a product
 *   [cells]      KEY                          one a line, in place of the product
 * (scenario-cells.h) [measure]    settle, window, rounds, calls, counting-rounds, timeout, metrics
 *   [crossover]  search, from, to, compare, levels, predictor, predicted (scenario-crossover.h)
 *   [gate]       tolerance, detect, budget, ... (scenario-gate.h)
 *   [short]      any key of [factors] or [measure], in force with --short
 *   [skip]       SELECTOR                     one a line: matching cells are left out
 *   [expect]     SELECTOR : METRIC = VALUE    checked on every sample, per call
 *   [published HOST]  the same                printed beside what was measured, not judged
 *
 * A list goes on in indented lines. A mistake is reported with file, line and key, what would be
 * accepted and the nearest spelling. A loaded scenario is constant: threads may share it.
 */
#ifndef FL_SCENARIO_H
#define FL_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>

#include "faultline/error.h"
#include "runner/rule.h"
#include "runner/scenario-crossover.h"
#include "runner/scenario-gate.h"

/* A level in a list, and where it was written. */
struct fl_scenario_level {
    char *text;
    int line;
};

struct fl_scenario_factor {
    char *name;
    struct fl_scenario_level *levels;
    size_t count;
};

struct fl_scenario_library {
    char *alias, *path;
};

/* Another file in the place of a plug-in that this process has loaded. */
struct fl_scenario_plugin {
    char *loaded, *instead;
    char *copy; /* of `instead`, which is what is loaded; NULL: there is none */
};

struct fl_scenario {
    char *path; /* of the file, as given */
    char *text; /* of the file, whole: stored with each run */
    char *name, *title;
    struct fl_scenario_library *libraries;
    size_t library_count;
    struct fl_scenario_plugin *plugins;
    size_t plugin_count;
    struct fl_scenario_factor *factors;
    size_t factor_count;
    struct fl_scenario_level *cells; /* keys, as written; none where there are factors */
    size_t cell_count;
    struct fl_rule *skips;
    size_t skip_count;
    struct fl_rule *expectations; /* [expect], then [published] */
    size_t expectation_count;
    struct fl_scenario_crossover crossover;
    struct fl_scenario_gate gate;
    char **metrics;
    size_t metric_count;
    double settle, window; /* seconds, of a timed sample */
    double timeout;        /* seconds of a sample beside those */
    int rounds;            /* timed samples per cell */
    int counting_rounds;   /* counting samples per cell */
    long calls;            /* in the window of a counting sample */
    bool short_form;       /* the [short] section is in force */
};

/*
 * Reads and checks a file. 0; -errno from opening it; -EINVAL with the reason. On success the
 * caller releases it.
 */
int fl_scenario_load(const char *path, bool short_form, struct fl_scenario *scenario,
                     struct fl_err *err) FL_MUST_CHECK;

/* As fl_scenario_load() for text in memory (`length` bytes); `path` is for messages. */
int fl_scenario_read(const char *path, const char *text, size_t length, bool short_form,
                     struct fl_scenario *scenario, struct fl_err *err) FL_MUST_CHECK;

/*
 * Sets `key = value` as if it stood in the file: a factor's list or a setting of [measure]. For the
 * command line. -EINVAL with the reason.
 */
int fl_scenario_set(struct fl_scenario *scenario, const char *key, const char *value,
                    struct fl_err *err) FL_MUST_CHECK;

void fl_scenario_release(struct fl_scenario *scenario);

/* Workers load the plug-in file `instead`, or its copy where that is not NULL, where the one at
 * `loaded` is meant. 0, -ENOMEM. */
int fl_scenario_set_plugin(struct fl_scenario *scenario, const char *loaded, const char *instead,
                           const char *copy, struct fl_err *err) FL_MUST_CHECK;

/* The file that is loaded in the place of `loaded`, and the one of which it is a copy; `loaded`
 * itself where nothing was set. */
const char *fl_scenario_plugin(const struct fl_scenario *scenario, const char *loaded);
const char *fl_scenario_plugin_origin(const struct fl_scenario *scenario, const char *loaded);

/* Path behind a library alias of the scenario, or NULL. */
const char *fl_scenario_library(const struct fl_scenario *scenario, const char *alias);

#endif
