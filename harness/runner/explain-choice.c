/* SPDX-License-Identifier: Apache-2.0 */
/* Which cell of a run most asks for an explanation. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "results/text.h"
#include "runner/explain.h"
#include "runner/suspects.h"

struct candidate {
    const char *group; /* the levels that no suspect changes */
    double time;
    size_t cell;
    bool named; /* by its counters */
};

static int out_of_memory(struct fl_err *err)
{
    return fl_fail(err, -ENOMEM, "out of memory");
}

static size_t find_metric(const struct fl_summary *summary, const char *name)
{
    size_t i = 0;
    while (i < summary->metric_count && strcmp(summary->metrics[i].metric.name, name) != 0)
        i++;
    return i;
}

/* ---- groups ---- */

static bool changes(const char *change, const char *factor)
{
    char name[64], level[FL_LEVEL_MAX];
    while (fl_cell_split(&change, name, sizeof name, level, sizeof level, NULL) > 0)
        if (!strcmp(name, factor))
            return true;
    return false;
}

static bool some_suspect_changes(const char *factor)
{
    for (const struct fl_suspect *s = fl_suspects; s->where; s++)
        for (const char *const *change = s->removals; *change; change++)
            if (changes(*change, factor))
                return true;
    return false;
}

/* Text that two cells share when they differ in levels of suspects alone. */
static const char *group_of(const struct fl_summary *summary, const struct fl_summary_cell *cell,
                            struct fl_arena *arena)
{
    char text[2 * FL_CELL_KEY_MAX] = "";
    size_t used = 0;
    for (size_t f = 0; f < summary->factor_count && used < sizeof text; f++)
        if (cell->levels[f] && !cell->implied[f] && !some_suspect_changes(summary->factors[f]))
            used += (size_t)snprintf(text + used, sizeof text - used, "%s=%s\n",
                                     summary->factors[f], cell->levels[f]);
    return fl_text_copy(arena, text);
}

/* ---- counters ---- */

static bool speaks(const struct fl_summary *summary, const struct fl_summary_cell *cell,
                   const char *counter)
{
    size_t metric = find_metric(summary, counter);
    if (metric == summary->metric_count || !cell->values[metric].count)
        return true;
    return fl_number_real(cell->values[metric].median) > 0;
}

/* Would a counter of some suspect of the cell convict it, as far as the run has counted? */
static bool is_named(const struct fl_summary *summary, const struct fl_summary_cell *cell)
{
    struct fl_cell parsed;
    struct fl_err ignored; /* a cell that is not ours cannot be measured again */
    if (fl_cell_parse(&parsed, cell->key, &ignored))
        return false;
    for (const struct fl_suspect *s = fl_suspects; s->where; s++) {
        if (!fl_suspect_fits(s, &parsed))
            continue;
        for (const char *const *counter = s->testimony.convicts; *counter; counter++)
            if (speaks(summary, cell, *counter))
                return true;
    }
    return false;
}

/* ---- the choice ---- */

static int by_group(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    int order = strcmp(x->group, y->group);
    return order ? order : (x->time > y->time) - (x->time < y->time);
}

/* The worst beside the first of its group; of equals the one that was planned first. */
static size_t worst(const struct candidate *list, size_t count, bool named)
{
    size_t found = count, first = 0;
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[first].group, list[i].group) != 0)
            first = i;
        double ratio = list[i].time / list[first].time;
        if ((named && !list[i].named) || ratio < most ||
            (ratio == most && list[i].cell > list[found].cell))
            continue;
        most = ratio;
        found = i;
    }
    return found;
}

static int gather(const struct fl_summary *summary, struct fl_arena *arena, struct candidate *list,
                  size_t *count, struct fl_err *err)
{
    size_t time = find_metric(summary, "time");
    for (size_t i = 0; i < summary->cell_count && time < summary->metric_count; i++) {
        const struct fl_summary_cell *cell = &summary->cells[i];
        const struct fl_summary_value *value = &cell->values[time];
        if (strcmp(cell->status, "ok") != 0 || !value->count ||
            !(fl_number_real(value->median) > 0))
            continue;
        list[*count] =
            (struct candidate){group_of(summary, cell, arena), fl_number_real(value->median), i,
                               is_named(summary, cell)};
        if (!list[(*count)++].group)
            return out_of_memory(err);
    }
    return *count ? 0
                  : fl_fail(err, -ENOENT, "run %lld has no cell whose time was measured",
                            (long long)summary->run.id);
}

int fl_explain_choose(const struct fl_summary *summary, size_t *cell, struct fl_err *err)
{
    struct fl_arena arena = {.limit = 0};
    size_t count = 0;
    struct candidate *list = calloc(summary->cell_count + 1, sizeof *list);
    int rc = list ? gather(summary, &arena, list, &count, err) : out_of_memory(err);
    if (!rc) {
        qsort(list, count, sizeof *list, by_group);
        size_t found = worst(list, count, true);
        *cell = list[found < count ? found : worst(list, count, false)].cell;
    }
    free(list);
    fl_arena_release(&arena);
    return rc;
}
