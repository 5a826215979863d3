/* SPDX-License-Identifier: Apache-2.0 */
/* Reading scenario files: which section takes a line. */
#include "runner/scenario.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/factor.h"
#include "runner/scenario-cells.h"
#include "runner/scenario-keys.h"

#define PUBLISHED "published"

/* `published`, with or without the name of a host behind it. */
static bool is_published(const char *section)
{
    size_t length = strlen(PUBLISHED);
    return !strncmp(section, PUBLISHED, length) && (!section[length] || section[length] == ' ');
}

/* inih cuts a rule at its first '=' or ':'; an indented rule arrives whole. */
static int add_rule(struct fl_scenario *scenario, const struct fl_ini_line *line,
                    struct fl_err *err)
{
    const char *section = line->section;
    bool skip = !strcmp(section, "skip");
    char text[FL_RULE_TEXT];
    struct fl_rule rule;
    int rc = fl_ini_whole(line, text, sizeof text, err);
    if (!rc)
        rc = fl_rule_parse(text, !skip, &rule, err);
    if (rc)
        return rc;
    rule.line = line->number;
    rule.published = is_published(section);
    if (rule.published)
        snprintf(rule.host, sizeof rule.host, "%s",
                 section[strlen(PUBLISHED)] ? section + strlen(PUBLISHED) + 1 : "another host");
    struct fl_rule **rules = skip ? &scenario->skips : &scenario->expectations;
    size_t *count = skip ? &scenario->skip_count : &scenario->expectation_count;
    struct fl_rule *grown = realloc(*rules, (*count + 1) * sizeof *grown);
    if (!grown)
        return fl_fail(err, -ENOMEM, "out of memory");
    grown[(*count)++] = rule;
    *rules = grown;
    return 0;
}

static bool holds_rules(const char *section)
{
    return !strcmp(section, "skip") || !strcmp(section, "expect") || is_published(section);
}

int fl_scenario_check_section(const char *section, struct fl_err *err)
{
    static const char *const sections[] = {"scenario", "libraries", "factors", "measure",
                                           "short",    "skip",      "expect",  "published",
                                           "gate",     "crossover", "cells",   NULL};
    if (holds_rules(section))
        return 0;
    for (const char *const *s = sections; *s; s++)
        if (!strcmp(*s, section))
            return 0;
    const char *near = fl_nearest(section, sections);
    return fl_fail(err, -EINVAL,
                   "unknown section '[%.60s]'%s%s%s: accepted: scenario, libraries, factors, "
                   "cells, measure, short, skip, expect, published, gate, crossover",
                   section, near ? ", did you mean '[" : "", near ? near : "", near ? "]'" : "");
}

static int take_line(void *arg, const struct fl_ini_line *line, struct fl_err *err)
{
    if (holds_rules(line->section))
        return add_rule(arg, line, err);
    if (!strcmp(line->section, "cells"))
        return fl_scenario_cells_take(arg, line, err);
    int rc = fl_scenario_check_section(line->section, err);
    return rc ? rc : fl_scenario_take(arg, line, err);
}

static char *copy_bytes(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (!copy)
        return NULL;
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): a text that was read is not NULL */
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

int fl_scenario_read(const char *path, const char *text, size_t length, bool short_form,
                     struct fl_scenario *scenario, struct fl_err *err)
{
    *scenario = (struct fl_scenario){.short_form = short_form};
    fl_scenario_defaults(scenario);
    scenario->path = copy_bytes(path, strlen(path));
    scenario->text = copy_bytes(text, length);
    if (!scenario->path || !scenario->text) {
        fl_scenario_release(scenario);
        return fl_fail(err, -ENOMEM, "cannot read '%s': out of memory", path);
    }
    int rc = fl_ini_read(path, text, length, take_line, scenario, err);
    if (!rc)
        rc = fl_scenario_finish(scenario, err);
    if (rc)
        fl_scenario_release(scenario);
    return rc;
}

int fl_scenario_load(const char *path, bool short_form, struct fl_scenario *scenario,
                     struct fl_err *err)
{
    char *text = NULL;
    size_t length = 0;
    int rc = fl_ini_load(path, "scenario", &text, &length, err);
    if (rc)
        return rc;
    rc = fl_scenario_read(path, text, length, short_form, scenario, err);
    free(text);
    return rc;
}
