/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barrier `grouped`: as few line transfers in sequence as the team's shape allows, and no
 * read-modify-write.
 *
 * Up to 4 threads of one package exchange flags: each raises its own and reads the others', one
 * transfer. More are cut into groups of about 8 by package and core (thread-groups.h). The first of
 * a group gathers the flags of its members, whose lines it can fetch at the same time; the firsts
 * meet by dissemination, ceil(log2 groups) transfers between far threads; then each releases its
 * group with one store. Two near transfers more than dissemination has rounds saved: 64 threads
 * take 1 + 3 + 1 instead of 6, and only 8 of them, not 64, send between groups.
 */
#include "barrier-lines.h"
#include "rmw.h"
#include "thread-groups.h"

enum { FLAT_MAX = 4, ROUNDS_MAX = 8 };

/* What only the thread itself reads and writes stands apart from its flag, which others poll. */
struct member {
    struct fl_word_line arrived;
    _Alignas(FL_APART) uint32_t epoch;
    unsigned group;
    bool first; /* of its group */
};

struct group {
    struct fl_word_line go;
    struct fl_word_line signals[ROUNDS_MAX]; /* from the first of group g - 2^r, to ours */
    _Alignas(FL_APART) const unsigned *members;
    unsigned count;
};

struct grouped {
    const struct fl_wait *wait;
    struct member *members;
    struct group *groups;
    unsigned *order;
    unsigned threads, count, rounds;
    bool flat;
};

static void fill(struct grouped *barrier, const struct fl_thread_groups *groups)
{
    for (unsigned i = 0; i < barrier->threads; i++) {
        barrier->order[i] = groups->order[i];
        barrier->members[i].group = groups->group[i];
    }
    for (unsigned g = 0; g < groups->count; g++) {
        barrier->groups[g].members = barrier->order + groups->start[g];
        barrier->groups[g].count = groups->start[g + 1] - groups->start[g];
        barrier->members[groups->order[groups->start[g]]].first = true;
    }
}

static int grouped_open(void *state, const struct fl_barrier_team *team, const struct fl_wait *wait,
                        const char *options, struct fl_err *err)
{
    struct grouped *barrier = state;
    struct fl_thread_groups groups;
    (void)options;
    fl_thread_groups_make(team, &groups);
    barrier->wait = wait;
    barrier->threads = team->threads;
    barrier->count = groups.count;
    barrier->rounds = fl_barrier_rounds(groups.count);
    barrier->flat = team->threads <= 2 || (groups.count == 1 && team->threads <= FLAT_MAX);
    int rc =
        fl_barrier_lines(team, team->threads, sizeof *barrier->members, &barrier->members, err);
    if (!rc)
        rc = fl_barrier_lines(team, groups.count, sizeof *barrier->groups, &barrier->groups, err);
    if (!rc)
        rc = fl_barrier_lines(team, team->threads, sizeof *barrier->order, &barrier->order, err);
    if (!rc)
        fill(barrier, &groups);
    return rc;
}

static void exchange(struct grouped *barrier, unsigned thread, uint32_t before,
                     struct fl_wait_stat *stat)
{
    fl_wait_set(barrier->wait, &barrier->members[thread].arrived.word, before + 1, stat);
    for (unsigned other = thread + 1; other < barrier->threads; other++)
        fl_wait_until(barrier->wait, &barrier->members[other].arrived.word, before, stat);
    for (unsigned other = 0; other < thread; other++)
        fl_wait_until(barrier->wait, &barrier->members[other].arrived.word, before, stat);
}

/* The firsts of all groups, by dissemination: release and acquire hand on what all brought. */
static void meet_far(struct grouped *barrier, unsigned g, uint32_t before,
                     struct fl_wait_stat *stat)
{
    for (unsigned r = 0; r < barrier->rounds; r++) {
        unsigned to = g + (1u << r);
        if (to >= barrier->count)
            to -= barrier->count;
        fl_wait_set(barrier->wait, &barrier->groups[to].signals[r].word, before + 1, stat);
        fl_wait_until(barrier->wait, &barrier->groups[g].signals[r].word, before, stat);
    }
}

static void lead(struct grouped *barrier, unsigned g, uint32_t before, struct fl_wait_stat *stat)
{
    struct group *group = &barrier->groups[g];
    for (unsigned i = 1; i < group->count; i++)
        fl_wait_until(barrier->wait, &barrier->members[group->members[i]].arrived.word, before,
                      stat);
    meet_far(barrier, g, before, stat);
    fl_wait_set(barrier->wait, &group->go.word, before + 1, stat);
}

static void grouped_arrive(void *state, unsigned thread, struct fl_wait_stat *stat)
{
    struct grouped *barrier = state;
    struct member *own = &barrier->members[thread];
    uint32_t before = own->epoch++;
    if (barrier->flat) {
        exchange(barrier, thread, before, stat);
        return;
    }
    if (own->first) {
        lead(barrier, own->group, before, stat);
        return;
    }
    fl_wait_set(barrier->wait, &own->arrived.word, before + 1, stat);
    fl_wait_until(barrier->wait, &barrier->groups[own->group].go.word, before, stat);
}

const struct fl_barrier_ops FL_BARRIER(grouped) = {
    .part = {.name = "grouped",
             .summary = "flags exchanged up to 4 threads, beyond by groups of package and core",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct grouped)},
    .open = grouped_open,
    .arrive = grouped_arrive,
};
