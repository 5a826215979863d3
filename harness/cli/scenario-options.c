/* SPDX-License-Identifier: Apache-2.0 */
/* Options onto a scenario, and its seed. */
#include "scenario-options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "faultline/library.h"
#include "runner/plan.h"
#include "runner/plugins.h"
#include "runner/scenario-keys.h"

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

int fl_scenario_options_apply(const struct fl_scenario_options *options,
                              struct fl_scenario *scenario, struct fl_err *err)
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

static int load(const char *file, const struct fl_scenario_options *options,
                struct fl_scenario *scenario, struct fl_err *err)
{
    int rc = fl_scenario_load(file, options->short_form, scenario, err);
    if (rc)
        return rc;
    rc = fl_scenario_options_apply(options, scenario, err);
    if (rc)
        fl_scenario_release(scenario);
    return rc;
}

struct planned {
    const char *file;
    const struct fl_scenario_options *options;
};

/* In a child: every check() and cost() of a plug-in that this process will call. */
static int try_plan(void *arg, struct fl_rehearsal *rehearsal, struct fl_err *err)
{
    const struct planned *what = arg;
    struct fl_scenario scenario;
    struct fl_plan plan;
    snprintf(rehearsal->stage, sizeof rehearsal->stage, "%s", FL_PLANNING_STAGE);
    int rc = load(what->file, what->options, &scenario, err);
    if (rc)
        return rc;
    rc = fl_plan_make(&scenario, &plan, err);
    if (!rc)
        fl_plan_release(&plan);
    fl_scenario_release(&scenario);
    return rc;
}

int fl_scenario_options_load(const struct fl_install_paths *paths, const char *name,
                             const struct fl_scenario_options *options,
                             struct fl_scenario *scenario, struct fl_err *err)
{
    char file[PATH_MAX];
    int rc = fl_plugins_use(options->plugins.items, options->plugins.count, err);
    if (!rc)
        rc = fl_install_scenario(paths, name, file, sizeof file, err);
    struct planned what = {file, options};
    if (!rc)
        rc = fl_plugins_rehearse(try_plan, &what, err);
    return rc ? rc : load(file, options, scenario, err);
}

int fl_seed_take(const char *text, uint64_t *seed, struct fl_err *err)
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
