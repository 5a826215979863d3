/* SPDX-License-Identifier: Apache-2.0 */
/* Cells: levels in canonical order over a text store of their own, and the key they spell. */
#include "faultline/cell.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void fl_cell_clear(struct fl_cell *cell)
{
    cell->count = 0;
    cell->used = 0;
}

static struct fl_level *find(struct fl_cell *cell, const char *factor)
{
    for (size_t i = 0; i < cell->count; i++)
        if (!strcmp(cell->levels[i].factor->name, factor))
            return &cell->levels[i];
    return NULL;
}

int fl_cell_set(struct fl_cell *cell, const struct fl_factor *factor, const char *level,
                struct fl_err *err)
{
    int rc = fl_factor_check(factor, level, err);
    if (rc)
        return rc;
    size_t bytes = strlen(level) + 1;
    struct fl_level *slot = find(cell, factor->name);
    if (bytes > sizeof cell->store - cell->used || (!slot && cell->count == FL_CELL_LEVELS))
        return fl_fail(err, -E2BIG, "a cell is too long: its levels take more than %d bytes",
                       FL_CELL_KEY_MAX);
    char *copy = cell->store + cell->used;
    memcpy(copy, level, bytes);
    cell->used += bytes;
    if (!slot)
        slot = &cell->levels[cell->count++];
    *slot = (struct fl_level){factor, copy};
    return 0;
}

const char *fl_cell_get(const struct fl_cell *cell, const char *factor)
{
    for (size_t i = 0; i < cell->count; i++)
        if (!strcmp(cell->levels[i].factor->name, factor))
            return cell->levels[i].text;
    return NULL;
}

double fl_cell_number(const struct fl_cell *cell, const char *factor, double otherwise)
{
    for (size_t i = 0; i < cell->count; i++) {
        const struct fl_level *level = &cell->levels[i];
        double value;
        if (strcmp(level->factor->name, factor))
            continue;
        return fl_factor_number(level->factor->type, level->text, &value) ? otherwise : value;
    }
    return otherwise;
}

/* ---- key text ---- */

struct writer {
    char *out;
    size_t size, used;
    bool cut;
};

static void put(struct writer *writer, char c)
{
    if (writer->used + 1 < writer->size)
        writer->out[writer->used++] = c;
    else
        writer->cut = true;
}

static void put_text(struct writer *writer, const char *text)
{
    while (*text)
        put(writer, *text++);
}

static void put_level(struct writer *writer, const char *level)
{
    if (*level && !strpbrk(level, " \t,\"\\#;")) {
        put_text(writer, level);
        return;
    }
    put(writer, '"');
    for (; *level; level++) {
        if (*level == '"' || *level == '\\')
            put(writer, '\\');
        put(writer, *level);
    }
    put(writer, '"');
}

bool fl_cell_in_key(const struct fl_level *level)
{
    const struct fl_factor *factor = level->factor;
    return !factor->fallback || !strcmp(factor->name, "workspace") ||
           !strcmp(factor->name, "malloc") || strcmp(factor->fallback, level->text) != 0;
}

int fl_cell_put_level(char *out, size_t size, const char *factor, const char *level)
{
    struct writer writer = {out, size, 0, size == 0};
    put_text(&writer, factor);
    put(&writer, '=');
    put_level(&writer, level);
    if (size)
        out[writer.used] = 0;
    return writer.cut ? -E2BIG : (int)writer.used;
}

int fl_cell_key(const struct fl_cell *cell, char *out, size_t size)
{
    struct writer writer = {out, size, 0, size == 0};
    for (size_t i = 0; i < cell->count; i++) {
        if (!fl_cell_in_key(&cell->levels[i]))
            continue;
        if (writer.used)
            put(&writer, ' ');
        put_text(&writer, cell->levels[i].factor->name);
        put(&writer, '=');
        put_level(&writer, cell->levels[i].text);
    }
    if (size)
        out[writer.used] = 0;
    return writer.cut ? -E2BIG : 0;
}

static int take_quoted(const char **at, struct writer *level, struct fl_err *err)
{
    const char *c = *at + 1;
    for (; *c && *c != '"'; c++) {
        if (*c == '\\' && (c[1] == '"' || c[1] == '\\'))
            c++;
        put(level, *c);
    }
    if (*c != '"')
        return fl_fail(err, -EINVAL, "a quote is not closed in '%.80s'", *at);
    *at = c + 1;
    return 0;
}

int fl_cell_split(const char **text, char *name, size_t name_size, char *level, size_t level_size,
                  struct fl_err *err)
{
    const char *c = *text + strspn(*text, " \t");
    if (!*c)
        return 0;
    struct writer names = {name, name_size, 0, false}, levels = {level, level_size, 0, false};
    const char *start = c;
    while (*c && !strchr(" \t=\"", *c))
        put(&names, *c++);
    if (*c != '=' || !names.used)
        return fl_fail(err, -EINVAL, "expected factor=level at '%.80s'", start);
    c++;
    if (*c == '"') {
        int rc = take_quoted(&c, &levels, err);
        if (rc)
            return rc;
    } else {
        while (*c && !strchr(" \t", *c))
            put(&levels, *c++);
    }
    if (*c && !strchr(" \t", *c))
        return fl_fail(err, -EINVAL, "expected a space behind the level at '%.80s'", start);
    if (names.cut || levels.cut)
        return fl_fail(err, -EINVAL, "a factor or level is too long at '%.80s'", start);
    name[names.used] = 0;
    level[levels.used] = 0;
    *text = c;
    return 1;
}
