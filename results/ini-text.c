/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inih splits lines longer than its buffer without a word and gives no line numbers, so it is fed
 * by a reader that counts lines and refuses what would not fit.
 */
#include "results/ini-text.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILE_MAX_BYTES = 4 << 20,
    SECTION_MAX_BYTES = 49, /* of its name, what inih keeps */
};

/* What the reader and the handler share while one text is read. */
struct reading {
    const char *path;
    const char *rest; /* of the text */
    const char *end;
    int line;      /* last one handed to inih, from 1 */
    bool keyed;    /* the section has had a key, so that an indented line goes on with it */
    bool indented; /* that line continues a list */
    char cut;      /* where inih cuts that line in two: '=' or ':' */
    int failed;    /* the code of the first mistake, which `err` tells; 0: none */
    fl_ini_fn each;
    void *arg;
    struct fl_err *err;
};

static int mistake(struct reading *reading, int code, const char *section, const char *key)
{
    reading->failed = code;
    if (key)
        return fl_fail_within(reading->err, code, "%s:%d: [%s] %.80s", reading->path, reading->line,
                              section, key);
    return fl_fail_within(reading->err, code, "%s:%d", reading->path, reading->line);
}

/* What inih makes of a line: white space in front continues a key, where there is one already and
 * it is not empty. */
static void note_indentation(struct reading *reading, const char *line)
{
    const char *start = line + strspn(line, " \t\r\n");
    if (!*start || *start == ';' || *start == '#')
        return;
    reading->indented = reading->keyed && start > line;
    if (!reading->indented)
        reading->keyed = !strchr("[=:", *start);
}

/* Refuses what inih would split or cut without a word. */
static int check_line(struct reading *reading, const char *line, size_t length, size_t size)
{
    const char *bracket = length && *line == '[' ? memchr(line, ']', length) : NULL;
    if (length > FL_INI_LINE_MAX || length + 2 > size)
        fl_fail(reading->err, -EINVAL,
                "a line of %zu bytes is too long (at most %d): continue a list on indented lines",
                length, FL_INI_LINE_MAX);
    else if (memchr(line, 0, length))
        fl_fail(reading->err, -EINVAL, "a line holds a NUL byte: this is no text file");
    else if (bracket && bracket - line - 1 > SECTION_MAX_BYTES)
        fl_fail(reading->err, -EINVAL, "a section's name is longer than %d bytes",
                SECTION_MAX_BYTES);
    else
        return 0;
    return mistake(reading, -EINVAL, NULL, NULL);
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

static int handle(void *user, const char *section, const char *name, const char *value)
{
    struct reading *reading = user;
    const struct fl_ini_line line = {section,           name,        value, reading->line,
                                     reading->indented, reading->cut};
    if (reading->failed)
        return 1;
    int rc = reading->each(reading->arg, &line, reading->err);
    if (rc)
        mistake(reading, rc, section, name);
    return 1;
}

int fl_ini_read(const char *path, const char *text, size_t length, fl_ini_fn each, void *arg,
                struct fl_err *err)
{
    struct reading reading = {
        .path = path, .rest = text, .end = text + length, .each = each, .arg = arg, .err = err};
    /* The handler and the reader see the same struct: what inih passes as user and as stream. */
    int line = ini_parse_stream(next_line, &reading, handle, &reading);
    if (reading.failed)
        return reading.failed;
    if (line < 0)
        return fl_fail(err, -ENOMEM, "cannot read '%s': out of memory", path);
    if (line > 0)
        return fl_fail(err, -EINVAL, "%s:%d: expected [section] or 'key = value'", path, line);
    return 0;
}

int fl_ini_whole(const struct fl_ini_line *line, char *out, size_t size, struct fl_err *err)
{
    /* A level goes on to the next space, as it may hold a ':'. */
    const char *space = line->cut == ':' ? " " : "";
    int length = line->more
                     ? snprintf(out, size, "%s", line->value)
                     : snprintf(out, size, "%s%s%c%s", line->key, space, line->cut, line->value);
    if (length < 0 || (size_t)length >= size)
        return fl_fail(err, -EINVAL, "a rule is too long");
    return 0;
}

int fl_ini_item(const char **list, char *out, size_t size, struct fl_err *err)
{
    const char *at = *list + strspn(*list, " \t,");
    size_t used = 0;
    if (!*at)
        return 0;
    bool quoted = *at == '"';
    for (at += quoted; *at && (quoted ? *at != '"' : *at != ','); at++) {
        if (quoted && *at == '\\' && (at[1] == '"' || at[1] == '\\'))
            at++;
        if (used + 1 < size)
            out[used++] = *at;
        else
            return fl_fail(err, -EINVAL, "an item is longer than %zu bytes", size - 1);
    }
    if (quoted && *at++ != '"')
        return fl_fail(err, -EINVAL, "a quote is not closed");
    while (!quoted && used && (out[used - 1] == ' ' || out[used - 1] == '\t'))
        used--;
    out[used] = 0;
    *list = at + strspn(at, " \t");
    if (**list && **list != ',')
        return fl_fail(err, -EINVAL, "expected ',' behind '%.80s'", out);
    return 1;
}

int fl_ini_load(const char *path, const char *what, char **text, size_t *length, struct fl_err *err)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return fl_fail(err, -errno, "cannot open %s '%s': %s", what, path, strerror(errno));
    *text = malloc(FILE_MAX_BYTES + 1);
    *length = *text ? fread(*text, 1, FILE_MAX_BYTES + 1, file) : 0;
    int rc = 0;
    if (!*text)
        rc = fl_fail(err, -ENOMEM, "cannot read '%s': out of memory", path);
    else if (ferror(file))
        rc = fl_fail(err, -EIO, "cannot read %s '%s': %s", what, path, strerror(errno));
    else if (*length > FILE_MAX_BYTES)
        rc = fl_fail(err, -EFBIG, "cannot read %s '%s': larger than 4 MiB", what, path);
    fclose(file);
    if (rc) {
        free(*text);
        *text = NULL;
    }
    return rc;
}
