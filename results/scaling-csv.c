/* SPDX-License-Identifier: Apache-2.0 */
/* A table of published numbers, which is hostile text: bounded, and refused with its line. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/factor.h"
#include "results/scaling.h"
#include "results/text.h"
#include "results/usl.h"

enum { FIELDS_MAX = FL_SCALING_GROUPS + 1, NUMBER_MAX = 40, MS_PER_S = 1000 };

struct table {
    struct fl_scaling *out;
    struct fl_err *err;
    bool rates;
    unsigned line; /* from 1 */
    size_t rows;
};

static int out_of_memory(const struct table *table)
{
    return fl_fail(table->err, -ENOMEM, "cannot read the table: out of memory");
}

/* Cuts a line at its commas. Returns how many fields there are; those beyond the room for them are
 * counted only. */
static size_t split(char *line, char *fields[FIELDS_MAX])
{
    size_t count = 0;

    for (char *field; (field = strsep(&line, ",")) != NULL; count++)
        if (count < FIELDS_MAX)
            fields[count] = field;
    return count;
}

static char *trim(char *text)
{
    text += strspn(text, " \t");
    for (size_t length = strlen(text); length && strchr(" \t", text[length - 1]); length--)
        text[length - 1] = '\0';
    return text;
}

static int take_head(struct table *table, char *const *fields, size_t count)
{
    struct fl_scaling *out = table->out;

    if (count < 2 || strcmp(trim(fields[0]), "threads") != 0)
        return fl_fail(table->err, -EINVAL,
                       "line %u: the first line of a table is 'threads,NAME,...'", table->line);
    if (count > FIELDS_MAX)
        return fl_fail(table->err, -EINVAL, "line %u: %zu columns of values, %d are accepted",
                       table->line, count - 1, FL_SCALING_GROUPS);
    out->groups = fl_arena_alloc(&out->arena, (count - 1) * sizeof(*out->groups), 16);
    if (!out->groups)
        return out_of_memory(table);
    for (size_t i = 1; i < count; i++) {
        struct fl_scaling_group *group = &out->groups[i - 1];
        const char *name = trim(fields[i]);
        if (!*name)
            return fl_fail(table->err, -EINVAL, "line %u: column %zu has no name", table->line,
                           i + 1);
        group->name = fl_text_copy(&out->arena, name);
        group->points = fl_arena_alloc(&out->arena, FL_SCALING_ROWS * sizeof(*group->points), 16);
        if (!group->name || !group->points)
            return out_of_memory(table);
    }
    out->count = count - 1;
    return 0;
}

static int take_threads(struct table *table, const char *text, double *out)
{
    if (strlen(text) > NUMBER_MAX || fl_factor_number(FL_FACTOR_INT, text, out) || *out < 1 ||
        *out > FL_USL_THREADS)
        return fl_fail(table->err, -EINVAL, "line %u: '%.40s' threads: accepted is 1 to %d",
                       table->line, text, FL_USL_THREADS);
    return 0;
}

/* 0 for an empty field. */
static int take_value(struct table *table, const char *text, double *out)
{
    double value;

    *out = 0;
    if (!*text)
        return 0;
    if (strlen(text) > NUMBER_MAX || fl_factor_number(FL_FACTOR_REAL, text, &value) ||
        !(value >= 1e-100 && value <= 1e100))
        return fl_fail(table->err, -EINVAL,
                       "line %u: '%.40s' is no value: a number above 0, or nothing", table->line,
                       text);
    *out = table->rates ? value : MS_PER_S / value;
    return 0;
}

/* Fewest threads first. */
static void insert(struct fl_scaling_group *group, struct fl_scaling_point point)
{
    size_t at = group->count++;

    for (; at && group->points[at - 1].threads > point.threads; at--)
        group->points[at] = group->points[at - 1];
    group->points[at] = point;
}

/* Every row so far has a point in each group. */
static int check_new(const struct table *table, double threads)
{
    const struct fl_scaling_group *rows = &table->out->groups[0];

    for (size_t i = 0; i < rows->count; i++)
        if (rows->points[i].threads == (unsigned)threads)
            return fl_fail(table->err, -EINVAL,
                           "line %u: %.0f threads stand in a line above already: one line for each",
                           table->line, threads);
    return 0;
}

static int take_row(struct table *table, char *const *fields, size_t count)
{
    struct fl_scaling *out = table->out;
    double threads, value;
    int rc = 0;

    if (count != out->count + 1)
        return fl_fail(table->err, -EINVAL, "line %u: %zu fields instead of the %zu of the head",
                       table->line, count, out->count + 1);
    if (table->rows++ == FL_SCALING_ROWS)
        return fl_fail(table->err, -EINVAL, "line %u: more than %d rows", table->line,
                       FL_SCALING_ROWS);
    const char *level = fl_text_copy(&out->arena, trim(fields[0]));
    if (!level)
        return out_of_memory(table);
    rc = take_threads(table, level, &threads);
    if (!rc)
        rc = check_new(table, threads);
    for (size_t i = 0; i < out->count && !rc; i++) {
        rc = take_value(table, trim(fields[i + 1]), &value);
        if (!rc)
            insert(&out->groups[i],
                   (struct fl_scaling_point){level, (unsigned)threads, value, NULL});
    }
    return rc;
}

/* One line, NUL-terminated, its end of line gone. */
static int take_line(struct table *table, char *line, size_t length)
{
    char *fields[FIELDS_MAX] = {line};

    if (length && line[length - 1] == '\r')
        line[--length] = '\0';
    if (line[strspn(line, " \t")] == '#')
        return 0;
    for (size_t i = 0; i < length; i++)
        if (((unsigned char)line[i] < ' ' && line[i] != '\t') || line[i] == '"')
            return fl_fail(table->err, -EINVAL,
                           "line %u: quotes and control characters are not accepted", table->line);
    line = trim(line);
    if (!*line)
        return 0;
    size_t count = split(line, fields);
    return table->out->count ? take_row(table, fields, count) : take_head(table, fields, count);
}

static int take_lines(struct table *table, char *text, size_t size)
{
    int rc = 0;

    for (char *end = text + size; text < end && !rc; table->line++) {
        char *newline = memchr(text, '\n', (size_t)(end - text));
        char *stop = newline ? newline : end;
        *stop = '\0';
        rc = take_line(table, text, (size_t)(stop - text));
        text = stop + 1;
    }
    if (!rc && !table->rows)
        rc = fl_fail(table->err, -EINVAL, "the table has no rows");
    return rc;
}

int fl_scaling_parse(const char *text, size_t size, bool rates, struct fl_scaling *out,
                     struct fl_err *err)
{
    static const char mark[] = "\xef\xbb\xbf";
    struct table table = {.out = out, .err = err, .rates = rates, .line = 1};

    *out = (struct fl_scaling){.title = "", .shared = "", .by = "threads"};
    out->unit = rates ? "rate" : "1/s";
    if (size > FL_SCALING_CSV_MAX)
        return fl_fail(err, -EINVAL, "the table is longer than %u bytes", FL_SCALING_CSV_MAX);
    if (size >= strlen(mark) && memcmp(text, mark, strlen(mark)) == 0) {
        text += strlen(mark);
        size -= strlen(mark);
    }
    char *copy = malloc(size + 1);
    if (!copy)
        return out_of_memory(&table);
    if (size)
        memcpy(copy, text, size);
    copy[size] = '\0';
    int rc = take_lines(&table, copy, size);
    free(copy);
    if (rc)
        fl_scaling_release(out);
    return rc;
}
