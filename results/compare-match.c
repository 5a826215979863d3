/* SPDX-License-Identifier: Apache-2.0 */
#include "compare-match.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cell-groups.h"
#include "layout.h"
#include "results/text.h"

static int out_of_memory(struct fl_err *err)
{
    return fl_fail(err, -ENOMEM, "cannot compare: out of memory");
}

static void add(struct fl_matches *out, const char *name, size_t base, size_t head)
{
    out->items[out->count++] = (struct fl_match){name, base, head, (double)NAN, (double)NAN};
}

static int make_room(struct fl_matches *out, size_t count, struct fl_err *err)
{
    out->items = fl_arena_alloc(out->arena, (count + 1) * sizeof(*out->items), 16);
    out->count = 0;
    return out->items ? 0 : out_of_memory(err);
}

/* ---- by keys ---- */

static int compare_keys(const void *a, const void *b, void *arg)
{
    const struct fl_summary_cell *cells = arg;

    return strcmp(cells[*(const size_t *)a].key, cells[*(const size_t *)b].key);
}

static size_t find_key(const struct fl_summary *summary, const size_t *order, const char *key)
{
    size_t low = 0, high = summary->cell_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int side = strcmp(summary->cells[order[middle]].key, key);
        if (!side)
            return order[middle];
        if (side < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return FL_NO_CELL;
}

int fl_match_keys(struct fl_matches *out, struct fl_err *err)
{
    const struct fl_summary *base = out->base, *head = out->head;
    size_t *order = fl_arena_alloc(out->arena, (head->cell_count + 1) * sizeof(*order), 16);
    bool *met = fl_arena_alloc(out->arena, head->cell_count + 1, 1);

    if (!order || !met)
        return out_of_memory(err);
    int rc = make_room(out, base->cell_count + head->cell_count, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < head->cell_count; i++)
        order[i] = i;
    qsort_r(order, head->cell_count, sizeof(*order), compare_keys, head->cells);
    for (size_t i = 0; i < base->cell_count; i++) {
        size_t found = find_key(head, order, base->cells[i].key);
        add(out, base->cells[i].key, i, found);
        if (found != FL_NO_CELL)
            met[found] = true;
    }
    for (size_t i = 0; i < head->cell_count; i++)
        if (!met[i])
            add(out, head->cells[i].key, FL_NO_CELL, i);
    return 0;
}

/* ---- by levels ---- */

static int need_level(const struct fl_summary *plan, const char *by, size_t factor,
                      const char *level, struct fl_err *err)
{
    for (size_t i = 0; i < plan->cell_count; i++)
        if (strcmp(fl_layout_level(&plan->cells[i], factor), level) == 0)
            return 0;
    return fl_fail(err, -EINVAL, "no cell of the run has %.80s=%.80s", by, level);
}

static size_t find_level(const struct fl_summary *plan, const struct fl_cell_group *group,
                         size_t factor, const char *level)
{
    for (size_t i = 0; i < group->count; i++)
        if (strcmp(fl_layout_level(&plan->cells[group->cells[i]], factor), level) == 0)
            return group->cells[i];
    return FL_NO_CELL;
}

int fl_match_levels(struct fl_matches *out, const struct fl_compare_levels *levels,
                    struct fl_err *err)
{
    size_t factor;
    struct fl_cell_groups groups;
    const struct fl_cell_groups_by by = {.factors = &factor, .count = 1};
    const struct fl_summary *plan = out->base;
    int rc = fl_layout_find(plan, FL_LAYOUT_FACTOR, levels->by, &factor, err);

    if (!rc)
        rc = need_level(plan, levels->by, factor, levels->base, err);
    if (!rc)
        rc = need_level(plan, levels->by, factor, levels->head, err);
    if (rc)
        return rc;
    if (fl_cell_groups_make(plan, &by, out->arena, &groups))
        return out_of_memory(err);
    rc = make_room(out, groups.count, err);
    for (size_t i = 0; i < groups.count && !rc; i++) {
        const struct fl_cell_group *group = &groups.items[i];
        size_t base = find_level(plan, group, factor, levels->base);
        size_t head = find_level(plan, group, factor, levels->head);
        if (base != FL_NO_CELL || head != FL_NO_CELL)
            add(out, *group->name ? group->name : groups.shared, base, head);
    }
    return rc;
}

/* ---- by a pairing ---- */

struct place {
    int64_t id;
    size_t at;
};

struct pairing_reader {
    struct fl_matches *out;
    struct place *base, *head; /* cells by id */
    bool swapped;
    size_t room;
    struct fl_err *err;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static struct place *places_of(const struct fl_summary *plan, struct fl_arena *arena)
{
    struct place *places = fl_arena_alloc(arena, (plan->cell_count + 1) * sizeof(*places), 16);

    for (size_t i = 0; places && i < plan->cell_count; i++)
        places[i] = (struct place){plan->cells[i].id, i};
    if (places)
        qsort(places, plan->cell_count, sizeof(*places), compare_places);
    return places;
}

static size_t find_cell(const struct place *places, size_t count, int64_t id)
{
    const struct place wanted = {.id = id};
    const struct place *found =
        count ? bsearch(&wanted, places, count, sizeof(*places), compare_places) : NULL;

    return found ? found->at : FL_NO_CELL;
}

/* Cells of a pairing are at most those of its base: it names none twice. */
static int keep_pair(void *arg, const struct fl_paired_cell *cell)
{
    struct pairing_reader *r = arg;
    const struct fl_matches *out = r->out;
    const char *name = fl_text_copy(out->arena, cell->key);

    if (!name)
        return out_of_memory(r->err);
    if (out->count == r->room)
        return fl_fail(r->err, -EBADMSG, "a pairing has more cells than its runs");
    add(r->out, name,
        find_cell(r->base, out->base->cell_count, r->swapped ? cell->head : cell->base),
        find_cell(r->head, out->head->cell_count, r->swapped ? cell->base : cell->head));
    struct fl_match *match = &out->items[out->count - 1];
    match->tolerance = cell->tolerance;
    match->detect = cell->detect;
    return 0;
}

int fl_match_pairing(struct fl_matches *out, struct fl_store *store, int64_t pairing, bool swapped,
                     struct fl_err *err)
{
    struct pairing_reader r = {.out = out,
                               .base = places_of(out->base, out->arena),
                               .head = places_of(out->head, out->arena),
                               .swapped = swapped,
                               .room = out->base->cell_count + out->head->cell_count,
                               .err = err};

    if (!r.base || !r.head)
        return out_of_memory(err);
    int rc = make_room(out, r.room, err);
    return rc ? rc : fl_pairing_cells(store, pairing, keep_pair, &r, err);
}

/* ---- cells ---- */

const struct fl_series_cell *fl_match_cell(const struct fl_series_set *set, size_t cell)
{
    return cell == FL_NO_CELL ? NULL : &set->cells[cell];
}

bool fl_match_comparable(const struct fl_series_cell *base, const struct fl_series_cell *head)
{
    return base && head && !base->failure && !head->failure && (base->timed || base->counted) &&
           (head->timed || head->counted);
}
