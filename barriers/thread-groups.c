/* SPDX-License-Identifier: Apache-2.0 */
/* Cutting a team into groups by package and core. */
#include "thread-groups.h"

static struct fl_barrier_place place_of(const struct fl_barrier_team *team, unsigned thread)
{
    return team->places ? team->places[thread] : (struct fl_barrier_place){0, thread};
}

static bool before(struct fl_barrier_place a, struct fl_barrier_place b)
{
    return a.package != b.package ? a.package < b.package : a.core < b.core;
}

/* By place, threads of one core in their own order. */
static void sort_threads(const struct fl_barrier_team *team, unsigned *order)
{
    for (unsigned i = 0; i < team->threads; i++) {
        struct fl_barrier_place place = place_of(team, i);
        unsigned at = i;
        for (; at && before(place, place_of(team, order[at - 1])); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

/* Where the package that begins at `start` of the order ends. */
static unsigned package_end(const struct fl_barrier_team *team, const unsigned *order,
                            unsigned start)
{
    unsigned end = start;
    while (end < team->threads &&
           place_of(team, order[end]).package == place_of(team, order[start]).package)
        end++;
    return end;
}

void fl_thread_groups_make(const struct fl_barrier_team *team, struct fl_thread_groups *out)
{
    unsigned *order = out->order;
    sort_threads(team, order);
    out->count = 0;
    for (unsigned start = 0, end; start < team->threads; start = end) {
        end = package_end(team, order, start);
        unsigned pieces = (end - start + FL_GROUP_SIZE - 1) / FL_GROUP_SIZE;
        unsigned size = (end - start + pieces - 1) / pieces;
        for (unsigned i = start, in_group = 0; i < end; i++, in_group++) {
            bool same_core =
                i > start && place_of(team, order[i]).core == place_of(team, order[i - 1]).core;
            if (i == start || (in_group >= size && !same_core)) {
                out->start[out->count++] = i;
                in_group = 0;
            }
            out->group[order[i]] = out->count - 1;
        }
    }
    out->start[out->count] = team->threads;
}
