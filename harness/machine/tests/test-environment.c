/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Environment: captured trees give the values they hold, holes are said, this machine is
 * consistent.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "fixture-tree.h"
#include "machine/environment.h"
#include "machine/fingerprint.h"

static const char *no_variables[] = {NULL};

static void collect(const char *root, const char *const *variables, struct fl_properties *out)
{
    struct fl_environment_source source = {.root = root, .variables = variables};
    struct fl_err err = {{0}};
    assert_int_equal(fl_environment_collect(&source, out, &err), 0);
}

static void collect_tree(const struct fixture_file *files, struct fl_properties *out)
{
    char *root = fixture_tree_make(files);
    collect(root, no_variables, out);
    fixture_tree_remove(root);
}

static void assert_property(const struct fl_properties *list, const char *name, const char *value)
{
    const char *found = fl_properties_get(list, name);
    if (found == NULL)
        fail_msg("%s is missing", name);
    assert_string_equal(found, value);
}

static void a_server_gives_its_settings(void **state)
{
    struct fl_properties list = {0};
    (void)state;
    collect_tree(
        (const struct fixture_file[]){
            {"/proc/cpuinfo", "processor\t: 0\nvendor_id\t: AuthenticAMD\n"
                              "model name\t: AMD Ryzen 7 7800X3D\nmicrocode\t: 0xa60120c\n"
                              "flags\t\t: fpu avx avx2 fma constant_tsc\n\n"
                              "processor\t: 1\nmodel name\t: other\n"},
            {"/proc/meminfo", "MemTotal: 1024 kB\nSwapTotal: 8 kB\nSwapFree: 4 kB\n"
                              "MemAvailable: 512 kB\n"},
            {"/proc/loadavg", "0.41 0.35 0.15 1/94 18693\n"},
            {"/proc/stat", "cpu  1 2 3 4 5 6 7 8 0 0\n"},
            {"/proc/cmdline", "root=/dev/x isolcpus=2-3 secret=1 mitigations=off\n"},
            {"/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n"},
            {"/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n"},
            {"/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled",
             "always [inherit] madvise never\n"},
            {"/sys/kernel/mm/transparent_hugepage/hugepages-128kB/enabled",
             "always inherit madvise [never]\n"},
            {"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"},
            {"/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n"},
            {"/etc/os-release", "PRETTY_NAME=\"Debian GNU/Linux 12\"\n"},
            {NULL, NULL}},
        &list);
    assert_property(&list, "cpu.model", "AMD Ryzen 7 7800X3D");
    assert_property(&list, "cpu.microcode", "0xa60120c");
    assert_property(&list, "cpu.features", "avx avx2 fma constant_tsc");
    assert_property(&list, "cpu.governor", "powersave");
    assert_property(&list, "cpu.turbo", "on");
    assert_property(&list, "thp.enabled", "always");
    assert_property(&list, "thp.sizes", "64kB=inherit");
    assert_property(&list, "memory.bytes", "1048576");
    assert_property(&list, "load.swapped-bytes", "4096");
    assert_property(&list, "load.stolen-ticks", "8");
    assert_property(&list, "kernel.parameters", "isolcpus=2-3 mitigations=off");
    assert_property(&list, "os.name", "Debian GNU/Linux 12");
    assert_property(&list, "host.hypervisor", "none");
    fl_properties_clear(&list);
}

static void holes_are_said(void **state)
{
    struct fl_properties list = {0};
    (void)state;
    collect_tree((const struct fixture_file[]){{NULL, NULL}}, &list);
    assert_property(&list, "thp.enabled", FL_ABSENT);
    assert_property(&list, "thp.sizes", FL_ABSENT);
    assert_property(&list, "cpu.governor", FL_ABSENT);
    assert_property(&list, "kernel.tracefs", FL_ABSENT);
    assert_false(fl_environment_knows(&list, "thp.enabled"));
    assert_true(fl_environment_knows(&list, "libc.version"));
    assert_false(fl_environment_knows(&list, "no.such.name"));
    fl_properties_clear(&list);
}

static void a_directory_or_fifo_in_place_of_a_file_is_unreadable(void **state)
{
    struct fl_properties list = {0};
    char path[256];
    (void)state;
    char *root =
        fixture_tree_make((const struct fixture_file[]){{"/proc/sys/kernel/osrelease/inner", "x"},
                                                        {"/proc/sys/vm/swappiness.d", "x"},
                                                        {NULL, NULL}});
    snprintf(path, sizeof path, "%s/proc/sys/vm/swappiness", root);
    assert_int_equal(mkfifo(path, 0600), 0);
    collect(root, no_variables, &list);
    assert_property(&list, "kernel.release", FL_UNREADABLE);
    assert_property(&list, "memory.swappiness", FL_UNREADABLE);
    fl_properties_clear(&list);
    fixture_tree_remove(root);
}

static void a_huge_file_is_cut(void **state)
{
    struct fl_properties list = {0};
    size_t size = 4u << 20;
    char *text = malloc(size + 1);
    (void)state;
    memset(text, 'x', size);
    text[size] = '\0';
    collect_tree((const struct fixture_file[]){{"/proc/sys/kernel/osrelease", text},
                                               {"/proc/cpuinfo", text},
                                               {"/proc/stat", text},
                                               {"/proc/self/mountinfo", text},
                                               {NULL, NULL}},
                 &list);
    assert_true(strlen(fl_properties_get(&list, "kernel.release")) < 65536);
    fl_properties_clear(&list);
    free(text);
}

static void only_variables_that_matter_are_kept(void **state)
{
    static const char *const variables[] = {
        "OMP_NUM_THREADS=4",       "PASSWORD=secret", "MALLOC_ARENA_MAX=1",
        "LD_PRELOAD=/x\x1b[2J.so", "novalue",         "=odd",
        "LANG=de_DE.UTF-8",        "LC_ALL=C.UTF-8",  NULL};
    struct fl_properties list = {0};
    (void)state;
    char *root = fixture_tree_make((const struct fixture_file[]){{NULL, NULL}});
    collect(root, variables, &list);
    assert_property(&list, "env.OMP_NUM_THREADS", "4");
    assert_property(&list, "env.MALLOC_ARENA_MAX", "1");
    assert_property(&list, "env.LD_PRELOAD", "/x [2J.so");
    assert_property(&list, "locale.numeric", "C.UTF-8");
    assert_null(fl_properties_get(&list, "env.PASSWORD"));
    fl_properties_clear(&list);
    fixture_tree_remove(root);
}

static void containers_and_hypervisors_are_recognised(void **state)
{
    static const struct {
        struct fixture_file file;
        const char *name, *value;
    } cases[] = {
        {{"/.dockerenv", ""}, "host.container", "docker"},
        {{"/run/.containerenv", ""}, "host.container", "podman"},
        {{"/run/systemd/container", "systemd-nspawn\n"}, "host.container", "systemd-nspawn"},
        {{"/proc/self/cgroup", "0::/kubepods.slice/x\n"}, "host.container", "kubernetes"},
        {{"/sys/hypervisor/type", "xen\n"}, "host.hypervisor", "xen"},
        {{"/proc/cpuinfo", "flags : fpu hypervisor\n"}, "host.hypervisor", "unknown"},
        {{"/proc/cpuinfo", "flags : fpu\n"}, "host.hypervisor", "none"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fl_properties list = {0};
        collect_tree((const struct fixture_file[]){cases[i].file, {NULL, NULL}}, &list);
        assert_property(&list, cases[i].name, cases[i].value);
        fl_properties_clear(&list);
    }
}

static void this_machine_gives_the_same_fingerprint_twice(void **state)
{
    struct fl_fingerprint prints[2] = {{{0}}, {{0}}};
    struct fl_topology topology;
    (void)state;
    assert_int_equal(fl_topology_load(NULL, &topology, NULL), 0);
    for (int i = 0; i < 2; i++) {
        struct fl_properties list = {0};
        struct fl_environment_source source = {.topology = &topology};
        assert_int_equal(fl_environment_collect(&source, &list, NULL), 0);
        assert_true(fl_environment_knows(&list, "kernel.release"));
        assert_true(fl_environment_knows(&list, "libc.build-id"));
        assert_true(fl_environment_knows(&list, "memory.bytes"));
        assert_true(atol(fl_properties_get(&list, "memory.page-bytes")) == sysconf(_SC_PAGESIZE));
        assert_int_equal(fl_fingerprint_of_machine(&list, &prints[i]), 0);
        fl_properties_clear(&list);
    }
    assert_null(fl_fingerprint_differs(&prints[0], &prints[1]));
    fl_fingerprint_release(&prints[0]);
    fl_fingerprint_release(&prints[1]);
    fl_topology_release(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_gives_its_settings),
        cmocka_unit_test(holes_are_said),
        cmocka_unit_test(a_directory_or_fifo_in_place_of_a_file_is_unreadable),
        cmocka_unit_test(a_huge_file_is_cut),
        cmocka_unit_test(only_variables_that_matter_are_kept),
        cmocka_unit_test(containers_and_hypervisors_are_recognised),
        cmocka_unit_test(this_machine_gives_the_same_fingerprint_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
