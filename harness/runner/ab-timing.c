/* SPDX-License-Identifier: Apache-2.0 */
/* Pilots, pairs and rounds. */
#include "runner/ab-timing.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "faultline/random.h"
#include "runner/ab-judge.h"

enum { PILOTS = 3, PADDING_MOST = 4096 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double spent(const struct fl_ab *ab)
{
    return ab->carried + now() - ab->started;
}

static bool over_budget(const struct fl_ab *ab)
{
    return ab->request->budget > 0 && spent(ab) >= ab->request->budget;
}

/* ---- pilots ---- */

/* A kernel may make several calls at once; a program that is none of ours has its calls alone. */
static int64_t iterations(const struct fl_taken *taken)
{
    return taken->report.runs > 0 ? taken->report.runs : taken->row.calls;
}

/* Calls that fill a window of that side where nothing disturbs it: the most of some pilots, since
 * one that was disturbed would make all windows short. 0: none came through. */
static int pilot_side(struct fl_ab *ab, const struct fl_ab_cell *cell, int s, uint64_t *state,
                      int64_t *calls, struct fl_err *err)
{
    struct fl_campaign *campaign = &ab->campaigns[s];
    *calls = 0;
    for (int i = 0; i < PILOTS; i++) {
        size_t padding = 1 + fl_random_below(state, PADDING_MOST);
        int rc = fl_campaign_try(campaign, cell->place[s], padding, err);
        if (rc)
            return rc;
        int64_t runs = iterations(&campaign->taken);
        if (campaign->taken.row.outcome == FL_OUTCOME_OK && runs > *calls)
            *calls = runs;
    }
    return 0;
}

/* The slower side fills the window, so that no window gets much longer than asked for. Where no
 * pilot comes through, samples size their own windows, and tell what is wrong. */
static int pilot(struct fl_ab *ab, size_t index, struct fl_err *err)
{
    struct fl_ab_cell *cell = &ab->cells[index];
    uint64_t state = ab->campaigns[0].seed ^ ((uint64_t)index + 1) * 0xe7037ed1a0b428dbu;
    int64_t base, head;
    cell->piloted = true;
    if (cell->calls)
        return 0;
    int rc = pilot_side(ab, cell, FL_AB_BASE, &state, &base, err);
    if (!rc)
        rc = pilot_side(ab, cell, FL_AB_HEAD, &state, &head, err);
    if (rc)
        return rc;
    cell->calls = base && (!head || base < head) ? base : head;
    return cell->calls
               ? fl_pairing_set_calls(ab->store, ab->result->pairing, index, cell->calls, err)
               : 0;
}

/* ---- pairs ---- */

static bool is_done(const struct fl_ab *ab, const struct fl_ab_cell *cell, int s, int round)
{
    size_t slot = (size_t)ab->request->scenarios[s]->counting_rounds + (size_t)round;
    return ab->campaigns[s].cells[cell->place[s]].done[slot];
}

/* A round that was cut after one of its two samples stays without a pair: what would be taken now
 * is no neighbour of it. */
static int take_pair(struct fl_ab *ab, size_t index, int round, struct fl_err *err)
{
    struct fl_ab_cell *cell = &ab->cells[index];
    uint64_t state = ab->campaigns[0].seed ^ ((uint64_t)round + 1) * 0x8ebc6af09c88c6e3u ^
                     ((uint64_t)index + 1) * 0x589965cc75374cc3u;
    int rc = cell->piloted ? 0 : pilot(ab, index, err);
    size_t first = fl_random_below(&state, 2);
    for (size_t i = 0; i < 2 && !rc; i++) {
        size_t s = first ^ i;
        const struct fl_campaign_task task = {
            .mode = FL_SAMPLE_TIMED,
            .round = round,
            .calls = cell->calls,
            .padding = 1 + fl_random_below(&state, PADDING_MOST),
        };
        rc = fl_campaign_take(&ab->campaigns[s], cell->place[s], &task, err);
    }
    return rc;
}

static void tell(struct fl_ab *ab)
{
    struct fl_ab_standing standing;
    const struct fl_ab_progress *progress = ab->request->progress;
    fl_ab_stand(ab, &standing);
    standing.spent = spent(ab);
    standing.budget = ab->request->budget;
    progress->standing(progress->common.arg, &standing);
}

/* ---- rounds ---- */

/* *taken: pairs that are of this round, in this process or an earlier one. */
static int take_round(struct fl_ab *ab, int round, size_t *order, size_t *taken, struct fl_err *err)
{
    uint64_t state = ab->campaigns[0].seed ^ ((uint64_t)round + 1) * 0x1d8e4e27c47d124fu;
    int rc = 0;
    *taken = 0;
    fl_random_order(&state, order, ab->count);
    for (size_t i = 0; i < ab->count && !rc && !over_budget(ab); i++) {
        const struct fl_ab_cell *cell = &ab->cells[order[i]];
        if (!fl_ab_is_open(ab, cell))
            continue;
        ++*taken;
        if (is_done(ab, cell, FL_AB_BASE, round) || is_done(ab, cell, FL_AB_HEAD, round))
            continue;
        rc = take_pair(ab, order[i], round, err);
        tell(ab);
    }
    return rc;
}

static int take_rounds(struct fl_ab *ab, size_t *order, struct fl_err *err)
{
    int most = ab->request->scenarios[FL_AB_BASE]->rounds;
    size_t taken = 1;
    int rc = 0;
    while (!rc && taken && ab->rounds < most) {
        rc = take_round(ab, ab->rounds++, order, &taken, err);
        if (!rc)
            rc = fl_ab_judge(ab, err);
    }
    tell(ab);
    return rc;
}

int fl_ab_time(struct fl_ab *ab, struct fl_err *err)
{
    size_t *order = malloc(ab->count * sizeof *order);
    int rc = order ? fl_ab_judge_begin(ab, err) : fl_fail(err, -ENOMEM, "out of memory");
    ab->started = now();
    if (!rc)
        rc = take_rounds(ab, order, err);
    free(order);
    return rc;
}
