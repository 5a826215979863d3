/* SPDX-License-Identifier: Apache-2.0 */
/* Reading baselines: lines are gathered first, as one count may go on over several. */
#include "results/baseline.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/cell.h"
#include "faultline/factor.h"
#include "results/ini-text.h"
#include "results/text.h"

#define FACT_PREFIX "fact."
#define COUNT_MAX   8192 /* bytes of one count's text, with its NUL */

/* What [counts] says of one count, until it is parsed. */
struct gathered {
    char *text;
    int line;
};

struct reading {
    const char *path;
    struct fl_baseline *out;
    struct gathered *lines;
    size_t count, capacity;
    struct fl_err *err;
};

static int out_of_memory(struct fl_err *err)
{
    return fl_fail(err, -ENOMEM, "cannot read a baseline: out of memory");
}

/* ---- values ---- */

/* INI would end the line at a ';' behind a space, so it is written '\;'. */
static void unescape(char *text)
{
    char *to = text;

    for (; *text; text++) {
        if (text[0] == '\\' && text[1] == ';')
            text++;
        else if (text[0] == '\\' && text[1])
            *to++ = *text++;
        *to++ = *text;
    }
    *to = 0;
}

/* A value may stand in quotes, like the level of a key. */
static int unquote(struct fl_arena *arena, const char *value, const char **out, struct fl_err *err)
{
    char name[8], level[FL_CELL_KEY_MAX], quoted[FL_CELL_KEY_MAX];
    const char *text = quoted;

    *out = value;
    if (*value == '"') {
        if (snprintf(quoted, sizeof(quoted), "x=%s", value) >= (int)sizeof(quoted))
            return fl_fail(err, -EINVAL, "a value is too long");
        unescape(quoted);
        if (fl_cell_split(&text, name, sizeof(name), level, sizeof(level), err) < 0)
            return -EINVAL;
        if (*text)
            return fl_fail(err, -EINVAL, "'%.80s' behind a quote is too much", text);
        *out = level;
    }
    *out = fl_text_copy(arena, *out);
    return *out ? 0 : out_of_memory(err);
}

static bool is_name(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

    return *name && !name[strspn(name, letters)];
}

/* `value` is kept as it is. */
static int add_fact(struct fl_arena *arena, struct fl_fact **facts, size_t *count, const char *name,
                    const char *value, struct fl_err *err)
{
    if (!is_name(name))
        return fl_fail(err, -EINVAL, "a name has letters, digits and . _ - only, not '%.80s'",
                       name);
    for (size_t i = 0; i < *count; i++)
        if (!strcmp((*facts)[i].name, name))
            return fl_fail(err, -EINVAL, "'%.80s' stands here twice", name);
    if (!*facts)
        *facts = fl_arena_alloc(arena, FL_FACTS_MAX * sizeof(**facts), 16);
    if (!*facts)
        return out_of_memory(err);
    if (*count == FL_FACTS_MAX)
        return fl_fail(err, -EINVAL, "more than %d of them", FL_FACTS_MAX);
    (*facts)[*count] = (struct fl_fact){fl_text_copy(arena, name), value};
    return (*facts)[(*count)++].name ? 0 : out_of_memory(err);
}

/* ---- keys ---- */

static int take_number(const char *value, double most, double *out, struct fl_err *err)
{
    if (!fl_factor_number(FL_FACTOR_INT, value, out) && *out >= 0 && *out <= most)
        return 0;
    return fl_fail(err, -EINVAL, "'%.80s' is not accepted: expected a whole number", value);
}

static int take_key(struct reading *r, const char *key, const char *value, struct fl_err *err)
{
    static const char *const keys[] = {"scenario", "samples", "calls", NULL};
    double number;
    int rc;

    if (!strcmp(key, "scenario"))
        return unquote(&r->out->arena, value, &r->out->scenario, err);
    if (!strcmp(key, "samples")) {
        rc = take_number(value, 1e9, &number, err);
        r->out->samples = rc ? 0 : (size_t)number;
        return rc;
    }
    if (!strcmp(key, "calls")) {
        rc = take_number(value, 1e15, &number, err);
        r->out->calls = rc ? 0 : (int64_t)number;
        return rc;
    }
    const char *near = fl_nearest(key, keys);
    return fl_fail(err, -EINVAL, "unknown key%s%s%s: accepted: scenario, samples, calls",
                   near ? ", did you mean '" : "", near ? near : "", near ? "'" : "");
}

/* A long value goes on in indented lines. */
static int extend_fact(struct fl_arena *arena, struct fl_fact *facts, size_t count,
                       const char *more, struct fl_err *err)
{
    struct fl_fact *last = &facts[count - 1];
    size_t size = strlen(last->value) + strlen(more) + 2;
    char *grown = size < FL_CELL_KEY_MAX ? fl_arena_alloc(arena, size, 1) : NULL;

    if (!grown)
        return fl_fail(err, -EINVAL, "a value is too long");
    snprintf(grown, size, "%s %s", last->value, more);
    last->value = grown;
    return 0;
}

static int take_field(struct reading *r, const struct fl_ini_line *line, struct fl_err *err)
{
    struct fl_baseline *out = r->out;
    const char *value;

    if (line->more && out->machine_count)
        return extend_fact(&out->arena, out->machine, out->machine_count, line->value, err);
    int rc = unquote(&out->arena, line->value, &value, err);
    return rc ? rc
              : add_fact(&out->arena, &out->machine, &out->machine_count, line->key, value, err);
}

/* ---- lines of counts ---- */

static int gather(struct reading *r, const struct fl_ini_line *line, struct fl_err *err)
{
    char text[FL_INI_LINE_MAX + 8];
    int rc = fl_ini_whole(line, text, sizeof(text), err);

    if (rc)
        return rc;
    if (line->more && r->count) {
        struct gathered *last = &r->lines[r->count - 1];
        size_t size = strlen(last->text) + strlen(text) + 2;
        char *grown = fl_arena_alloc(&r->out->arena, size, 1);
        if (size > COUNT_MAX)
            return fl_fail(err, -EINVAL, "a count of more than %d bytes", COUNT_MAX - 1);
        if (!grown)
            return out_of_memory(err);
        snprintf(grown, size, "%s %s", last->text, text);
        last->text = grown;
        return 0;
    }
    if (r->count == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 256;
        struct gathered *grown = realloc(r->lines, capacity * sizeof(*grown));
        if (!grown)
            return out_of_memory(err);
        r->lines = grown;
        r->capacity = capacity;
    }
    r->lines[r->count] = (struct gathered){fl_text_copy(&r->out->arena, text), line->number};
    return r->lines[r->count++].text ? 0 : out_of_memory(err);
}

static int take_line(void *arg, const struct fl_ini_line *line, struct fl_err *err)
{
    static const char *const sections[] = {"baseline", "machine", "counts", NULL};
    struct reading *r = arg;

    if (!strcmp(line->section, "counts"))
        return gather(r, line, err);
    if (!strcmp(line->section, "machine"))
        return take_field(r, line, err);
    if (!strcmp(line->section, "baseline"))
        return line->more ? fl_fail(err, -EINVAL, "this key has no further lines")
                          : take_key(r, line->key, line->value, err);
    const char *near = fl_nearest(line->section, sections);
    return fl_fail(
        err, -EINVAL, "unknown section '[%.60s]'%s%s%s: accepted: baseline, machine, counts",
        line->section, near ? ", did you mean '[" : "", near ? near : "", near ? "]'" : "");
}

/* ---- one count ---- */

/* One level: a fact is kept apart, the rest is the key, as it is written. */
static int take_level(struct reading *r, const char **text, char key[COUNT_MAX],
                      struct fl_baseline_count *count)
{
    char name[128], level[FL_CELL_KEY_MAX];
    const char *start = *text;
    struct fl_arena *arena = &r->out->arena;
    size_t used = strlen(key), prefix = strlen(FACT_PREFIX);

    if (fl_cell_split(text, name, sizeof(name), level, sizeof(level), r->err) < 0)
        return -EINVAL;
    if (strncmp(name, FACT_PREFIX, prefix) != 0) {
        snprintf(key + used, COUNT_MAX - used, "%s%.*s", used ? " " : "", (int)(*text - start),
                 start);
        return 0;
    }
    const char *value = fl_text_copy(arena, level);
    return value ? add_fact(arena, &count->facts, &count->fact_count, name + prefix, value, r->err)
                 : out_of_memory(r->err);
}

static int take_cell(struct reading *r, const char **text, struct fl_baseline_count *count)
{
    char key[COUNT_MAX] = "";

    for (*text += strspn(*text, " \t"); **text && **text != ':'; *text += strspn(*text, " \t")) {
        int rc = take_level(r, text, key, count);
        if (rc)
            return rc;
    }
    if (!*key)
        return fl_fail(r->err, -EINVAL, "expected a cell in front of ':'");
    count->cell = fl_text_copy(&r->out->arena, key);
    return count->cell ? 0 : out_of_memory(r->err);
}

/* `minor-faults = `, the name in quotes where it needs them. */
static int take_metric(struct reading *r, const char **text, struct fl_baseline_count *count)
{
    char name[256] = "", quoted[COUNT_MAX];
    size_t length;

    *text += strspn(*text, " \t");
    if (**text == '"') {
        char ignored[8];
        const char *rest = quoted;
        snprintf(quoted, sizeof(quoted), "x=%s", *text);
        if (fl_cell_split(&rest, ignored, sizeof(ignored), name, sizeof(name), r->err) < 0)
            return -EINVAL;
        *text += rest - quoted - 2;
    } else if ((length = strcspn(*text, " \t=")) < sizeof(name)) {
        snprintf(name, sizeof(name), "%.*s", (int)length, *text);
        *text += length;
    }
    *text += strspn(*text, " \t");
    if (!*name || *(*text)++ != '=')
        return fl_fail(r->err, -EINVAL, "expected METRIC = VALUE behind ':'");
    count->metric = fl_text_copy(&r->out->arena, name);
    return count->metric ? 0 : out_of_memory(r->err);
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* `61|62`, in any order. */
static int take_values(struct reading *r, const char *text, struct fl_baseline_count *count)
{
    double values[FL_BASELINE_VALUES];

    do {
        char word[64];
        text += strspn(text, " \t");
        size_t length = strcspn(text, " \t|");
        snprintf(word, sizeof(word), "%.*s", (int)(length < sizeof(word) ? length : 0), text);
        if (count->value_count == FL_BASELINE_VALUES)
            return fl_fail(r->err, -EINVAL, "more than %d values", FL_BASELINE_VALUES);
        if (fl_factor_number(FL_FACTOR_REAL, word, &values[count->value_count]))
            return fl_fail(r->err, -EINVAL, "expected a number at '%.80s'", text);
        count->value_count++;
        text += length + strspn(text + length, " \t");
    } while (*text++ == '|');
    if (text[-1])
        return fl_fail(r->err, -EINVAL, "'%.80s' behind a value is too much", text - 1);
    qsort(values, count->value_count, sizeof(*values), compare_numbers);
    for (size_t i = 1; i < count->value_count; i++)
        if (compare_numbers(&values[i - 1], &values[i]) == 0)
            return fl_fail(r->err, -EINVAL, "the value %.15g stands here twice", values[i]);
    double *kept = fl_arena_alloc(&r->out->arena, sizeof(values), 16);
    if (!kept)
        return out_of_memory(r->err);
    count->values = memcpy(kept, values, sizeof(values));
    return 0;
}

static int parse_count(struct reading *r, struct gathered *line, struct fl_baseline_count *count)
{
    const char *text = line->text;

    *count = (struct fl_baseline_count){.line = line->line};
    unescape(line->text);
    int rc = take_cell(r, &text, count);
    if (!rc && *text++ != ':')
        rc = fl_fail(r->err, -EINVAL, "expected ': METRIC = VALUE' behind the cell");
    if (!rc)
        rc = take_metric(r, &text, count);
    if (!rc)
        rc = take_values(r, text, count);
    return rc ? fl_fail_within(r->err, rc, "%s:%d: [counts]", r->path, line->line) : 0;
}

/* ---- all ---- */

static int compare_counts(const void *a, const void *b)
{
    const struct fl_baseline_count *x = a, *y = b;
    int order = strcmp(x->cell, y->cell);

    if (!order)
        order = strcmp(x->metric, y->metric);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

void fl_baseline_sort(struct fl_baseline *baseline)
{
    if (baseline->count)
        qsort(baseline->counts, baseline->count, sizeof(*baseline->counts), compare_counts);
}

static int parse_counts(struct reading *r)
{
    struct fl_baseline *out = r->out;

    out->counts = fl_arena_alloc(&out->arena, (r->count + 1) * sizeof(*out->counts), 16);
    if (!out->counts)
        return out_of_memory(r->err);
    for (size_t i = 0; i < r->count; i++) {
        int rc = parse_count(r, &r->lines[i], &out->counts[out->count]);
        if (rc)
            return rc;
        out->count++;
    }
    fl_baseline_sort(out);
    for (size_t i = 1; i < out->count; i++) {
        const struct fl_baseline_count *one = &out->counts[i - 1], *two = &out->counts[i];
        if (!strcmp(one->cell, two->cell) && !strcmp(one->metric, two->metric))
            return fl_fail(r->err, -EINVAL, "%s:%d: [counts] the count stands in line %d already",
                           r->path, two->line, one->line);
    }
    return 0;
}

int fl_baseline_read(const char *path, const char *text, size_t length, struct fl_baseline *out,
                     struct fl_err *err)
{
    struct reading r = {.path = path, .out = out, .err = err};

    *out = (struct fl_baseline){.scenario = ""};
    out->name = fl_text_copy(&out->arena, path);
    int rc = out->name ? fl_ini_read(path, text, length, take_line, &r, err) : out_of_memory(err);
    if (!rc)
        rc = parse_counts(&r);
    if (!rc && !out->machine_count)
        rc = fl_fail(err, -EINVAL, "%s: no [machine]: this is no baseline", path);
    free(r.lines);
    if (rc)
        fl_baseline_release(out);
    return rc;
}

int fl_baseline_load(const char *path, struct fl_baseline *out, struct fl_err *err)
{
    char *text;
    size_t length;
    int rc = fl_ini_load(path, "baseline", &text, &length, err);

    if (rc)
        return rc;
    rc = fl_baseline_read(path, text, length, out, err);
    free(text);
    return rc;
}

void fl_baseline_release(struct fl_baseline *baseline)
{
    fl_arena_release(&baseline->arena);
    *baseline = (struct fl_baseline){.count = 0};
}
