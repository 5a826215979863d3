/* SPDX-License-Identifier: Apache-2.0 */
/* Selectors and expectations of scenario files. */
#include "runner/rule.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "faultline/registry.h"

#define FACT_PREFIX "fact."

static const struct {
    const char *text;
    enum fl_relation relation;
} relations[] = {
    {"!=", FL_NOT_EQUAL}, {"<=", FL_AT_MOST}, {">=", FL_AT_LEAST},
    {"=", FL_EQUAL},      {"<", FL_BELOW},    {">", FL_ABOVE},
};

/* Takes a relation off `*text`. */
static int take_relation(const char **text, enum fl_relation *relation)
{
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++) {
        size_t length = strlen(relations[i].text);
        if (strncmp(*text, relations[i].text, length))
            continue;
        *relation = relations[i].relation;
        *text += length;
        return 0;
    }
    return -EINVAL;
}

static const char *relation_text(enum fl_relation relation)
{
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++)
        if (relations[i].relation == relation)
            return relations[i].text;
    return "";
}

static void skip_space(const char **text)
{
    *text += strspn(*text, " \t");
}

/* Copies the characters up to one of `end` (or the end) into `out`. */
static int take_until(const char **text, const char *end, char *out, size_t size)
{
    size_t length = strcspn(*text, end);
    if (!length || length >= size)
        return -EINVAL;
    memcpy(out, *text, length);
    out[length] = 0;
    *text += length;
    return 0;
}

static bool is_text(const struct fl_condition *condition)
{
    return condition->relation == FL_EQUAL || condition->relation == FL_NOT_EQUAL;
}

/* A level that no cell can have would select nothing, without a word. */
static int check_levels(const struct fl_condition *condition, struct fl_err *err)
{
    char levels[sizeof condition->levels], *rest = levels, *level;
    memcpy(levels, condition->levels, sizeof levels);
    while ((level = strsep(&rest, "|"))) {
        int rc = fl_registry_check_level(condition->factor, level, err);
        if (rc)
            return rc;
    }
    return 0;
}

/* Which facts there will be, and their values, only samples know. */
static int check_fact(const struct fl_condition *condition, struct fl_err *err)
{
    if (is_text(condition))
        return 0;
    return fl_fail(err, -EINVAL, "fact '%s' is text: want = or !=", condition->factor);
}

static int check_condition(const struct fl_condition *condition, enum fl_rule_names names,
                           struct fl_err *err)
{
    double number;
    bool imported = !strcmp(condition->factor, "benchmark") && is_text(condition);
    if (condition->fact)
        return check_fact(condition, err);
    if (names == FL_RULE_ANY_NAME || (names == FL_RULE_IMPORTED_NAMES && imported))
        return 0;
    if (!fl_registry_factor(condition->factor))
        return fl_registry_check_level(condition->factor, condition->levels, err);
    if (is_text(condition))
        return check_levels(condition, err);
    if (fl_factor_number(fl_registry_factor(condition->factor)->type, condition->levels, &number))
        return fl_fail(err, -EINVAL, "'%.80s' is no number to compare '%s' with", condition->levels,
                       condition->factor);
    return 0;
}

/* Up to the next space, or what stands in quotes. */
static int take_levels(const char **text, char *out, size_t size)
{
    size_t used = 0;
    if (**text != '"')
        return take_until(text, " \t", out, size);
    for ((*text)++; **text && **text != '"'; (*text)++) {
        *text += **text == '\\' && (*text)[1];
        if (used + 1 >= size)
            return -EINVAL;
        out[used++] = **text;
    }
    out[used] = 0;
    return *(*text) && used && strchr(" \t", *++(*text)) ? 0 : -EINVAL;
}

static int take_condition(const char **text, enum fl_rule_names names, struct fl_rule *rule,
                          struct fl_err *err)
{
    const char *start = *text;
    if (rule->condition_count == FL_RULE_CONDITIONS)
        return fl_fail(err, -EINVAL, "a rule has more than %d conditions", FL_RULE_CONDITIONS);
    struct fl_condition *condition = &rule->conditions[rule->condition_count++];
    condition->fact = !strncmp(*text, FACT_PREFIX, strlen(FACT_PREFIX));
    if (condition->fact)
        *text += strlen(FACT_PREFIX);
    if (take_until(text, " \t=<>!:", condition->factor, sizeof condition->factor) ||
        take_relation(text, &condition->relation) ||
        take_levels(text, condition->levels, sizeof condition->levels))
        return fl_fail(err, -EINVAL, "expected factor=level at '%.80s'", start);
    return check_condition(condition, names, err);
}

static int take_values(const char **text, struct fl_rule *rule, struct fl_err *err)
{
    do {
        char word[64];
        skip_space(text);
        if (take_until(text, " \t|", word, sizeof word) || rule->value_count == FL_RULE_VALUES ||
            fl_factor_number(FL_FACTOR_REAL, word, &rule->values[rule->value_count]))
            return fl_fail(err, -EINVAL, "expected a number at '%.80s'", *text);
        rule->value_count++;
        skip_space(text);
    } while (*(*text) == '|' && (*text)++);
    return **text ? fl_fail(err, -EINVAL, "'%.80s' behind a value is too much", *text) : 0;
}

static int take_metric(const char **text, struct fl_rule *rule, struct fl_err *err)
{
    struct fl_metric metric;
    const struct fl_counter_ops *counter;
    skip_space(text);
    if (take_until(text, " \t=<>!", rule->metric, sizeof rule->metric))
        return fl_fail(err, -EINVAL, "expected a metric behind ':'");
    skip_space(text);
    if (take_relation(text, &rule->relation))
        return fl_fail(err, -EINVAL, "expected a relation behind '%s'", rule->metric);
    int rc = fl_registry_metric(rule->metric, &metric, &counter, err);
    if (rc)
        return -EINVAL;
    rc = take_values(text, rule, err);
    if (!rc && rule->value_count > 1 && rule->relation != FL_EQUAL)
        return fl_fail(err, -EINVAL, "only '=' takes several values");
    return rc;
}

bool fl_rule_asks_facts(const struct fl_rule *rule)
{
    for (size_t i = 0; i < rule->condition_count; i++)
        if (rule->conditions[i].fact)
            return true;
    return false;
}

int fl_rule_parse_selector(const char **text, enum fl_rule_names names, struct fl_rule *rule,
                           struct fl_err *err)
{
    *rule = (struct fl_rule){.line = 0};
    if (strlen(*text) >= sizeof rule->text)
        return fl_fail(err, -EINVAL, "a rule is longer than %zu bytes", sizeof rule->text - 1);
    memcpy(rule->text, *text, strlen(*text) + 1);
    skip_space(text);
    while (**text && **text != ':') {
        int rc = take_condition(text, names, rule, err);
        if (rc)
            return rc;
        skip_space(text);
    }
    return 0;
}

int fl_rule_parse(const char *text, bool expectation, struct fl_rule *rule, struct fl_err *err)
{
    int rc = fl_rule_parse_selector(&text, FL_RULE_KNOWN_NAMES, rule, err);
    if (rc)
        return rc;
    if (!expectation && fl_rule_asks_facts(rule))
        return fl_fail(err, -EINVAL,
                       "facts are known when a sample was taken: no selector of cells "
                       "can ask for one");
    if (!expectation)
        return *text ? fl_fail(err, -EINVAL, "a selector has no ':'") : 0;
    if (*text++ != ':')
        return fl_fail(err, -EINVAL, "expected ': metric = value' behind the selector");
    return take_metric(&text, rule, err);
}

/* Is `level` one of the '|'-joined `levels`? */
static bool is_one_of(const char *levels, const char *level)
{
    size_t length = strlen(level);
    for (const char *at = levels;; at++) {
        const char *end = strchr(at, '|');
        size_t n = end ? (size_t)(end - at) : strlen(at);
        if (n == length && !memcmp(at, level, n))
            return true;
        if (!end)
            return false;
        at = end;
    }
}

static bool compare(enum fl_relation relation, double a, double b)
{
    switch (relation) {
    case FL_BELOW:
        return a < b;
    case FL_AT_MOST:
        return a <= b;
    case FL_ABOVE:
        return a > b;
    case FL_AT_LEAST:
        return a >= b;
    case FL_NOT_EQUAL:
        return a != b;
    default:
        return a == b;
    }
}

/* `level` NULL: there is no such factor. */
static bool meets(const struct fl_condition *condition, const char *level)
{
    if (condition->relation == FL_NOT_EQUAL)
        return !level || !is_one_of(condition->levels, level);
    if (!level)
        return false;
    if (condition->relation == FL_EQUAL)
        return is_one_of(condition->levels, level);
    double limit, value;
    const struct fl_factor *factor = fl_registry_factor(condition->factor);
    enum fl_factor_type type = factor ? factor->type : FL_FACTOR_REAL;
    if (fl_factor_number(type, level, &value))
        value = -1; /* a word */
    return !fl_factor_number(type, condition->levels, &limit) &&
           compare(condition->relation, value, limit);
}

bool fl_rule_selects(const struct fl_rule *rule, const struct fl_cell *cell)
{
    for (size_t i = 0; i < rule->condition_count; i++) {
        const struct fl_condition *condition = &rule->conditions[i];
        if (!condition->fact && !meets(condition, fl_cell_get(cell, condition->factor)))
            return false;
    }
    return true;
}

/* The level of a factor in a key, or NULL. */
static const char *level_in(const char *key, const char *factor, char *level, size_t size)
{
    char name[64];
    while (fl_cell_split(&key, name, sizeof name, level, size, NULL) > 0)
        if (!strcmp(name, factor))
            return level;
    return NULL;
}

bool fl_rule_selects_key(const struct fl_rule *rule, const char *key)
{
    char level[FL_CELL_KEY_MAX];
    for (size_t i = 0; i < rule->condition_count; i++) {
        const struct fl_condition *condition = &rule->conditions[i];
        if (!condition->fact &&
            !meets(condition, level_in(key, condition->factor, level, sizeof level)))
            return false;
    }
    return true;
}

/* The value, or one of its words: a library's version may be a line of text. */
static bool is_value(const char *levels, const char *value)
{
    char words[1024], *rest = words, *word;
    if (is_one_of(levels, value))
        return true;
    snprintf(words, sizeof words, "%s", value);
    while ((word = strsep(&rest, " ")))
        if (is_one_of(levels, word))
            return true;
    return false;
}

static bool has_fact(const struct fl_condition *condition, const struct fl_fact *facts,
                     size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(facts[i].name, condition->factor))
            return is_value(condition->levels, facts[i].value);
    return false;
}

bool fl_rule_meets_facts(const struct fl_rule *rule, const struct fl_fact *facts, size_t count)
{
    for (size_t i = 0; i < rule->condition_count; i++) {
        const struct fl_condition *condition = &rule->conditions[i];
        bool wanted = condition->relation == FL_EQUAL;
        if (condition->fact && has_fact(condition, facts, count) != wanted)
            return false;
    }
    return true;
}

bool fl_rule_holds(const struct fl_rule *rule, double value)
{
    for (size_t i = 0; i < rule->value_count; i++)
        if (compare(rule->relation, value, rule->values[i]))
            return true;
    return false;
}

void fl_rule_expected(const struct fl_rule *rule, char *out, size_t size)
{
    size_t used = 0;
    if (rule->relation != FL_EQUAL)
        used += (size_t)snprintf(out, size, "%s ", relation_text(rule->relation));
    for (size_t i = 0; i < rule->value_count && used < size; i++)
        used +=
            (size_t)snprintf(out + used, size - used, "%s%.15g", i ? " | " : "", rule->values[i]);
}
