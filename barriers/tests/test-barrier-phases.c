/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No thread leaves a phase early and none is lost, for every barrier with every wait policy.
 *
 * Each thread writes its phase into a plain, unsynchronised slot, arrives, and reads everybody's
 * slot: an early leaver reads an old number, and under TSan a missing memory order is a race. The
 * environment variable FL_BARRIER_REPEATS says how often everything is done (2).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "barrier-rig.h"
#include "faultline/registry.h"

extern const struct fl_barrier_ops fl_barrier_template;
extern const struct fl_wait_ops fl_wait_template;

/* Phases where threads give the processor away; where they do not, but the machine may be busy with
 * other work; and where each meeting costs time slices for certain. */
enum { PHASES = 25, PHASES_SPINNING = 5, PHASES_CROWDED = 1 };

struct phases {
    unsigned count;
    uint32_t slots[RIG_THREADS_MAX]; /* plain on purpose */
    unsigned early[RIG_THREADS_MAX]; /* slots that did not show the phase, by reader */
};

static void meet_and_look(struct rig *rig, unsigned thread, struct fl_wait_stat *stat)
{
    struct phases *phases = rig->arg;
    for (uint32_t phase = 1; phase <= phases->count; phase++) {
        phases->slots[thread] = phase;
        fl_barrier_arrive(&rig->barrier, thread, stat);
        for (unsigned i = 0; i < rig->threads; i++)
            phases->early[thread] += phases->slots[i] != phase;
        /* Nobody may go on to write before all have read. No statistics: that path too. */
        fl_barrier_arrive(&rig->barrier, thread, NULL);
    }
}

static void meet(struct rig *rig, const struct rig_pair *pair, struct phases *phases,
                 unsigned threads, const struct fl_barrier_place *places)
{
    const char *barrier = pair->barrier->part.name, *wait = pair->wait->part.name;
    rig_open(rig, pair, threads, places);
    rig->body = meet_and_look;
    rig->arg = phases;
    rig_run(rig);
    for (unsigned i = 0; i < threads; i++) {
        if (phases->early[i])
            fail_msg("%s with %s: thread %u of %u left early", barrier, wait, i, threads);
        if (phases->slots[i] != phases->count)
            fail_msg("%s with %s: thread %u of %u was lost", barrier, wait, i, threads);
    }
    rig_close(rig);
}

static void check_team(const struct fl_barrier_ops *barrier, const char *options,
                       const struct fl_wait_ops *wait, unsigned threads,
                       const struct fl_barrier_place *places)
{
    static struct rig rig;
    static struct phases phases;
    bool crowded = threads > rig_processors();
    struct rig_pair pair = {barrier, options, wait, ""};
    memset(&phases, 0, sizeof phases);
    phases.count = rig_gives_way(wait) ? PHASES : crowded ? PHASES_CROWDED : PHASES_SPINNING;
    meet(&rig, &pair, &phases, threads, places);
}

static void check_pair(const struct fl_barrier_ops *barrier, const struct fl_wait_ops *wait,
                       unsigned threads)
{
    check_team(barrier, "", wait, threads, NULL);
}

static void check_barrier(const struct fl_barrier_ops *barrier, unsigned threads)
{
    for (const struct fl_wait_ops *const *w = fl_registry_waits(); *w; w++)
        if (barrier->own_wait ? (*w)->runtime : rig_waits(*w))
            check_pair(barrier, *w, threads);
    if (!barrier->own_wait)
        check_pair(barrier, &fl_wait_template, threads);
}

static void check_all(unsigned threads)
{
    const char *repeats = getenv("FL_BARRIER_REPEATS");
    for (int i = repeats ? atoi(repeats) : 2; i > 0; i--) {
        for (const struct fl_barrier_ops *const *b = fl_registry_barriers(); *b; b++)
            if (strcmp((*b)->part.name, "null") && !(*b)->openmp) /* met by other threads only */
                check_barrier(*b, threads);
        check_barrier(&fl_barrier_template, threads);
    }
}

static void one_thread_meets_itself(void **state)
{
    (void)state;
    check_all(1);
}

static void two_threads_meet(void **state)
{
    (void)state;
    check_all(2);
}

static void three_threads_meet(void **state)
{
    (void)state;
    check_all(3);
}

static void four_threads_meet(void **state)
{
    (void)state;
    check_all(4);
}

static void eight_threads_meet(void **state)
{
    (void)state;
    check_all(8);
}

/* Beyond the processors, with what gives them away; pure spinning at such numbers takes seconds. */
static void many_threads_meet(void **state)
{
    static const unsigned many[] = {5, 13, 16};
    (void)state;
    for (size_t i = 0; i < sizeof many / sizeof *many; i++)
        for (const struct fl_barrier_ops *const *b = fl_registry_barriers(); *b; b++)
            if (!(*b)->own_wait && strcmp((*b)->part.name, "null")) {
                check_pair(*b, fl_registry_wait("futex"), many[i]);
                check_pair(*b, fl_registry_wait("spin-yield"), many[i]);
            }
}

/* The largest team there may be, twice. */
static void the_largest_team_meets(void **state)
{
    static struct rig rig;
    static struct phases phases;
    (void)state;
    for (const struct fl_barrier_ops *const *b = fl_registry_barriers(); *b; b++) {
        if ((*b)->own_wait || !strcmp((*b)->part.name, "null"))
            continue;
        struct rig_pair pair = {*b, "", fl_registry_wait("futex"), ""};
        memset(&phases, 0, sizeof phases);
        phases.count = 2;
        meet(&rig, &pair, &phases, FL_BARRIER_THREADS_MAX, NULL);
    }
}

/* Shapes that the defaults do not reach: other arities, several packages, cores of two threads. */
static void every_shape_of_a_team_meets(void **state)
{
    static const char *const arities[] = {"arity=2", "arity=3", "arity=64"};
    struct fl_barrier_place places[40];
    (void)state;
    for (unsigned threads = 2; threads <= 40; threads += threads < 10 ? 1 : 6) {
        for (size_t i = 0; i < sizeof arities / sizeof *arities; i++)
            check_team(fl_registry_barrier("combining-tree"), arities[i], fl_registry_wait("futex"),
                       threads, NULL);
        for (unsigned packages = 1; packages <= 5; packages += 2) {
            for (unsigned i = 0; i < threads; i++)
                places[i] = (struct fl_barrier_place){i % packages, i / 2};
            check_team(fl_registry_barrier("grouped"), "", fl_registry_wait("futex"), threads,
                       places);
        }
    }
}

/* The barrier that does not meet is found out: the test above can fail. */
static void null_is_seen_to_leave_early(void **state)
{
    static struct rig rig;
    static struct phases phases;
    unsigned early = 0;
    (void)state;
    phases.count = PHASES;
    struct rig_pair pair = {fl_registry_barrier("null"), "", fl_registry_wait("spin"), ""};
    rig_open(&rig, &pair, 1, NULL);
    rig.threads = 2;
    rig.arg = &phases;
    /* One after the other, so that there is no race in a test that is right only without one. */
    meet_and_look(&rig, 0, NULL);
    for (unsigned i = 0; i < 2; i++)
        early += phases.early[i];
    assert_int_equal(early, PHASES);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_meets_itself),
        cmocka_unit_test(two_threads_meet),
        cmocka_unit_test(three_threads_meet),
        cmocka_unit_test(four_threads_meet),
        cmocka_unit_test(eight_threads_meet),
        cmocka_unit_test(many_threads_meet),
        cmocka_unit_test(the_largest_team_meets),
        cmocka_unit_test(every_shape_of_a_team_meets),
        cmocka_unit_test(null_is_seen_to_leave_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
