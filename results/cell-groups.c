/* SPDX-License-Identifier: Apache-2.0 */
#include "cell-groups.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "results/text.h"

struct maker {
    const struct fl_summary *summary;
    const struct fl_cell_groups_by *by;
    size_t *cells, count;        /* that are in a group */
    size_t *others, other_count; /* factors that set groups apart */
    bool *shared;                /* per factor: the same in all those cells that have it, if any */
    size_t *varying, varying_count;
    struct fl_arena *arena;
};

/* ---- cells and factors ---- */

static bool is_by(const struct maker *m, size_t factor)
{
    size_t i = 0;

    while (i < m->by->count && m->by->factors[i] != factor)
        i++;
    return i < m->by->count;
}

static bool belongs(const struct maker *m, size_t cell)
{
    size_t has = 0;

    for (size_t i = 0; i < m->by->count; i++)
        has += m->summary->cells[cell].levels[m->by->factors[i]] != NULL;
    return m->by->whole ? has == m->by->count : has > 0;
}

static bool is_shared(const struct maker *m, size_t factor)
{
    const char *only = NULL;

    for (size_t i = 0; i < m->count; i++) {
        const char *level = m->summary->cells[m->cells[i]].levels[factor];
        if (level && only && strcmp(level, only) != 0)
            return false;
        only = level ? level : only;
    }
    return true;
}

static int find_cells(struct maker *m)
{
    size_t all = m->summary->cell_count;

    m->cells = fl_arena_alloc(m->arena, (all + 1) * sizeof(*m->cells), 16);
    if (!m->cells)
        return -ENOMEM;
    for (size_t i = 0; i < all; i++)
        if (belongs(m, i))
            m->cells[m->count++] = i;
    return 0;
}

static int find_factors(struct maker *m)
{
    size_t factors = m->summary->factor_count;

    m->others = fl_arena_alloc(m->arena, (factors + 1) * sizeof(*m->others), 16);
    m->shared = fl_arena_alloc(m->arena, factors + 1, 1);
    m->varying = fl_arena_alloc(m->arena, (factors + 1) * sizeof(*m->varying), 16);
    if (!m->others || !m->shared || !m->varying)
        return -ENOMEM;
    for (size_t i = 0; i < factors; i++) {
        m->shared[i] = is_shared(m, i);
        /* At its fallback in every cell that has it: to lack it is no difference to speak of. */
        if (is_by(m, i) || m->summary->implied[i])
            continue;
        m->others[m->other_count++] = i;
        if (!m->shared[i])
            m->varying[m->varying_count++] = i;
    }
    return 0;
}

/* ---- names ---- */

/* The level of the first of some cells that have the factor; NULL: none has. */
static const char *level_of(const struct maker *m, const size_t *cells, size_t count, size_t factor)
{
    size_t i = 0;

    while (i < count && !m->summary->cells[cells[i]].levels[factor])
        i++;
    return i < count ? m->summary->cells[cells[i]].levels[factor] : NULL;
}

/* `factor=level ...` of those that vary over the run, or of those that do not. */
static const char *describe(const struct maker *m, const size_t *cells, size_t count, bool varying)
{
    const struct fl_summary *summary = m->summary;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    for (size_t i = 0; i < m->other_count; i++) {
        size_t factor = m->others[i];
        const char *level = level_of(m, cells, count, factor);
        if (level && m->shared[factor] != varying)
            fprintf(out, "%s%s=%s", ftell(out) > 0 ? " " : "", summary->factors[factor], level);
    }
    fclose(out);
    const char *copy = text ? fl_text_copy(m->arena, text) : NULL;
    free(text);
    return copy;
}

/* ---- sorting ---- */

/* As in the key: a factor at its fallback tells as little as one that a cell does not have. */
static const char *telling_level(const struct fl_summary_cell *cell, size_t factor)
{
    return cell->implied[factor] ? "-" : fl_layout_level(cell, factor);
}

static int compare_levels(const struct maker *m, size_t a, size_t b)
{
    const struct fl_summary_cell *cells = m->summary->cells;
    int order = 0;

    for (size_t i = 0; i < m->other_count && !order; i++)
        order =
            strcmp(telling_level(&cells[a], m->others[i]), telling_level(&cells[b], m->others[i]));
    return order;
}

static int compare_cells(const void *a, const void *b, void *arg)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    int order = compare_levels(arg, x, y);

    return order ? order : (x > y) - (x < y);
}

static int compare_groups(const void *a, const void *b)
{
    const struct fl_cell_group *x = a, *y = b;

    return (x->cells[0] > y->cells[0]) - (x->cells[0] < y->cells[0]);
}

/* Runs of equal cells become groups. */
static int split(const struct maker *m, struct fl_cell_groups *out)
{
    for (size_t i = 0; i < m->count; i++) {
        const size_t *cell = &m->cells[i];
        if (!i || compare_levels(m, cell[-1], *cell) != 0)
            out->items[out->count++] = (struct fl_cell_group){.cells = cell};
        out->items[out->count - 1].count++;
    }
    for (size_t i = 0; i < out->count; i++) {
        struct fl_cell_group *group = &out->items[i];
        group->name = describe(m, group->cells, group->count, true);
        if (!group->name)
            return -ENOMEM;
    }
    if (out->count)
        qsort(out->items, out->count, sizeof(*out->items), compare_groups);
    return 0;
}

int fl_cell_groups_make(const struct fl_summary *summary, const struct fl_cell_groups_by *by,
                        struct fl_arena *arena, struct fl_cell_groups *out)
{
    struct maker m = {.summary = summary, .by = by, .arena = arena};

    *out = (struct fl_cell_groups){.count = 0};
    if (find_cells(&m) || find_factors(&m))
        return -ENOMEM;
    out->varying = m.varying;
    out->varying_count = m.varying_count;
    out->shared = describe(&m, m.cells, m.count, false);
    out->items = fl_arena_alloc(arena, (m.count + 1) * sizeof(*out->items), 16);
    if (!out->shared || !out->items)
        return -ENOMEM;
    qsort_r(m.cells, m.count, sizeof(*m.cells), compare_cells, &m);
    return split(&m, out);
}
