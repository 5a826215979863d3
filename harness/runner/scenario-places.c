/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/scenario-places.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "faultline/cell.h"
#include "results/ini-text.h"
#include "results/text.h"

struct reading {
    struct fl_scenario_places *out;
    size_t capacity, first; /* place of the list at hand */
};

static int out_of_memory(struct fl_err *err)
{
    return fl_fail(err, -ENOMEM, "cannot read a scenario: out of memory");
}

static int add(struct reading *r, const char *factor, const char *level, int line,
               struct fl_err *err)
{
    struct fl_scenario_places *out = r->out;
    if (out->count == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 64;
        struct fl_scenario_place *grown = fl_arena_alloc(&out->arena, capacity * sizeof *grown, 16);
        if (!grown)
            return out_of_memory(err);
        if (out->count)
            memcpy(grown, out->items, out->count * sizeof *grown);
        out->items = grown;
        r->capacity = capacity;
    }
    const struct fl_scenario_place place = {fl_text_copy(&out->arena, factor),
                                            fl_text_copy(&out->arena, level), line, 0};
    out->items[out->count++] = place;
    return place.factor && place.level ? 0 : out_of_memory(err);
}

static int take_list(struct reading *r, const struct fl_ini_line *line, struct fl_err *err)
{
    const char *list = line->value;
    char level[FL_LEVEL_MAX];
    int rc;
    if (!line->more)
        r->first = r->out->count;
    while ((rc = fl_ini_item(&list, level, sizeof level, err)) > 0) {
        rc = add(r, line->key, level, line->number, err);
        if (rc)
            return rc;
    }
    for (size_t i = r->first; i < r->out->count; i++)
        r->out->items[i].levels = r->out->count - r->first;
    return rc;
}

/* A key goes on in indented lines. */
static int take_cell(struct reading *r, const struct fl_ini_line *line, struct fl_err *err)
{
    char text[FL_CELL_KEY_MAX];
    if (!line->more || !r->out->count) {
        int rc = fl_ini_whole(line, text, sizeof text, err);
        return rc ? rc : add(r, "", text, line->number, err);
    }
    struct fl_scenario_place *last = &r->out->items[r->out->count - 1];
    snprintf(text, sizeof text, "%s %s", last->level, line->value);
    last->level = fl_text_copy(&r->out->arena, text);
    return last->level ? 0 : out_of_memory(err);
}

static int take_line(void *arg, const struct fl_ini_line *line, struct fl_err *err)
{
    if (!strcmp(line->section, "factors"))
        return take_list(arg, line, err);
    return strcmp(line->section, "cells") ? 0 : take_cell(arg, line, err);
}

int fl_scenario_places_read(const char *path, const char *text, size_t length,
                            struct fl_scenario_places *out, struct fl_err *err)
{
    struct reading reading = {.out = out};
    *out = (struct fl_scenario_places){.count = 0};
    int rc = fl_ini_read(path, text, length, take_line, &reading, err);
    if (rc)
        fl_scenario_places_release(out);
    return rc;
}

void fl_scenario_places_release(struct fl_scenario_places *places)
{
    fl_arena_release(&places->arena);
    *places = (struct fl_scenario_places){.count = 0};
}

/* Does every factor=level of `part` stand in the key? */
static bool holds(const char *key, const char *part)
{
    char name[128], level[FL_CELL_KEY_MAX], other[128], found[FL_CELL_KEY_MAX];
    int got;
    while ((got = fl_cell_split(&part, name, sizeof name, level, sizeof level, NULL)) > 0) {
        const char *rest = key;
        bool met = false;
        while (!met && fl_cell_split(&rest, other, sizeof other, found, sizeof found, NULL) > 0)
            met = !strcmp(name, other) && !strcmp(level, found);
        if (!met)
            return false;
    }
    return !got;
}

static bool is_of(const struct fl_scenario_place *place, const char *key)
{
    char name[128], level[FL_CELL_KEY_MAX];
    if (!*place->factor)
        return holds(key, place->level);
    while (fl_cell_split(&key, name, sizeof name, level, sizeof level, NULL) > 0)
        if (!strcmp(name, place->factor) && !strcmp(level, place->level))
            return true;
    return false;
}

int fl_scenario_places_line(const struct fl_scenario_places *places, const char *key)
{
    const struct fl_scenario_place *best = NULL;
    for (size_t i = 0; i < places->count; i++) {
        const struct fl_scenario_place *place = &places->items[i];
        if ((!best || place->levels > best->levels) && is_of(place, key))
            best = place;
    }
    return best ? best->line : 1;
}

/* ---- files ---- */

static bool has_text(const char *path, const char *text)
{
    struct fl_err err;
    char *found;
    size_t length;
    if (fl_ini_load(path, "scenario", &found, &length, &err))
        return false;
    bool same = length == strlen(text) && !memcmp(found, text, length);
    free(found);
    return same;
}

/* One argument off a command line as faultline stores it: quoted with '...' where need be. */
static bool take_argument(const char **line, char *out, size_t size)
{
    size_t used = 0;
    bool quoted = false;
    *line += strspn(*line, " ");
    if (!**line)
        return false;
    for (; **line && (quoted || **line != ' '); ++*line) {
        if (**line == '\'') {
            quoted = !quoted;
            continue;
        }
        if (**line == '\\' && !quoted && (*line)[1])
            ++*line;
        if (used + 1 < size)
            out[used++] = **line;
    }
    out[used] = 0;
    return true;
}

int fl_scenario_file_of(const char *command_line, const char *text, char *path, size_t size)
{
    while (take_argument(&command_line, path, size)) {
        size_t length = strlen(path);
        if (length > 4 && !strcmp(path + length - 4, ".ini") && has_text(path, text))
            return 0;
    }
    return -ENOENT;
}

static bool is_repository(const char *folder)
{
    char mark[PATH_MAX];
    return snprintf(mark, sizeof mark, "%s/.git", folder) < (int)sizeof mark && !access(mark, F_OK);
}

void fl_repository_path(const char *path, char *out, size_t size)
{
    char real[PATH_MAX], folder[PATH_MAX];
    snprintf(out, size, "%s", path);
    if (!realpath(path, real))
        return;
    memcpy(folder, real, sizeof folder);
    for (char *slash = strrchr(folder, '/'); slash; slash = strrchr(folder, '/')) {
        *slash = 0;
        if (!is_repository(folder))
            continue;
        snprintf(out, size, "%s", real + strlen(folder) + 1);
        return;
    }
}
