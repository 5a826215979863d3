/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and rules of [gate], and what they say of one cell. */
#include "runner/scenario-gate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/factor.h"
#include "faultline/registry.h"
#include "runner/scenario-keys.h"

#define NOT_SET   (-1.0)
#define MOST      1000.0 /* percent */
#define SLACK_KEY "slack"

void fl_scenario_gate_defaults(struct fl_scenario_gate *gate)
{
    *gate = (struct fl_scenario_gate){.tolerance = 0.5, .detect = 2, .budget = 600};
}

/* ---- values ---- */

/* `2%`, `2 %` or `2`. */
static int take_percent(double *out, const char *value, struct fl_err *err)
{
    char number[64];
    size_t length = strcspn(value, "%");
    bool ends = !value[length] || !value[length + 1];
    snprintf(number, sizeof number, "%.*s", (int)(length < sizeof number ? length : 0), value);
    for (size_t n = strlen(number); n && number[n - 1] == ' '; n--)
        number[n - 1] = 0;
    if (ends && !fl_factor_number(FL_FACTOR_REAL, number, out) && *out >= 0 && *out <= MOST)
        return 0;
    return fl_fail(err, -EINVAL, "'%.80s' is not accepted: expected a percentage such as 2%%",
                   value);
}

static int take_budget(double *out, const char *value, struct fl_err *err)
{
    if (!fl_factor_number(FL_FACTOR_TIME, value, out) && *out >= 1 && *out <= 604800)
        return 0;
    return fl_fail(err, -EINVAL,
                   "'%.80s' is not accepted: expected a time from 1s to 10080min, such as 10min",
                   value);
}

static int take_choice(bool *fails, const char *value, struct fl_err *err)
{
    *fails = !strcmp(value, "fail");
    if (*fails || !strcmp(value, "pass"))
        return 0;
    return fl_fail(err, -EINVAL, "'%.80s' is not accepted: expected pass or fail", value);
}

/* Metrics of imported runs are known to nobody: a policy file may name them. */
static int check_metric(const char *name, bool any, struct fl_err *err)
{
    struct fl_metric metric;
    const struct fl_counter_ops *counter;
    if (!*name || strlen(name) >= FL_GATE_METRIC)
        return fl_fail(err, -EINVAL, "a metric's name is empty or longer than %d bytes",
                       FL_GATE_METRIC - 1);
    return any || !fl_registry_metric(name, &metric, &counter, err) ? 0 : -EINVAL;
}

static int add_metric(struct fl_scenario_gate *gate, const char *name, struct fl_err *err)
{
    for (size_t i = 0; i < gate->metric_count; i++)
        if (!strcmp(gate->metrics[i], name))
            return 0;
    int rc = check_metric(name, gate->stored, err);
    if (rc)
        return rc;
    void *grown = realloc(gate->metrics, (gate->metric_count + 1) * sizeof *gate->metrics);
    if (!grown)
        return fl_fail(err, -ENOMEM, "out of memory");
    gate->metrics = grown;
    snprintf(gate->metrics[gate->metric_count++], FL_GATE_METRIC, "%s", name);
    return 0;
}

static int take_metrics(struct fl_scenario_gate *gate, const char *value, bool more,
                        struct fl_err *err)
{
    char name[FL_GATE_METRIC];
    int rc;
    if (!more)
        gate->metric_count = 0;
    while ((rc = fl_ini_item(&value, name, sizeof name, err)) > 0) {
        rc = add_metric(gate, name, err);
        if (rc)
            return rc;
    }
    if (!rc && !gate->metric_count)
        return fl_fail(err, -EINVAL, "no metric is listed");
    return rc;
}

/* `slack` or `slack.METRIC` into a list; the same metric again replaces it. */
static int take_slack(struct fl_gate_slack *slacks, size_t *count, bool any, const char *key,
                      const char *value, struct fl_err *err)
{
    const char *metric = key[strlen(SLACK_KEY)] ? key + strlen(SLACK_KEY) + 1 : "";
    size_t i = 0;
    double number;
    if (fl_factor_number(FL_FACTOR_REAL, value, &number) || !(number >= 0 && number <= 1e15))
        return fl_fail(err, -EINVAL, "'%.80s' is not accepted: expected a number of events a call",
                       value);
    if (key[strlen(SLACK_KEY)] && check_metric(metric, any, err))
        return -EINVAL;
    while (i < *count && strcmp(slacks[i].metric, metric))
        i++;
    if (i == FL_GATE_SLACKS)
        return fl_fail(err, -EINVAL, "more than %d metrics have a slack", FL_GATE_SLACKS);
    snprintf(slacks[i].metric, sizeof slacks[i].metric, "%s", metric);
    slacks[i].value = number;
    *count += i == *count;
    return 0;
}

static bool is_slack(const char *key)
{
    size_t length = strlen(SLACK_KEY);
    return !strncmp(key, SLACK_KEY, length) && (!key[length] || key[length] == '.');
}

/* ---- keys ---- */

static const char *const rule_keys[] = {"tolerance", "detect", SLACK_KEY, NULL};
static const char *const section_keys[] = {"tolerance", "detect",          SLACK_KEY, "budget",
                                           "metrics",   "on-inconclusive", NULL};

static int unknown_key(const char *key, bool in_rule, struct fl_err *err)
{
    const char *near = fl_nearest(key, in_rule ? rule_keys : section_keys);
    return fl_fail(err, -EINVAL, "unknown key '%.80s'%s%s%s: accepted: %s", key,
                   near ? ", did you mean '" : "", near ? near : "", near ? "'" : "",
                   in_rule ? "tolerance, detect, slack, slack.METRIC"
                           : "tolerance, detect, budget, metrics, on-inconclusive, slack, "
                             "slack.METRIC, or SELECTOR : KEY = VALUE");
}

static int take_key(struct fl_scenario_gate *gate, const struct fl_ini_line *line,
                    struct fl_err *err)
{
    const char *key = line->key, *value = line->value;
    if (!strcmp(key, "metrics"))
        return take_metrics(gate, value, line->more, err);
    if (line->more)
        return fl_fail(err, -EINVAL, "only 'metrics' goes on in indented lines");
    if (!strcmp(key, "tolerance"))
        return take_percent(&gate->tolerance, value, err);
    if (!strcmp(key, "detect"))
        return take_percent(&gate->detect, value, err);
    if (!strcmp(key, "budget"))
        return take_budget(&gate->budget, value, err);
    if (!strcmp(key, "on-inconclusive"))
        return take_choice(&gate->inconclusive_fails, value, err);
    if (is_slack(key))
        return take_slack(gate->slacks, &gate->slack_count, gate->stored, key, value, err);
    return unknown_key(key, false, err);
}

/* ---- rules ---- */

static int set_in_rule(struct fl_gate_rule *rule, bool any, const char *key, const char *value,
                       struct fl_err *err)
{
    if (!strcmp(key, "tolerance"))
        return take_percent(&rule->tolerance, value, err);
    if (!strcmp(key, "detect"))
        return take_percent(&rule->detect, value, err);
    if (is_slack(key))
        return take_slack(rule->slacks, &rule->slack_count, any, key, value, err);
    return unknown_key(key, true, err);
}

/* Cuts `key = value` in two, without space around them. */
static int split_setting(char *text, char **key, char **value, struct fl_err *err)
{
    char *equals = strchr(text, '=');
    if (!equals)
        return fl_fail(err, -EINVAL, "expected KEY = VALUE behind the selector, at '%.80s'", text);
    *equals = 0;
    *key = text + strspn(text, " \t");
    *value = equals + 1 + strspn(equals + 1, " \t");
    for (size_t n = strlen(*key); n && strchr(" \t", (*key)[n - 1]); n--)
        (*key)[n - 1] = 0;
    for (size_t n = strlen(*value); n && strchr(" \t", (*value)[n - 1]); n--)
        (*value)[n - 1] = 0;
    return 0;
}

static int take_settings(struct fl_gate_rule *rule, bool any, const char *text, struct fl_err *err)
{
    char copy[FL_RULE_TEXT], *rest = copy, *item, *key = NULL, *value = NULL;
    snprintf(copy, sizeof copy, "%s", text);
    while ((item = strsep(&rest, ","))) {
        int rc = split_setting(item, &key, &value, err);
        if (!rc)
            rc = set_in_rule(rule, any, key, value, err);
        if (rc)
            return rc;
    }
    return 0;
}

static int read_rule(struct fl_scenario_gate *gate, const char *text, struct fl_gate_rule *rule,
                     struct fl_err *err)
{
    enum fl_rule_names names = gate->stored ? FL_RULE_ANY_NAME : FL_RULE_IMPORTED_NAMES;
    int rc = fl_rule_parse_selector(&text, names, &rule->cells, err);
    if (rc)
        return rc;
    if (fl_rule_asks_facts(&rule->cells))
        return fl_fail(err, -EINVAL, "a rule of the gate selects cells: it can ask for no fact");
    if (*text++ != ':')
        return fl_fail(err, -EINVAL, "expected ': KEY = VALUE' behind the selector");
    return take_settings(rule, gate->stored, text, err);
}

static int add_rule(struct fl_scenario_gate *gate, const char *text, int line, struct fl_err *err)
{
    size_t bytes = (gate->rule_count + 1) * sizeof *gate->rules;
    struct fl_gate_rule *grown = realloc(gate->rules, bytes);
    if (!grown)
        return fl_fail(err, -ENOMEM, "out of memory");
    gate->rules = grown;
    struct fl_gate_rule *rule = &grown[gate->rule_count];
    *rule = (struct fl_gate_rule){.tolerance = NOT_SET, .detect = NOT_SET};
    int rc = read_rule(gate, text, rule, err);
    rule->cells.line = line;
    gate->rule_count += !rc;
    return rc;
}

/* A ':' that stands alone, as a level may hold one: the line selects cells. */
static bool is_rule(const char *text)
{
    const char *colon = strchr(text, ':');
    while (colon && colon > text && colon[-1] != ' ' && colon[-1] != '\t')
        colon = strchr(colon + 1, ':');
    return colon && colon[1] && strchr(colon, '=');
}

static bool is_key(const char *key)
{
    for (const char *const *k = section_keys; *k; k++)
        if (!strcmp(*k, key))
            return true;
    return is_slack(key);
}

int fl_scenario_gate_take(struct fl_scenario_gate *gate, const struct fl_ini_line *line,
                          struct fl_err *err)
{
    char text[FL_RULE_TEXT];
    if (!line->more && is_key(line->key))
        return take_key(gate, line, err);
    int rc = fl_ini_whole(line, text, sizeof text, err);
    if (rc)
        return rc;
    return is_rule(text) ? add_rule(gate, text, line->number, err) : take_key(gate, line, err);
}

static bool in_order(double tolerance, double detect)
{
    return tolerance < detect;
}

int fl_scenario_gate_finish(const struct fl_scenario_gate *gate, const char *path,
                            struct fl_err *err)
{
    if (!in_order(gate->tolerance, gate->detect))
        return fl_fail(err, -EINVAL, "%s: [gate] tolerance, %g%%, must be below detect, %g%%", path,
                       gate->tolerance, gate->detect);
    for (size_t i = 0; i < gate->rule_count; i++) {
        const struct fl_gate_rule *rule = &gate->rules[i];
        double tolerance = rule->tolerance < 0 ? gate->tolerance : rule->tolerance;
        double detect = rule->detect < 0 ? gate->detect : rule->detect;
        if (!in_order(tolerance, detect))
            return fl_fail(err, -EINVAL,
                           "%s:%d: [gate] tolerance, %g%%, must be below detect, %g%%: give the "
                           "rule both",
                           path, rule->cells.line, tolerance, detect);
    }
    return 0;
}

/* ---- a text of its own ---- */

static int take_line(void *arg, const struct fl_ini_line *line, struct fl_err *err)
{
    if (!strcmp(line->section, "gate"))
        return fl_scenario_gate_take(arg, line, err);
    return fl_scenario_check_section(line->section, err);
}

int fl_scenario_gate_read(const char *path, const char *text, size_t length, bool stored,
                          struct fl_scenario_gate *gate, struct fl_err *err)
{
    fl_scenario_gate_defaults(gate);
    gate->stored = stored;
    int rc = fl_ini_read(path, text, length, take_line, gate, err);
    if (!rc)
        rc = fl_scenario_gate_finish(gate, path, err);
    if (rc)
        fl_scenario_gate_release(gate);
    return rc;
}

int fl_scenario_gate_load(const char *path, struct fl_scenario_gate *gate, struct fl_err *err)
{
    char *text;
    size_t length;
    int rc = fl_ini_load(path, "policy", &text, &length, err);
    if (rc)
        return rc;
    rc = fl_scenario_gate_read(path, text, length, false, gate, err);
    free(text);
    return rc;
}

void fl_scenario_gate_release(struct fl_scenario_gate *gate)
{
    free(gate->metrics);
    free(gate->rules);
    *gate = (struct fl_scenario_gate){.metrics = NULL};
}

/* ---- one cell ---- */

bool fl_scenario_gate_judges(const struct fl_scenario_gate *gate, const char *metric,
                             enum fl_metric_kind kind)
{
    for (size_t i = 0; i < gate->metric_count; i++)
        if (!strcmp(gate->metrics[i], metric))
            return true;
    if (gate->metric_count)
        return false;
    return kind == FL_METRIC_EXACT || kind == FL_METRIC_SET ||
           (kind == FL_METRIC_TIMED && !strcmp(metric, "time"));
}

/* One that names the metric comes before one for all. */
static const struct fl_gate_slack *find_slack(const struct fl_gate_slack *slacks, size_t count,
                                              const char *metric)
{
    const struct fl_gate_slack *found = NULL;
    for (size_t i = 0; i < count; i++) {
        if (metric && !strcmp(slacks[i].metric, metric))
            return &slacks[i];
        if (!slacks[i].metric[0])
            found = &slacks[i];
    }
    return found;
}

static void apply(const struct fl_scenario_gate *gate, const struct fl_gate_rule *rule,
                  const char *metric, struct fl_gate_limits *out)
{
    const struct fl_gate_slack *slack = find_slack(rule->slacks, rule->slack_count, metric);
    if (slack)
        out->slack = slack->value;
    if (rule->tolerance < 0 && rule->detect < 0)
        return;
    out->rule = rule;
    out->tolerance = rule->tolerance < 0 ? gate->tolerance : rule->tolerance;
    out->detect = rule->detect < 0 ? gate->detect : rule->detect;
}

void fl_scenario_gate_limits(const struct fl_scenario_gate *gate, const char *key,
                             const char *metric, struct fl_gate_limits *out)
{
    const struct fl_gate_slack *slack = find_slack(gate->slacks, gate->slack_count, metric);
    struct fl_cell cell;
    *out = (struct fl_gate_limits){gate->tolerance, gate->detect, slack ? slack->value : 0, NULL};
    if (!gate->rule_count)
        return;
    bool known = !fl_cell_parse(&cell, key, NULL);
    for (size_t i = 0; i < gate->rule_count; i++) {
        const struct fl_gate_rule *rule = &gate->rules[i];
        if (known ? fl_rule_selects(&rule->cells, &cell) : fl_rule_selects_key(&rule->cells, key))
            apply(gate, rule, metric, out);
    }
}

bool fl_gate_rule_selects(const struct fl_gate_rule *rule, const char *key)
{
    struct fl_cell cell;
    return fl_cell_parse(&cell, key, NULL) ? fl_rule_selects_key(&rule->cells, key)
                                           : fl_rule_selects(&rule->cells, &cell);
}
