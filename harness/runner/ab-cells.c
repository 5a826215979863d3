/* SPDX-License-Identifier: Apache-2.0 */
/* Keys without what is compared, looked up in each other. */
#include "runner/ab-cells.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int out_of_memory(struct fl_err *err)
{
    return fl_fail(err, -ENOMEM, "out of memory");
}

static bool is_compared(const struct fl_ab *ab, const char *factor)
{
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < ab->sides[s].named_count; i++)
            if (!strcmp(ab->sides[s].named[i].factor, factor))
                return true;
    return false;
}

/* Copies the words of a key that are not compared, as they are spelt. */
static int strip(const struct fl_ab *ab, const char *key, char *out, struct fl_err *err)
{
    char name[64], level[FL_CELL_KEY_MAX];
    const char *at = key;
    size_t used = 0;
    int rc;
    for (;;) {
        const char *start = at;
        rc = fl_cell_split(&at, name, sizeof name, level, sizeof level, err);
        if (rc <= 0)
            break;
        while (*start == ' ')
            start++;
        if (!is_compared(ab, name))
            used += (size_t)snprintf(out + used, FL_CELL_KEY_MAX - used, "%s%.*s", used ? " " : "",
                                     (int)(at - start), start);
    }
    out[used] = 0;
    while (used && out[used - 1] == ' ')
        out[--used] = 0;
    return rc;
}

struct stripped {
    char *key;
    size_t place;
};

static int compare_stripped(const void *a, const void *b)
{
    return strcmp(((const struct stripped *)a)->key, ((const struct stripped *)b)->key);
}

static void free_stripped(struct stripped *list, size_t count)
{
    for (size_t i = 0; list && i < count; i++)
        free(list[i].key);
    free(list);
}

/* Benchmarks of a program may share a name: by that they are asked for. */
static int tell_same(int s, const char *key, const char *other, struct fl_err *err)
{
    const char *side = s ? "head" : "base";
    if (!strcmp(key, other))
        return fl_fail(
            err, -EINVAL,
            "the %s has '%.200s' twice, and nothing tells one from the other: rename one "
            "of them, or leave them out by filter=",
            side, key);
    return fl_fail(err, -EINVAL,
                   "two cells of the %s differ in nothing but what is compared: '%.120s' and "
                   "'%.120s': leave one level of it with --set",
                   side, key, other);
}

static int check_distinct(const struct fl_ab *ab, int s, const struct stripped *list, size_t count,
                          struct fl_err *err)
{
    char *const *keys = ab->campaigns[s].plan.keys;
    for (size_t i = 1; i < count; i++)
        if (!strcmp(list[i - 1].key, list[i].key))
            return tell_same(s, keys[list[i - 1].place], keys[list[i].place], err);
    return 0;
}

/* The plan of a side by its stripped keys. */
static int sort_plan(const struct fl_ab *ab, int s, struct stripped **out, struct fl_err *err)
{
    const struct fl_plan *plan = &ab->campaigns[s].plan;
    struct stripped *list = calloc(plan->count, sizeof *list);
    int rc = list ? 0 : out_of_memory(err);
    for (size_t i = 0; i < plan->count && !rc; i++) {
        char text[FL_CELL_KEY_MAX];
        rc = strip(ab, plan->keys[i], text, err);
        list[i] = (struct stripped){rc ? NULL : strdup(text), i};
        if (!rc && !list[i].key)
            rc = out_of_memory(err);
    }
    if (!rc) {
        qsort(list, plan->count, sizeof *list, compare_stripped);
        rc = check_distinct(ab, s, list, plan->count, err);
    }
    if (rc)
        free_stripped(list, plan->count);
    else
        *out = list;
    return rc;
}

static void tell_unpaired(const struct fl_ab *ab)
{
    char text[160];
    const struct fl_progress *progress = &ab->request->progress->common;
    size_t base = ab->campaigns[0].plan.count - ab->count;
    size_t head = ab->campaigns[1].plan.count - ab->count;
    if (!base && !head)
        return;
    snprintf(text, sizeof text,
             "%zu cells are of the base alone and %zu of the head alone; they are not measured",
             base, head);
    progress->note(progress->arg, text);
}

static int compare_places(const void *a, const void *b)
{
    const struct fl_ab_cell *x = a, *y = b;
    return (x->place[0] > y->place[0]) - (x->place[0] < y->place[0]);
}

/* Takes the keys of the pairs over. */
static int join(struct fl_ab *ab, struct stripped *base, const struct stripped *head,
                struct fl_err *err)
{
    size_t bases = ab->campaigns[0].plan.count, heads = ab->campaigns[1].plan.count;
    ab->cells = calloc(bases, sizeof *ab->cells);
    if (!ab->cells)
        return out_of_memory(err);
    for (size_t i = 0; i < bases; i++) {
        const struct stripped *other =
            bsearch(&base[i], head, heads, sizeof *head, compare_stripped);
        if (!other)
            continue;
        ab->cells[ab->count++] =
            (struct fl_ab_cell){.key = base[i].key, .place = {base[i].place, other->place}};
        base[i].key = NULL;
    }
    if (!ab->count)
        return fl_fail(err, -EINVAL,
                       "no cell of the base has a counterpart in the head: '%.120s' and '%.120s'",
                       ab->campaigns[0].plan.keys[0], ab->campaigns[1].plan.keys[0]);
    qsort(ab->cells, ab->count, sizeof *ab->cells, compare_places);
    tell_unpaired(ab);
    return 0;
}

int fl_ab_match(struct fl_ab *ab, struct fl_err *err)
{
    struct stripped *base = NULL, *head = NULL;
    int rc = sort_plan(ab, FL_AB_BASE, &base, err);
    if (!rc)
        rc = sort_plan(ab, FL_AB_HEAD, &head, err);
    if (!rc)
        rc = join(ab, base, head, err);
    free_stripped(base, ab->campaigns[0].plan.count);
    free_stripped(head, ab->campaigns[1].plan.count);
    return rc;
}
