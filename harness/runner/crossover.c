/* SPDX-License-Identifier: Apache-2.0 */
/* Groups, looks and halving. */
#include "runner/crossover.h"

#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/random.h"
#include "faultline/reals.h"
#include "runner/planning.h"

enum side { FIRST_IS_FASTER, SECOND_IS_FASTER, NO_SIDE };

struct search {
    struct fl_campaign *campaign;
    const struct fl_scenario_crossover *crossover;
    struct fl_cell cell; /* of the group: any levels of the two factors */
    void *groups;        /* tsearch tree of the keys of those that are through */
    uint64_t random;
};

static const struct fl_factor *factor_of(const struct fl_cell *cell, const char *name)
{
    for (size_t i = 0; i < cell->count; i++)
        if (!strcmp(cell->levels[i].factor->name, name))
            return cell->levels[i].factor;
    return NULL;
}

static int set_level(struct fl_cell *cell, const char *factor, const char *level,
                     struct fl_err *err)
{
    const struct fl_factor *found = factor_of(cell, factor);
    return found ? fl_cell_set(cell, found, level, err) : -ENOENT;
}

/* Key of the group's cell at a step and a level of the compared factor. */
static int key_at(const struct search *search, int step, const char *level,
                  char key[FL_CELL_KEY_MAX], struct fl_err *err)
{
    char number[32];
    struct fl_cell cell; /* read from text: the levels of a copy would point into the original */
    fl_crossover_level(search->crossover, step, number, sizeof number);
    int rc = fl_cell_key(&search->cell, key, FL_CELL_KEY_MAX);
    if (!rc)
        rc = fl_cell_parse(&cell, key, err);
    if (!rc)
        rc = set_level(&cell, search->crossover->search, number, err);
    if (!rc)
        rc = set_level(&cell, search->crossover->compare, level, err);
    return rc ? rc : fl_cell_key(&cell, key, FL_CELL_KEY_MAX);
}

/* ---- cells ---- */

static size_t find_key(const struct fl_campaign *campaign, const char *key)
{
    size_t i = 0;
    while (i < campaign->plan.count && strcmp(campaign->plan.keys[i], key) != 0)
        i++;
    return i;
}

/* Place of the cell, which joins the plan where it is not in it. */
static int join(struct search *search, int step, const char *level, size_t *place,
                struct fl_err *err)
{
    struct fl_campaign *campaign = search->campaign;
    char key[FL_CELL_KEY_MAX];
    int rc = key_at(search, step, level, key, err);
    if (rc)
        return rc;
    *place = find_key(campaign, key);
    if (*place < campaign->plan.count)
        return 0;
    rc = fl_campaign_append(campaign, key, err);
    if (!rc)
        rc = fl_planning_store(campaign, *place, err);
    if (!rc)
        rc = fl_campaign_index(campaign, err);
    campaign->total += rc ? 0 : fl_campaign_left(campaign, *place);
    campaign->result->cells = campaign->plan.count;
    return rc;
}

/* ---- one look ---- */

/* Which of two cells is the faster, by the median of the ratios of their rounds. */
static enum side side_of(const struct fl_campaign *campaign, size_t first, size_t second)
{
    const double *mine = campaign->cells[first].times, *other = campaign->cells[second].times;
    int rounds = campaign->request->scenario->rounds;
    size_t count = 0;
    double *ratios = mine && other ? malloc((size_t)rounds * sizeof *ratios) : NULL;
    if (!ratios)
        return NO_SIDE;
    for (int i = 0; i < rounds; i++)
        if (mine[i] > 0 && other[i] > 0)
            ratios[count++] = mine[i] / other[i];
    double median = count ? fl_reals_median(ratios, count) : (double)NAN;
    free(ratios);
    return isnan(median) ? NO_SIDE : median < 1 ? FIRST_IS_FASTER : SECOND_IS_FASTER;
}

static int look(struct search *search, int step, enum side *side, struct fl_err *err)
{
    size_t places[2];
    for (int i = 0; i < 2; i++) {
        int rc = join(search, step, search->crossover->levels[i], &places[i], err);
        if (rc)
            return rc;
    }
    for (int round = 0; round < search->campaign->request->scenario->rounds; round++) {
        size_t swap = fl_random_next(&search->random) & 1;
        for (size_t i = 0; i < 2; i++) {
            int rc = fl_campaign_take_timed(search->campaign, places[i ^ swap], round, err);
            if (rc)
                return rc;
        }
    }
    *side = side_of(search->campaign, places[0], places[1]);
    return 0;
}

/* The predictor's samples at a step, for the fact that they leave. */
static int predict(struct search *search, int step, struct fl_err *err)
{
    size_t place;
    if (!search->crossover->predictor[0])
        return 0;
    int rc = join(search, step, search->crossover->predictor, &place, err);
    for (int round = 0; round < search->campaign->request->scenario->rounds && !rc; round++)
        rc = fl_campaign_take_timed(search->campaign, place, round, err);
    return rc;
}

/* ---- halving ---- */

/* Ends at `low` and `low` + 1, or at an end where the crossover lies beyond it. */
static int halve(struct search *search, struct fl_err *err)
{
    int low = 0, high = fl_crossover_steps(search->crossover);
    enum side side;
    int rc = look(search, low, &side, err);
    if (rc || side != FIRST_IS_FASTER)
        return rc ? rc : predict(search, low, err);
    rc = look(search, high, &side, err);
    if (rc || side != SECOND_IS_FASTER)
        return rc ? rc : predict(search, high, err);
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        rc = look(search, middle, &side, err);
        if (rc || side == NO_SIDE)
            return rc;
        *(side == FIRST_IS_FASTER ? &low : &high) = middle;
    }
    return predict(search, low, err);
}

/* ---- groups ---- */

/* Key that all cells of a group have in common; -ENOENT for a cell without the two factors. */
static int group_key(struct search *search, const char *cell, char key[FL_CELL_KEY_MAX],
                     struct fl_err *err)
{
    int rc = fl_cell_parse(&search->cell, cell, err);
    if (rc)
        return rc;
    if (!factor_of(&search->cell, search->crossover->search) ||
        !factor_of(&search->cell, search->crossover->compare))
        return -ENOENT;
    return key_at(search, 0, search->crossover->levels[0], key, err);
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* 1: the group is new and noted; 0: it was noted before; -ENOMEM. */
static int note_group(struct search *search, const char *key)
{
    if (tfind(key, &search->groups, compare_keys))
        return 0;
    char *copy = strdup(key);
    if (copy && tsearch(copy, &search->groups, compare_keys))
        return 1;
    free(copy);
    return -ENOMEM;
}

/* 1: the cell's group is new, and now the search's; 0: it was met before, or there is none. */
static int enter_group_of(struct search *search, const char *cell, struct fl_err *err)
{
    char key[FL_CELL_KEY_MAX];
    int rc = group_key(search, cell, key, err);
    if (rc)
        return rc == -ENOENT ? 0 : rc;
    rc = note_group(search, key);
    if (rc < 1)
        return rc ? fl_fail(err, rc, "out of memory") : 0;
    rc = fl_cell_parse(&search->cell, key, err);
    return rc ? rc : 1;
}

/* Can the group have the second level at the far end, and the predictor? */
static int check_group(const struct search *search, struct fl_err *err)
{
    char key[FL_CELL_KEY_MAX];
    const struct fl_scenario_crossover *crossover = search->crossover;
    int rc = key_at(search, fl_crossover_steps(crossover), crossover->levels[1], key, err);
    return rc || !crossover->predictor[0] ? rc : key_at(search, 0, crossover->predictor, key, err);
}

int fl_crossovers_check(const struct fl_scenario *scenario, const struct fl_plan *plan,
                        struct fl_err *err)
{
    struct search search = {.crossover = &scenario->crossover};
    int rc = 0;
    if (!search.crossover->search[0])
        return 0;
    for (size_t i = 0; i < plan->count && rc >= 0; i++) {
        rc = enter_group_of(&search, plan->keys[i], err);
        rc = rc == 1 ? check_group(&search, err) : rc;
    }
    if (rc >= 0 && !search.groups)
        rc = fl_fail(err, -EINVAL, "no cell has both factors, '%s' and '%s'",
                     search.crossover->search, search.crossover->compare);
    tdestroy(search.groups, free);
    return rc < 0 ? fl_fail_within(err, rc, "%s: [crossover]", scenario->path) : 0;
}

int fl_crossovers_measure(struct fl_campaign *campaign, struct fl_err *err)
{
    const struct fl_scenario *scenario = campaign->request->scenario;
    struct search search = {.campaign = campaign,
                            .crossover = &scenario->crossover,
                            .random = campaign->seed ^ 0x9e3779b97f4a7c15u};
    int rc = 0;
    if (!search.crossover->search[0] || !scenario->rounds)
        return 0;
    /* Cells that join on the way belong to groups that are through. */
    for (size_t i = 0, planned = campaign->plan.count; i < planned && rc >= 0; i++) {
        rc = enter_group_of(&search, campaign->plan.keys[i], err);
        rc = rc == 1 ? halve(&search, err) : rc;
    }
    tdestroy(search.groups, free);
    return rc;
}
