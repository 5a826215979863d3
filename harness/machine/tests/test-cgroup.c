/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control groups: the smallest limit on the way up, in v1, v2, containers and garbage.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fixture-tree.h"
#include "machine/cgroup.h"

#define V2_MOUNT "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1_MOUNT(subtree, controller)                                                              \
    "32 31 0:29 " subtree " /sys/fs/cgroup/" controller " rw - cgroup cgroup rw," controller "\n"

static struct fl_cgroup read_tree(const struct fixture_file *files)
{
    struct fl_cgroup group;
    char *root = fixture_tree_make(files);
    fl_cgroup_read(root, &group);
    fixture_tree_remove(root);
    return group;
}

static int thousandths(double value)
{
    return (int)(value * 1000 + 0.5);
}

static void v2_takes_the_smallest_limit_of_all_ancestors(void **state)
{
    (void)state;
    struct fl_cgroup group = read_tree((const struct fixture_file[]){
        {"/proc/self/cgroup", "0::/user.slice/job.scope\n"},
        {"/proc/self/mountinfo", "22 27 0:21 / /proc rw - proc proc rw\n" V2_MOUNT},
        {"/sys/fs/cgroup/user.slice/job.scope/cpu.max", "max 100000\n"},
        {"/sys/fs/cgroup/user.slice/job.scope/memory.max", "8589934592\n"},
        {"/sys/fs/cgroup/user.slice/cpu.max", "150000 100000\n"},
        {"/sys/fs/cgroup/user.slice/memory.max", "4294967296\n"},
        {NULL, NULL},
    });
    assert_int_equal(group.version, 2);
    assert_int_equal(thousandths(group.cpus), 1500);
    assert_true(group.memory == 4294967296ull);
    assert_string_equal(group.path, "/user.slice/job.scope");
}

static void v1_reads_quota_and_period(void **state)
{
    (void)state;
    struct fl_cgroup group = read_tree((const struct fixture_file[]){
        {"/proc/self/cgroup", "4:memory:/m\n1:cpu,cpuacct:/c\n0::/\n"},
        {"/proc/self/mountinfo", V1_MOUNT("/", "cpu") V1_MOUNT("/", "memory")},
        {"/sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "50000\n"},
        {"/sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n"},
        {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"},
        {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"},
        {"/sys/fs/cgroup/memory/m/memory.limit_in_bytes", "9223372036854771712\n"},
        {NULL, NULL},
    });
    assert_int_equal(group.version, 1);
    assert_int_equal(thousandths(group.cpus), 500);
    assert_true(group.memory == 0);
}

static void a_container_without_a_cgroup_namespace_is_read_at_its_mount(void **state)
{
    (void)state;
    struct fl_cgroup group = read_tree((const struct fixture_file[]){
        {"/proc/self/cgroup", "1:cpu:/docker/abc/inner\n"},
        {"/proc/self/mountinfo", V1_MOUNT("/docker/abc", "cpu")},
        {"/sys/fs/cgroup/cpu/inner/cpu.cfs_quota_us", "-1\n"},
        {"/sys/fs/cgroup/cpu/inner/cpu.cfs_period_us", "100000\n"},
        {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n"},
        {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"},
        {NULL, NULL},
    });
    assert_int_equal(thousandths(group.cpus), 2000);
}

static void a_group_outside_the_mount_never_leaves_it(void **state)
{
    (void)state;
    struct fl_cgroup group = read_tree((const struct fixture_file[]){
        {"/proc/self/cgroup", "0::/../../etc\n"},
        {"/proc/self/mountinfo", V2_MOUNT},
        {"/sys/fs/cgroup/cpu.max", "300000 100000\n"},
        {"/etc/cpu.max", "1 100000\n"},
        {NULL, NULL},
    });
    assert_int_equal(thousandths(group.cpus), 3000);
}

static void mount_points_with_spaces_are_found(void **state)
{
    (void)state;
    struct fl_cgroup group = read_tree((const struct fixture_file[]){
        {"/proc/self/cgroup", "0::/\n"},
        {"/proc/self/mountinfo", "30 23 0:26 / /my\\040groups rw - cgroup2 none rw\n"},
        {"/my groups/cpu.max", "400000 100000\n"},
        {NULL, NULL},
    });
    assert_int_equal(thousandths(group.cpus), 4000);
}

static void garbage_and_absence_are_no_limit(void **state)
{
    (void)state;
    struct fl_cgroup none = read_tree((const struct fixture_file[]){{NULL, NULL}});
    assert_int_equal(none.version, 0);
    assert_int_equal(thousandths(none.cpus), 0);
    struct fl_cgroup odd = read_tree((const struct fixture_file[]){
        {"/proc/self/cgroup", ":::::\n\n0\n0:\n0::/a\n"},
        {"/proc/self/mountinfo", "x\n - \n1 2 3\n" V2_MOUNT},
        {"/sys/fs/cgroup/a/cpu.max", "-5 nan\n"},
        {"/sys/fs/cgroup/a/memory.max", "lots\n"},
        {NULL, NULL},
    });
    assert_int_equal(odd.version, 2);
    assert_int_equal(thousandths(odd.cpus), 0);
    assert_true(odd.memory == 0);
}

static void cpu_max_accepts_only_quota_and_period(void **state)
{
    static const char *const none[] = {"",         "max",       "max 100000",  "1",
                                       "0 100000", "-1 100000", "inf 1",       "nan 1",
                                       "1 0",      "1 nan",     "1e300 1e-300"};
    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(thousandths(fl_cgroup_parse_cpu_max(none[i])), 0);
    assert_int_equal(thousandths(fl_cgroup_parse_cpu_max("250000 100000")), 2500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(v2_takes_the_smallest_limit_of_all_ancestors),
        cmocka_unit_test(v1_reads_quota_and_period),
        cmocka_unit_test(a_container_without_a_cgroup_namespace_is_read_at_its_mount),
        cmocka_unit_test(a_group_outside_the_mount_never_leaves_it),
        cmocka_unit_test(mount_points_with_spaces_are_found),
        cmocka_unit_test(garbage_and_absence_are_no_limit),
        cmocka_unit_test(cpu_max_accepts_only_quota_and_period),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
