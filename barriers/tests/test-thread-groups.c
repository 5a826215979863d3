/* SPDX-License-Identifier: Apache-2.0 */
/* How a team is cut into groups of near threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "thread-groups.h"

static struct fl_thread_groups made(unsigned threads, const struct fl_barrier_place *places)
{
    struct fl_thread_groups groups;
    struct fl_barrier_team team = {threads, places, NULL};
    unsigned seen[FL_BARRIER_THREADS_MAX] = {0};
    fl_thread_groups_make(&team, &groups);
    assert_int_equal(groups.start[0], 0);
    assert_int_equal(groups.start[groups.count], threads);
    for (unsigned g = 0; g < groups.count; g++) {
        assert_true(groups.start[g] < groups.start[g + 1]);
        for (unsigned i = groups.start[g]; i < groups.start[g + 1]; i++) {
            assert_int_equal(groups.group[groups.order[i]], g);
            seen[groups.order[i]]++;
        }
    }
    for (unsigned i = 0; i < threads; i++)
        assert_int_equal(seen[i], 1);
    return groups;
}

static void without_places_sizes_are_even(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= FL_BARRIER_THREADS_MAX; threads++) {
        struct fl_thread_groups groups = made(threads, NULL);
        assert_int_equal(groups.count, (threads + 7) / 8);
        for (unsigned g = 0; g < groups.count; g++)
            assert_true(groups.start[g + 1] - groups.start[g] <= 8);
    }
    assert_int_equal(made(12, NULL).start[1], 6);
}

static void no_group_crosses_packages(void **state)
{
    struct fl_barrier_place places[30];
    (void)state;
    for (unsigned i = 0; i < 30; i++)
        places[i] = (struct fl_barrier_place){i % 3, i};
    struct fl_thread_groups groups = made(30, places);
    assert_int_equal(groups.count, 6);
    for (unsigned i = 0; i < 30; i++)
        for (unsigned j = 0; j < i; j++)
            if (groups.group[i] == groups.group[j])
                assert_int_equal(places[i].package, places[j].package);
}

/* Twenty cores of two hardware threads, the second ones numbered behind all first ones. */
static void threads_of_one_core_stay_together(void **state)
{
    struct fl_barrier_place places[40];
    (void)state;
    for (unsigned i = 0; i < 40; i++)
        places[i] = (struct fl_barrier_place){0, i % 20};
    struct fl_thread_groups groups = made(40, places);
    assert_int_equal(groups.count, 5);
    for (unsigned i = 0; i < 20; i++)
        assert_int_equal(groups.group[i], groups.group[i + 20]);
    /* Where the even size would cut a core in two, the group takes both. */
    for (unsigned i = 0; i < 10; i++)
        places[i] = (struct fl_barrier_place){0, i / 2};
    groups = made(10, places);
    assert_int_equal(groups.start[1], 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_places_sizes_are_even),
        cmocka_unit_test(no_group_crosses_packages),
        cmocka_unit_test(threads_of_one_core_stay_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
