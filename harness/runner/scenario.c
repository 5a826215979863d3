/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading scenario files. inih splits lines longer than its buffer without a word and gives no line
 * numbers, so it is fed by a reader that counts lines and refuses what would not fit.
 */
#include "runner/scenario.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/registry.h"
#include "runner/scenario-keys.h"

enum {
    LINE_MAX_BYTES = 198, /* what Debian's inih takes in one piece, without newline and NUL */
    FILE_MAX_BYTES = 4 << 20,
    SECTION_MAX_BYTES = 49, /* of its name, what inih keeps */
};

#define PUBLISHED "published"

/* What the reader and the handler share while one file is read. */
struct reading {
    struct fl_scenario *scenario;
    const char *rest; /* of the text */
    const char *end;
    int line;      /* last one handed to inih, from 1 */
    bool keyed;    /* the section has had a key, so that an indented line goes on with it */
    bool indented; /* that line continues a list */
    char cut;      /* where inih cuts that line in two: '=' or ':' */
    bool failed;   /* `err` holds the first mistake */
    struct fl_err *err;
};

static int mistake(struct reading *reading, const char *section, const char *key)
{
    reading->failed = true;
    if (key)
        fl_fail_within(reading->err, -EINVAL, "%s:%d: [%s] %.80s", reading->scenario->path,
                       reading->line, section, key);
    else
        fl_fail_within(reading->err, -EINVAL, "%s:%d", reading->scenario->path, reading->line);
    return -EINVAL;
}

/* What inih makes of a line: white space in front continues a key, where there is one already. */
static void note_indentation(struct reading *reading, const char *line)
{
    const char *start = line + strspn(line, " \t\r\n");
    if (!*start || *start == ';' || *start == '#')
        return;
    reading->indented = reading->keyed && start > line;
    if (!reading->indented)
        reading->keyed = *start != '[';
}

/* Refuses what inih would split or cut without a word. */
static int check_line(struct reading *reading, const char *line, size_t length, size_t size)
{
    const char *bracket = length && *line == '[' ? memchr(line, ']', length) : NULL;
    if (length > LINE_MAX_BYTES || length + 2 > size)
        fl_fail(reading->err, -EINVAL,
                "a line of %zu bytes is too long (at most %d): continue a list on indented lines",
                length, LINE_MAX_BYTES);
    else if (memchr(line, 0, length))
        fl_fail(reading->err, -EINVAL, "a line holds a NUL byte: this is no text file");
    else if (bracket && bracket - line - 1 > SECTION_MAX_BYTES)
        fl_fail(reading->err, -EINVAL, "a section's name is longer than %d bytes",
                SECTION_MAX_BYTES);
    else
        return 0;
    return mistake(reading, NULL, NULL);
}

/* fgets for inih, out of memory. */
static char *next_line(char *out, int size, void *stream)
{
    struct reading *reading = stream;
    if (reading->failed || reading->rest == reading->end)
        return NULL;
    size_t left = (size_t)(reading->end - reading->rest);
    const char *newline = memchr(reading->rest, '\n', left);
    size_t length = newline ? (size_t)(newline - reading->rest) : left;
    reading->line++;
    if (check_line(reading, reading->rest, length, (size_t)size))
        return NULL;
    memcpy(out, reading->rest, length);
    out[length] = '\n';
    out[length + 1] = 0;
    note_indentation(reading, out);
    reading->cut = out[strcspn(out, "=:")];
    reading->rest += length + (newline != NULL);
    return out;
}

/* `published`, with or without the name of a host behind it. */
static bool is_published(const char *section)
{
    size_t length = strlen(PUBLISHED);
    return !strncmp(section, PUBLISHED, length) && (!section[length] || section[length] == ' ');
}

static int add_rule(struct reading *reading, const char *section, const char *text)
{
    struct fl_scenario *scenario = reading->scenario;
    bool skip = !strcmp(section, "skip");
    struct fl_rule rule;
    int rc = fl_rule_parse(text, !skip, &rule, reading->err);
    if (rc)
        return rc;
    rule.line = reading->line;
    rule.published = is_published(section);
    if (rule.published)
        snprintf(rule.host, sizeof rule.host, "%s",
                 section[strlen(PUBLISHED)] ? section + strlen(PUBLISHED) + 1 : "another host");
    struct fl_rule **rules = skip ? &scenario->skips : &scenario->expectations;
    size_t *count = skip ? &scenario->skip_count : &scenario->expectation_count;
    struct fl_rule *grown = realloc(*rules, (*count + 1) * sizeof *grown);
    if (!grown)
        return fl_fail(reading->err, -ENOMEM, "out of memory");
    grown[(*count)++] = rule;
    *rules = grown;
    return 0;
}

/* inih cuts a rule at its first '=' or ':'; an indented rule arrives whole. */
static int take_rule(struct reading *reading, const char *section, const char *name,
                     const char *value)
{
    char text[1024];
    /* A level goes on to the next space, as it may hold a ':'. */
    const char *space = reading->cut == ':' ? " " : "";
    int length = reading->indented
                     ? snprintf(text, sizeof text, "%s", value)
                     : snprintf(text, sizeof text, "%s%s%c%s", name, space, reading->cut, value);
    if (length < 0 || (size_t)length >= sizeof text)
        return fl_fail(reading->err, -EINVAL, "a rule is too long");
    return add_rule(reading, section, text);
}

static int take_line(struct reading *reading, const char *section, const char *name,
                     const char *value)
{
    static const char *const sections[] = {"scenario",  "libraries", "factors", "measure",
                                           "short",     "skip",      "expect",  "published",
                                           "crossover", NULL};
    const struct fl_scenario_line line = {section, name, value, reading->line, reading->indented};
    if (!strcmp(section, "skip") || !strcmp(section, "expect") || is_published(section))
        return take_rule(reading, section, name, value);
    for (const char *const *s = sections; *s; s++)
        if (!strcmp(*s, section))
            return fl_scenario_take(reading->scenario, &line, reading->err);
    const char *near = fl_nearest(section, sections);
    return fl_fail(reading->err, -EINVAL,
                   "unknown section '[%.60s]'%s%s%s: accepted: scenario, libraries, factors, "
                   "measure, short, skip, expect, published, crossover",
                   section, near ? ", did you mean '[" : "", near ? near : "", near ? "]'" : "");
}

static int handle(void *user, const char *section, const char *name, const char *value)
{
    struct reading *reading = user;
    if (reading->failed)
        return 1;
    if (take_line(reading, section, name, value))
        mistake(reading, section, name);
    return 1;
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

static int parse(struct reading *reading)
{
    /* The handler and the reader see the same struct: what inih passes as user and as stream. */
    int line = ini_parse_stream(next_line, reading, handle, reading);
    if (reading->failed)
        return -EINVAL;
    if (line < 0)
        return fl_fail(reading->err, -ENOMEM, "cannot read '%s': out of memory",
                       reading->scenario->path);
    if (line > 0)
        return fl_fail(reading->err, -EINVAL, "%s:%d: expected [section] or 'key = value'",
                       reading->scenario->path, line);
    return fl_scenario_finish(reading->scenario, reading->err);
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
    struct reading reading = {.scenario = scenario, .rest = text, .end = text + length, .err = err};
    int rc = parse(&reading);
    if (rc)
        fl_scenario_release(scenario);
    return rc;
}

/* The whole file; -EFBIG beyond FILE_MAX_BYTES. */
static int slurp(const char *path, char **text, size_t *length, struct fl_err *err)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return fl_fail(err, -errno, "cannot open scenario '%s': %s", path, strerror(errno));
    *text = malloc(FILE_MAX_BYTES + 1);
    *length = *text ? fread(*text, 1, FILE_MAX_BYTES + 1, file) : 0;
    int rc = 0;
    if (!*text)
        rc = fl_fail(err, -ENOMEM, "cannot read '%s': out of memory", path);
    else if (ferror(file))
        rc = fl_fail(err, -EIO, "cannot read scenario '%s': %s", path, strerror(errno));
    else if (*length > FILE_MAX_BYTES)
        rc = fl_fail(err, -EFBIG, "cannot read scenario '%s': larger than 4 MiB", path);
    fclose(file);
    if (rc)
        free(*text);
    return rc;
}

int fl_scenario_load(const char *path, bool short_form, struct fl_scenario *scenario,
                     struct fl_err *err)
{
    char *text = NULL;
    size_t length = 0;
    int rc = slurp(path, &text, &length, err);
    if (rc)
        return rc;
    rc = fl_scenario_read(path, text, length, short_form, scenario, err);
    free(text);
    return rc;
}
