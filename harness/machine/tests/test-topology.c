/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Topology: where threads are pinned on described machines, and consistency on this one.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fixture-tree.h"
#include "machine/cpulist.h"
#include "machine/topology.h"

#define SMT_BOX "package:2 l3:1(size=32MiB) core:2 l2:1(size=1MiB) l1d:1(size=48KiB) pu:2"

static void assert_places(const struct fl_topology_source *source, enum fl_pin pin, size_t count,
                          const char *expected)
{
    struct fl_topology t;
    struct fl_err err = {{0}};
    char text[128] = "";
    assert_int_equal(fl_topology_load(source, &t, &err), 0);
    for (size_t i = 0, used = 0; i < count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%u", i > 0 ? "," : "",
                                 fl_topology_place(&t, pin, i)->cpu);
    assert_string_equal(text, expected);
    fl_topology_release(&t);
}

static void assert_pins(const struct fl_topology_source *source, size_t count, const char *expected)
{
    assert_places(source, FL_PIN_COMPACT, count, expected);
}

static void assert_scattered(const char *machine, const char *allowed, size_t count,
                             const char *expected)
{
    assert_places(&(struct fl_topology_source){.root = "/nonexistent",
                                               .synthetic = machine,
                                               .allowed = allowed},
                  FL_PIN_SCATTER, count, expected);
}

static void one_thread_gets_the_last_core(void **state)
{
    (void)state;
    assert_pins(&(struct fl_topology_source){.root = "/nonexistent", .synthetic = SMT_BOX}, 1, "6");
    assert_pins(&(struct fl_topology_source){.root = "/nonexistent", .synthetic = "core:1 pu:1"}, 1,
                "0");
    assert_pins(&(struct fl_topology_source){.root = "/nonexistent", .synthetic = "core:1 pu:2"}, 1,
                "0");
}

static void threads_fill_cores_before_siblings_and_the_first_core_last(void **state)
{
    (void)state;
    assert_pins(&(struct fl_topology_source){.root = "/nonexistent", .synthetic = SMT_BOX}, 10,
                "6,4,2,0,7,5,3,1,6,4");
}

static void compact_threads_fill_one_cache_before_the_next(void **state)
{
    (void)state;
    assert_pins(
        &(struct fl_topology_source){.root = "/nonexistent", .synthetic = "package:2 core:4 pu:2"},
        16, "14,12,10,8,6,4,2,0,15,13,11,9,7,5,3,1");
    assert_pins(&(struct fl_topology_source){.root = "/nonexistent",
                                             .synthetic = "package:2 l3:2 core:2 pu:1"},
                8, "7,6,5,4,3,2,1,0");
    assert_pins(&(struct fl_topology_source){.root = "/nonexistent", .synthetic = "core:2 pu:1"}, 5,
                "1,0,1,0,1");
}

static void scattered_threads_take_packages_then_caches_in_turn(void **state)
{
    (void)state;
    assert_scattered("package:2 core:4 pu:2", NULL, 18,
                     "14,6,12,4,10,2,8,0,15,7,13,5,11,3,9,1,14,6");
    assert_scattered("package:2 l3:2 core:2 pu:1", NULL, 8, "7,3,5,1,6,2,4,0");
    assert_scattered("core:2 pu:1", NULL, 3, "1,0,1");
}

static void a_mask_of_part_of_a_machine_is_scattered_over_what_it_allows(void **state)
{
    (void)state;
    assert_scattered("package:2 core:4 pu:2", "0-7", 4, "6,4,2,0");
    assert_scattered("package:2 core:4 pu:2", "2-5,15", 5, "15,4,2,5,3");
    assert_scattered("package:2 core:4 pu:2", "3", 2, "3,3");
}

static void only_allowed_processors_are_used(void **state)
{
    (void)state;
    assert_pins(&(struct fl_topology_source){.root = "/nonexistent",
                                             .synthetic = SMT_BOX,
                                             .allowed = "1-3"},
                3, "2,1,3");
}

static void isolated_processors_come_first(void **state)
{
    (void)state;
    char *root = fixture_tree_make(
        (const struct fixture_file[]){{"/sys/devices/system/cpu/isolated", "2\n"}, {NULL, NULL}});
    assert_pins(&(struct fl_topology_source){.root = root, .synthetic = SMT_BOX}, 3, "2,6,4");
    fixture_tree_remove(root);
}

static void caches_and_structure_are_those_of_the_description(void **state)
{
    struct fl_topology t;
    struct fl_err err = {{0}};
    (void)state;
    assert_int_equal(
        fl_topology_load(&(struct fl_topology_source){.root = "/nonexistent", .synthetic = SMT_BOX},
                         &t, &err),
        0);
    assert_int_equal(t.count, 8);
    assert_int_equal(t.cores, 4);
    assert_int_equal(t.packages, 2);
    assert_int_equal(t.cache_bytes[1], 48 * 1024);
    assert_int_equal(t.cache_bytes[2], 1024 * 1024);
    assert_int_equal(t.cache_bytes[3], 32 * 1024 * 1024);
    assert_int_equal(t.cache_sharers[3], 4);
    assert_int_equal(t.processors[3].sibling, 1);
    assert_int_equal(t.processors[3].siblings, 2);
    assert_int_equal(t.usable, 8);
    fl_topology_release(&t);
}

static unsigned usable_with_quota(const char *cpu_max)
{
    struct fl_topology t;
    char *root = fixture_tree_make((const struct fixture_file[]){
        {"/proc/self/cgroup", "0::/\n"},
        {"/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"},
        {"/sys/fs/cgroup/cpu.max", cpu_max},
        {NULL, NULL}});
    struct fl_topology_source source = {.root = root, .synthetic = SMT_BOX};
    assert_int_equal(fl_topology_load(&source, &t, NULL), 0);
    unsigned usable = t.usable;
    fl_topology_release(&t);
    fixture_tree_remove(root);
    return usable;
}

static void the_quota_bounds_the_usable_threads(void **state)
{
    (void)state;
    assert_int_equal(usable_with_quota("max 100000\n"), 8);
    assert_int_equal(usable_with_quota("150000 100000\n"), 2);
    assert_int_equal(usable_with_quota("200000 100000\n"), 2);
    assert_int_equal(usable_with_quota("790000 100000\n"), 8);
    assert_int_equal(usable_with_quota("10000 100000\n"), 1);
    assert_int_equal(usable_with_quota("9900000 100000\n"), 8);
}

static void bad_descriptions_are_refused_with_a_reason(void **state)
{
    struct fl_topology t;
    struct fl_err err = {{0}};
    (void)state;
    assert_int_equal(
        fl_topology_load(&(struct fl_topology_source){.synthetic = "nonsense"}, &t, &err), -EINVAL);
    assert_non_null(strstr(err.text, "nonsense"));
    assert_int_equal(
        fl_topology_load(&(struct fl_topology_source){.synthetic = SMT_BOX, .allowed = "4-"}, &t,
                         &err),
        -EINVAL);
    assert_int_equal(
        fl_topology_load(&(struct fl_topology_source){.synthetic = SMT_BOX, .allowed = "100"}, &t,
                         &err),
        -ENODEV);
}

static void this_machine_is_consistent(void **state)
{
    struct fl_topology t;
    struct fl_cpulist affinity;
    struct fl_err err = {{0}};
    (void)state;
    assert_int_equal(fl_topology_load(NULL, &t, &err), 0);
    assert_int_equal(fl_cpulist_affinity(&affinity), 0);
    assert_true(t.count >= 1 && t.count <= t.online);
    assert_true(t.usable >= 1 && t.usable <= t.count);
    assert_true(t.cores >= t.packages && t.cores <= t.count);
    for (size_t i = 0; i < t.count; i++)
        assert_true(fl_cpulist_has(&affinity, t.processors[i].cpu));
    unsigned pin = fl_topology_place(&t, FL_PIN_COMPACT, 0)->cpu;
    assert_true(fl_cpulist_has(&affinity, pin));
    assert_true(t.cores == 1 || pin != t.processors[0].cpu);
    fl_topology_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_gets_the_last_core),
        cmocka_unit_test(threads_fill_cores_before_siblings_and_the_first_core_last),
        cmocka_unit_test(compact_threads_fill_one_cache_before_the_next),
        cmocka_unit_test(scattered_threads_take_packages_then_caches_in_turn),
        cmocka_unit_test(a_mask_of_part_of_a_machine_is_scattered_over_what_it_allows),
        cmocka_unit_test(only_allowed_processors_are_used),
        cmocka_unit_test(isolated_processors_come_first),
        cmocka_unit_test(caches_and_structure_are_those_of_the_description),
        cmocka_unit_test(the_quota_bounds_the_usable_threads),
        cmocka_unit_test(bad_descriptions_are_refused_with_a_reason),
        cmocka_unit_test(this_machine_is_consistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
