/* SPDX-License-Identifier: Apache-2.0 */
/* Thread plans: threads and processors of cells, on machines that are only described. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runner/thread-plan.h"

#define PAIR    "core:2 pu:1"
#define BOX     "package:2 core:4 pu:2"
#define TEAM    "kernel=null-region threads="
#define LIBRARY "kernel=blas:dgemm_ library=openblas n=64 library-threads="

/* One machine with its mask and quota. */
struct machine {
    struct fl_topology topology;
};

static void load(struct machine *machine, const char *synthetic, const char *allowed, double quota)
{
    struct fl_err err = {.text = ""};
    const struct fl_topology_source source = {"/nonexistent", synthetic, allowed};
    if (fl_topology_load(&source, &machine->topology, &err))
        fail_msg("%s", err.text);
    machine->topology.quota = quota;
    if (quota > 0)
        machine->topology.usable = (unsigned)quota + (quota > (unsigned)quota);
}

static struct fl_thread_plan plan_of(const struct machine *machine, const char *key)
{
    struct fl_cell cell;
    struct fl_thread_plan plan = {.team = 0};
    struct fl_err err = {.text = ""};
    if (fl_cell_parse(&cell, key, &err) ||
        fl_thread_plan_make(&machine->topology, &cell, &plan, &err))
        fail_msg("%s", err.text);
    return plan;
}

static void a_cell_without_threads_gets_the_last_core_alone(void **state)
{
    struct machine machine;
    (void)state;
    load(&machine, BOX, NULL, 0);
    struct fl_thread_plan plan = plan_of(&machine, "kernel=null requests=none");
    assert_int_equal(plan.team, 0);
    assert_int_equal(plan.cpu, 14);
    assert_string_equal(plan.cpus, "14");
    assert_string_equal(plan.places, "");
    assert_false(plan.oversubscribed);
    plan = plan_of(&machine, LIBRARY "1");
    assert_int_equal(plan.cpu, 14);
    assert_string_equal(plan.cpus, "14");
    fl_topology_release(&machine.topology);
}

static void compact_places_neighbours_and_scatter_alternates(void **state)
{
    struct machine machine;
    (void)state;
    load(&machine, BOX, NULL, 0);
    struct fl_thread_plan plan = plan_of(&machine, TEAM "3");
    assert_int_equal(plan.team, 3);
    assert_string_equal(plan.places, "14:1:7,12:1:6,10:1:5");
    assert_string_equal(plan.cpus, "10,12,14");
    assert_int_equal(plan.cpu, 14);
    plan = plan_of(&machine, TEAM "3 pin=scatter");
    assert_string_equal(plan.places, "14:1:7,6:0:3,12:1:6");
    assert_string_equal(plan.cpus, "6,12,14");
    fl_topology_release(&machine.topology);
}

static void threads_beyond_the_processors_start_again(void **state)
{
    struct machine machine;
    (void)state;
    load(&machine, PAIR, NULL, 0);
    struct fl_thread_plan plan = plan_of(&machine, TEAM "5");
    assert_string_equal(plan.places, "1:0:1,0:0:0,1:0:1,0:0:0,1:0:1");
    assert_string_equal(plan.cpus, "0-1");
    assert_true(plan.oversubscribed);
    plan = plan_of(&machine, TEAM "2");
    assert_false(plan.oversubscribed);
    fl_topology_release(&machine.topology);
}

static void a_team_that_is_not_pinned_may_run_on_the_whole_mask(void **state)
{
    struct machine machine;
    (void)state;
    load(&machine, BOX, "2-5,15", 0);
    struct fl_thread_plan plan = plan_of(&machine, TEAM "2 pin=none");
    assert_int_equal(plan.team, 2);
    assert_int_equal(plan.cpu, -1);
    assert_string_equal(plan.cpus, "2-5,15");
    assert_string_equal(plan.places, "");
    fl_topology_release(&machine.topology);
}

static void nproc_is_the_mask_or_the_quota_rounded_up(void **state)
{
    struct machine machine;
    (void)state;
    load(&machine, BOX, NULL, 0);
    assert_int_equal(plan_of(&machine, TEAM "nproc").team, 16);
    assert_int_equal(plan_of(&machine, TEAM "2*nproc").team, 32);
    assert_true(plan_of(&machine, TEAM "2*nproc").oversubscribed);
    fl_topology_release(&machine.topology);
    load(&machine, BOX, "2-5,15", 0);
    assert_int_equal(plan_of(&machine, TEAM "nproc").team, 5);
    fl_topology_release(&machine.topology);
    load(&machine, BOX, NULL, 1.5);
    assert_int_equal(plan_of(&machine, TEAM "nproc").team, 2);
    assert_false(plan_of(&machine, TEAM "nproc").oversubscribed);
    struct fl_thread_plan plan = plan_of(&machine, TEAM "3");
    assert_true(plan.oversubscribed); /* the quota grants no more, though each has a processor */
    assert_string_equal(plan.cpus, "10,12,14");
    fl_topology_release(&machine.topology);
}

static void a_team_beyond_the_limit_cannot_be_had_here(void **state)
{
    struct machine machine;
    struct fl_cell cell;
    struct fl_thread_plan plan;
    struct fl_err err = {.text = ""};
    (void)state;
    load(&machine, "package:2 core:64 pu:2", NULL, 0);
    assert_int_equal(fl_cell_parse(&cell, TEAM "2*nproc", &err), 0);
    assert_int_equal(fl_thread_plan_make(&machine.topology, &cell, &plan, &err), -ENOTSUP);
    assert_non_null(strstr(err.text, "512"));
    assert_int_equal(plan_of(&machine, TEAM "nproc").team, 256);
    fl_topology_release(&machine.topology);
}

static void a_library_with_threads_gets_as_many_processors(void **state)
{
    struct machine machine;
    (void)state;
    load(&machine, BOX, NULL, 0);
    struct fl_thread_plan plan = plan_of(&machine, LIBRARY "2");
    assert_int_equal(plan.library, 2);
    assert_string_equal(plan.cpus, "12,14");
    assert_int_equal(plan.cpu, -1);
    assert_string_equal(plan.places, "");
    assert_string_equal(plan_of(&machine, LIBRARY "2 pin=scatter").cpus, "6,14");
    assert_string_equal(plan_of(&machine, LIBRARY "2 pin=none").cpus, "0-15");
    assert_string_equal(plan_of(&machine, LIBRARY "nproc").cpus, "0-15");
    assert_false(plan_of(&machine, LIBRARY "nproc").oversubscribed);
    assert_true(plan_of(&machine, LIBRARY "17").oversubscribed);
    fl_topology_release(&machine.topology);
}

static void hogs_take_the_samples_processors_in_turn(void **state)
{
    struct machine machine;
    (void)state;
    load(&machine, BOX, NULL, 0);
    struct fl_thread_plan plan = plan_of(&machine, TEAM "2");
    const unsigned expected[] = {14, 12, 14, 12};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(fl_thread_plan_cpu(&machine.topology, &plan, i), expected[i]);
    plan = plan_of(&machine, TEAM "2 pin=none");
    assert_int_equal(fl_thread_plan_cpu(&machine.topology, &plan, 15), 1);
    fl_topology_release(&machine.topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_without_threads_gets_the_last_core_alone),
        cmocka_unit_test(compact_places_neighbours_and_scatter_alternates),
        cmocka_unit_test(threads_beyond_the_processors_start_again),
        cmocka_unit_test(a_team_that_is_not_pinned_may_run_on_the_whole_mask),
        cmocka_unit_test(nproc_is_the_mask_or_the_quota_rounded_up),
        cmocka_unit_test(a_team_beyond_the_limit_cannot_be_had_here),
        cmocka_unit_test(a_library_with_threads_gets_as_many_processors),
        cmocka_unit_test(hogs_take_the_samples_processors_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
