/* SPDX-License-Identifier: Apache-2.0 */
/* What each key of a scenario file sets. */
#include "runner/scenario-keys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/registry.h"
#include "runner/scenario-cells.h"

/* ---- settings of [measure] ---- */

enum setting_type { SETTING_TIME, SETTING_COUNT, SETTING_METRICS };

static const struct setting {
    const char *name;
    enum setting_type type;
    double min, max; /* seconds or a count */
} settings[] = {
    {"settle", SETTING_TIME, 0, 60},     {"window", SETTING_TIME, 1e-4, 600},
    {"timeout", SETTING_TIME, 1, 86400}, {"rounds", SETTING_COUNT, 0, 100000},
    {"calls", SETTING_COUNT, 1, 1e9},    {"counting-rounds", SETTING_COUNT, 0, 1000},
    {"metrics", SETTING_METRICS, 0, 0},
};

static const char *const setting_names[] = {"settle", "window",          "timeout", "rounds",
                                            "calls",  "counting-rounds", "metrics", NULL};

void fl_scenario_defaults(struct fl_scenario *scenario)
{
    scenario->settle = 0.150;
    scenario->window = 0.100;
    scenario->timeout = 60;
    scenario->rounds = 7;
    scenario->counting_rounds = 2;
    scenario->calls = 20;
    fl_scenario_gate_defaults(&scenario->gate);
}

static const struct setting *find_setting(const char *key)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (!strcmp(settings[i].name, key))
            return &settings[i];
    return NULL;
}

static void store_number(struct fl_scenario *scenario, const char *key, double value)
{
    if (!strcmp(key, "settle"))
        scenario->settle = value;
    else if (!strcmp(key, "window"))
        scenario->window = value;
    else if (!strcmp(key, "timeout"))
        scenario->timeout = value;
    else if (!strcmp(key, "rounds"))
        scenario->rounds = (int)value;
    else if (!strcmp(key, "calls"))
        scenario->calls = (long)value;
    else
        scenario->counting_rounds = (int)value;
}

/* ---- lists ---- */

static char *copy(const char *text)
{
    return strdup(text);
}

static int out_of_memory(struct fl_err *err)
{
    return fl_fail(err, -ENOMEM, "out of memory");
}

static struct fl_scenario_factor *find_factor(struct fl_scenario *scenario, const char *name)
{
    for (size_t i = 0; i < scenario->factor_count; i++)
        if (!strcmp(scenario->factors[i].name, name))
            return &scenario->factors[i];
    return NULL;
}

static struct fl_scenario_factor *add_factor(struct fl_scenario *scenario, const char *name)
{
    size_t bytes = (scenario->factor_count + 1) * sizeof *scenario->factors;
    struct fl_scenario_factor *grown = realloc(scenario->factors, bytes);
    if (!grown)
        return NULL;
    scenario->factors = grown;
    grown[scenario->factor_count] = (struct fl_scenario_factor){.name = copy(name)};
    return grown[scenario->factor_count].name ? &grown[scenario->factor_count++] : NULL;
}

static void clear_levels(struct fl_scenario_factor *factor)
{
    for (size_t i = 0; i < factor->count; i++)
        free(factor->levels[i].text);
    free(factor->levels);
    factor->levels = NULL;
    factor->count = 0;
}

static int add_level(struct fl_scenario_factor *factor, const char *text, int line,
                     struct fl_err *err)
{
    for (size_t i = 0; i < factor->count; i++)
        if (!strcmp(factor->levels[i].text, text))
            return fl_fail(err, -EINVAL, "level '%.80s' is listed twice", text);
    struct fl_scenario_level *grown = realloc(factor->levels, (factor->count + 1) * sizeof *grown);
    if (!grown)
        return out_of_memory(err);
    factor->levels = grown;
    grown[factor->count] = (struct fl_scenario_level){copy(text), line};
    return grown[factor->count].text ? (factor->count++, 0) : out_of_memory(err);
}

/* A level that the kernels' own tables cannot judge before the cell is known. */
static bool is_symbolic(const char *factor, const char *level)
{
    return !strcmp(factor, "history") && !strcmp(level, "ascending");
}

static int check_level(const char *name, const char *level, struct fl_err *err)
{
    if (is_symbolic(name, level))
        return 0;
    return fl_registry_check_level(name, level, err);
}

static int take_levels(struct fl_scenario *scenario, const char *key, const char *value, int line,
                       bool more, struct fl_err *err)
{
    struct fl_scenario_factor *factor = find_factor(scenario, key);
    if (factor && !more)
        clear_levels(factor);
    if (!factor)
        factor = add_factor(scenario, key);
    if (!factor)
        return out_of_memory(err);
    char level[FL_LEVEL_MAX];
    int rc;
    while ((rc = fl_ini_item(&value, level, sizeof level, err)) > 0) {
        rc = check_level(key, level, err);
        if (!rc)
            rc = add_level(factor, level, line, err);
        if (rc)
            return rc;
    }
    return rc;
}

static void clear_metrics(struct fl_scenario *scenario)
{
    for (size_t i = 0; i < scenario->metric_count; i++)
        free(scenario->metrics[i]);
    free(scenario->metrics);
    scenario->metrics = NULL;
    scenario->metric_count = 0;
}

static int add_metric(struct fl_scenario *scenario, const char *name, struct fl_err *err)
{
    struct fl_metric metric;
    const struct fl_counter_ops *counter;
    if (fl_registry_metric(name, &metric, &counter, err))
        return -EINVAL;
    for (size_t i = 0; i < scenario->metric_count; i++)
        if (!strcmp(scenario->metrics[i], name))
            return 0;
    char **grown = realloc(scenario->metrics, (scenario->metric_count + 1) * sizeof *grown);
    if (!grown)
        return out_of_memory(err);
    scenario->metrics = grown;
    grown[scenario->metric_count] = copy(name);
    return grown[scenario->metric_count] ? (scenario->metric_count++, 0) : out_of_memory(err);
}

static int take_metrics(struct fl_scenario *scenario, const char *value, bool more,
                        struct fl_err *err)
{
    char name[128];
    int rc;
    if (!more)
        clear_metrics(scenario);
    while ((rc = fl_ini_item(&value, name, sizeof name, err)) > 0) {
        rc = add_metric(scenario, name, err);
        if (rc)
            return rc;
    }
    return rc;
}

/* ---- sections ---- */

static int take_setting(struct fl_scenario *scenario, const char *key, const char *value, bool more,
                        struct fl_err *err)
{
    const struct setting *setting = find_setting(key);
    if (!setting) {
        const char *near = fl_nearest(key, setting_names);
        return fl_fail(err, -EINVAL,
                       "unknown setting%s%s%s: accepted: settle, window, timeout, rounds, calls, "
                       "counting-rounds, metrics",
                       near ? ", did you mean '" : "", near ? near : "", near ? "'" : "");
    }
    if (setting->type == SETTING_METRICS)
        return take_metrics(scenario, value, more, err);
    bool time = setting->type == SETTING_TIME;
    double number = 0;
    if (fl_factor_number(time ? FL_FACTOR_TIME : FL_FACTOR_INT, value, &number) ||
        number < setting->min || number > setting->max)
        return fl_fail(err, -EINVAL, "'%.80s' is not accepted: expected %s from %g to %g%s", value,
                       time ? "a time such as 150ms" : "a whole number", setting->min, setting->max,
                       time ? " s" : "");
    store_number(scenario, key, number);
    return 0;
}

static int take_title(struct fl_scenario *scenario, const char *key, const char *value,
                      struct fl_err *err)
{
    char **field = !strcmp(key, "name")    ? &scenario->name
                   : !strcmp(key, "title") ? &scenario->title
                                           : NULL;
    if (!field)
        return fl_fail(err, -EINVAL, "unknown key: accepted: name, title");
    free(*field);
    *field = copy(value);
    return *field ? 0 : out_of_memory(err);
}

static int take_library(struct fl_scenario *scenario, const char *alias, const char *path,
                        struct fl_err *err)
{
    int rc = fl_registry_check_level("library", alias, err);
    if (rc)
        return rc;
    if (!*path)
        return fl_fail(err, -EINVAL, "library '%s' has no path", alias);
    for (size_t i = 0; i < scenario->library_count; i++)
        if (!strcmp(scenario->libraries[i].alias, alias)) {
            free(scenario->libraries[i].path);
            scenario->libraries[i].path = copy(path);
            return scenario->libraries[i].path ? 0 : out_of_memory(err);
        }
    size_t bytes = (scenario->library_count + 1) * sizeof *scenario->libraries;
    struct fl_scenario_library *grown = realloc(scenario->libraries, bytes);
    if (!grown)
        return out_of_memory(err);
    scenario->libraries = grown;
    struct fl_scenario_library *added = &grown[scenario->library_count++];
    *added = (struct fl_scenario_library){copy(alias), copy(path)};
    return added->alias && added->path ? 0 : out_of_memory(err);
}

static int take_short(struct fl_scenario *scenario, const char *key, const char *value, int line,
                      bool more, struct fl_err *err)
{
    struct fl_scenario ignored = {.name = NULL};
    struct fl_scenario *into = scenario->short_form ? scenario : &ignored;
    int rc = find_setting(key) ? take_setting(into, key, value, more, err)
                               : take_levels(into, key, value, line, more, err);
    fl_scenario_release(&ignored);
    return rc;
}

int fl_scenario_take(struct fl_scenario *scenario, const struct fl_ini_line *line,
                     struct fl_err *err)
{
    const char *key = line->key, *value = line->value;
    if (!strcmp(line->section, "scenario"))
        return take_title(scenario, key, value, err);
    if (!strcmp(line->section, "libraries"))
        return take_library(scenario, key, value, err);
    if (!strcmp(line->section, "crossover"))
        return fl_crossover_take(&scenario->crossover, key, value, err);
    if (!strcmp(line->section, "gate"))
        return fl_scenario_gate_take(&scenario->gate, line, err);
    if (!strcmp(line->section, "factors") && !line->more && find_factor(scenario, key))
        return fl_fail(err, -EINVAL,
                       "the factor has a list already: continue it on indented lines");
    if (!strcmp(line->section, "factors"))
        return take_levels(scenario, key, value, line->number, line->more, err);
    if (!strcmp(line->section, "measure"))
        return take_setting(scenario, key, value, line->more, err);
    return take_short(scenario, key, value, line->number, line->more, err);
}

int fl_scenario_set(struct fl_scenario *scenario, const char *key, const char *value,
                    struct fl_err *err)
{
    int rc = find_setting(key) ? take_setting(scenario, key, value, false, err)
                               : take_levels(scenario, key, value, 0, false, err);
    return rc ? fl_fail_within(err, rc, "%s", key) : 0;
}

int fl_scenario_finish(struct fl_scenario *scenario, struct fl_err *err)
{
    if (!scenario->name || !*scenario->name)
        return fl_fail(err, -EINVAL, "%s: [scenario] has no name", scenario->path);
    if (!scenario->title && !(scenario->title = copy(scenario->name)))
        return out_of_memory(err);
    struct fl_scenario_factor *kernel = find_factor(scenario, "kernel");
    if (scenario->cell_count && fl_scenario_cells_finish(scenario, err))
        return -EINVAL;
    if (!scenario->cell_count && (!kernel || !kernel->count))
        return fl_fail(err, -EINVAL, "%s: [factors] has no kernel", scenario->path);
    if (fl_crossover_finish(&scenario->crossover, err))
        return fl_fail_within(err, -EINVAL, "%s", scenario->path);
    if (fl_scenario_gate_finish(&scenario->gate, scenario->path, err))
        return -EINVAL;
    if (!scenario->metric_count)
        return take_metrics(scenario, "time, gflops, minor-faults", false, err);
    return 0;
}

static struct fl_scenario_plugin *plugin_row(const struct fl_scenario *scenario, const char *loaded)
{
    for (size_t i = 0; i < scenario->plugin_count; i++)
        if (!strcmp(scenario->plugins[i].loaded, loaded))
            return &scenario->plugins[i];
    return NULL;
}

static void release_plugin(const struct fl_scenario_plugin *plugin)
{
    free(plugin->loaded);
    free(plugin->instead);
    free(plugin->copy);
}

int fl_scenario_set_plugin(struct fl_scenario *scenario, const char *loaded, const char *instead,
                           const char *copied, struct fl_err *err)
{
    struct fl_scenario_plugin made = {copy(loaded), copy(instead), copied ? copy(copied) : NULL};
    struct fl_scenario_plugin *row = plugin_row(scenario, loaded);
    size_t bytes = (scenario->plugin_count + 1) * sizeof *row;
    struct fl_scenario_plugin *grown = row ? scenario->plugins : realloc(scenario->plugins, bytes);
    if (grown)
        scenario->plugins = grown;
    if (!grown || !made.loaded || !made.instead || (copied && !made.copy)) {
        release_plugin(&made);
        return out_of_memory(err);
    }
    if (row)
        release_plugin(row);
    else
        row = &grown[scenario->plugin_count++];
    *row = made;
    return 0;
}

const char *fl_scenario_plugin_origin(const struct fl_scenario *scenario, const char *loaded)
{
    const struct fl_scenario_plugin *row = plugin_row(scenario, loaded);
    return row ? row->instead : loaded;
}

const char *fl_scenario_plugin(const struct fl_scenario *scenario, const char *loaded)
{
    const struct fl_scenario_plugin *row = plugin_row(scenario, loaded);
    return row && row->copy ? row->copy : fl_scenario_plugin_origin(scenario, loaded);
}

const char *fl_scenario_library(const struct fl_scenario *scenario, const char *alias)
{
    for (size_t i = 0; i < scenario->library_count; i++)
        if (!strcmp(scenario->libraries[i].alias, alias))
            return scenario->libraries[i].path;
    return NULL;
}

void fl_scenario_release(struct fl_scenario *scenario)
{
    free(scenario->path);
    free(scenario->text);
    free(scenario->name);
    free(scenario->title);
    for (size_t i = 0; i < scenario->library_count; i++) {
        free(scenario->libraries[i].alias);
        free(scenario->libraries[i].path);
    }
    free(scenario->libraries);
    for (size_t i = 0; i < scenario->plugin_count; i++)
        release_plugin(&scenario->plugins[i]);
    free(scenario->plugins);
    for (size_t i = 0; i < scenario->factor_count; i++) {
        free(scenario->factors[i].name);
        clear_levels(&scenario->factors[i]);
    }
    free(scenario->factors);
    fl_scenario_cells_release(scenario);
    free(scenario->skips);
    free(scenario->expectations);
    clear_metrics(scenario);
    fl_scenario_gate_release(&scenario->gate);
    *scenario = (struct fl_scenario){.path = NULL};
}
