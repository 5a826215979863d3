/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Doctor: described machines get the right verdicts, every limit has a cure, the terminal is safe,
 * and this machine can be examined.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine/doctor.h"

/* A machine on which everything is good, to be spoilt by each test. */
struct machine {
    struct fl_properties environment;
    struct fl_topology topology;
    struct fl_abilities abilities;
    struct fl_doctor_input input;
};

static void set(struct machine *m, const char *name, const char *value)
{
    assert_int_equal(fl_properties_set(&m->environment, name, "%s", value), 0);
}

static void describe(struct machine *m, const char *synthetic)
{
    static const char *const good[][2] = {
        {"host.emulator", "none"},
        {"host.hypervisor", "none"},
        {"host.container", "none"},
        {"thp.enabled", "madvise"},
        {"memory.page-bytes", "4096"},
        {"kernel.perf-event-paranoid", "1"},
        {"kernel.tracefs", "/sys/kernel/tracing"},
        {"kernel.clocksource", "tsc"},
        {"kernel.aslr", "2"},
        {"process.aslr", "on"},
        {"process.root", "no"},
        {"process.stack-limit-bytes", "8388608"},
        {"cpu.governor", "performance"},
        {"cpu.turbo", "off"},
        {"load.average", "0.01 0 0 1/9 9"},
        {"load.busy-ticks", "1000"},
        {"load.stolen-ticks", "0"},
        {"load.swapped-bytes", "0"},
        {"faultline.build-type", "Release"},
        {"faultline.compiler", "GNU 12"},
        {"env.LANG", "C"},
    };
    struct fl_topology_source source = {.root = "/nonexistent", .synthetic = synthetic};
    *m = (struct machine){.abilities = {.faults = {0, FL_ABILITY_PAGES}}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        set(m, good[i][0], good[i][1]);
    assert_int_equal(fl_topology_load(&source, &m->topology, NULL), 0);
    m->topology.processors[m->topology.count - 1].isolated = true;
    m->input = (struct fl_doctor_input){.environment = &m->environment,
                                        .topology = &m->topology,
                                        .abilities = &m->abilities,
                                        .probe_library = "/proc/self/exe",
                                        .gnuplot = "/usr/bin/gnuplot"};
}

static int make_machine(void **state)
{
    struct machine *m = calloc(1, sizeof *m);
    describe(m, "package:1 core:4 pu:1");
    *state = m;
    return 0;
}

static int drop_machine(void **state)
{
    struct machine *m = *state;
    fl_topology_release(&m->topology);
    fl_properties_clear(&m->environment);
    free(m);
    return 0;
}

static void examine(struct machine *m, struct fl_checks *out)
{
    struct fl_err err = {{0}};
    *out = (struct fl_checks){0};
    assert_int_equal(fl_doctor_examine(&m->input, out, &err), 0);
}

static const struct fl_check *find(const struct fl_checks *checks, const char *id)
{
    for (size_t i = 0; i < checks->count; i++)
        if (strcmp(checks->items[i].id, id) == 0)
            return &checks->items[i];
    print_error("no check %s\n", id);
    abort();
}

/* Every check's status is as expected for `id` and good for all others. */
static void assert_only(struct machine *m, const char *id, enum fl_check_status status)
{
    struct fl_checks checks;
    examine(m, &checks);
    find(&checks, id);
    for (size_t i = 0; i < checks.count; i++) {
        bool it = strcmp(checks.items[i].id, id) == 0;
        if (checks.items[i].status != (it ? status : FL_CHECK_GOOD))
            fail_msg("%s is %s", checks.items[i].id, fl_check_status_name(checks.items[i].status));
    }
    fl_checks_release(&checks);
}

static void a_perfect_machine_has_nothing_but_good_checks(void **state)
{
    assert_only(*state, "page-faults", FL_CHECK_GOOD);
}

static void each_setting_spoils_its_own_check(void **state)
{
    static const struct {
        const char *property, *value, *id;
        enum fl_check_status status;
    } cases[] = {
        {"host.emulator", "qemu-user", "emulation", FL_CHECK_LIMIT},
        {"host.hypervisor", "KVM", "hypervisor", FL_CHECK_NOTE},
        {"host.container", "docker", "container", FL_CHECK_NOTE},
        {"thp.enabled", "always", "huge-pages", FL_CHECK_NOTE},
        {"memory.page-bytes", "65536", "page-size", FL_CHECK_NOTE},
        {"kernel.clocksource", "hpet", "clock", FL_CHECK_LIMIT},
        {"kernel.aslr", "0", "aslr", FL_CHECK_NOTE},
        {"process.aslr", "off", "aslr", FL_CHECK_NOTE},
        {"process.stack-limit-bytes", "65536", "stack", FL_CHECK_LIMIT},
        {"process.stack-limit-bytes", "unlimited", "stack", FL_CHECK_GOOD},
        {"cpu.governor", "powersave", "governor", FL_CHECK_NOTE},
        {"cpu.governor", "absent", "governor", FL_CHECK_GOOD},
        {"cpu.turbo", "on", "turbo", FL_CHECK_NOTE},
        {"load.average", "0.9 0 0", "load", FL_CHECK_NOTE},
        {"load.average", "9.1 0 0", "load", FL_CHECK_LIMIT},
        {"load.stolen-ticks", "5", "steal", FL_CHECK_NOTE},
        {"load.stolen-ticks", "500", "steal", FL_CHECK_LIMIT},
        {"load.swapped-bytes", "2097152", "swap", FL_CHECK_NOTE},
        {"faultline.build-type", "Debug", "build", FL_CHECK_LIMIT},
        {"faultline.sanitizers", "address", "build", FL_CHECK_LIMIT},
        {"env.LD_PRELOAD", "x.so", "variables", FL_CHECK_NOTE},
        {"env.OMP_NUM_THREADS", "4", "variables", FL_CHECK_NOTE},
        {"env.LC_ALL", "C", "variables", FL_CHECK_GOOD},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        void *m;
        make_machine(&m);
        set(m, cases[i].property, cases[i].value);
        assert_only(m, cases[i].id, cases[i].status);
        drop_machine(&m);
    }
}

static void missing_hardware_counters_are_a_limit_with_their_reason(void **state)
{
    struct machine *m = *state;
    struct fl_checks checks;
    m->abilities.cycles.status = -ENOENT;
    assert_only(m, "hardware-counters", FL_CHECK_LIMIT);
    m->abilities.cycles.status = -ENODATA;
    examine(m, &checks);
    assert_non_null(strstr(find(&checks, "hardware-counters")->finding, "stays at 0"));
    fl_checks_release(&checks);
}

/* Root of a container has the name and not the right. */
static void what_counts_in_the_kernel_is_what_was_tried(void **state)
{
    struct machine *m = *state;
    set(m, "process.root", "yes");
    m->abilities.kernel_mode.status = -EACCES;
    assert_only(m, "software-events", FL_CHECK_NOTE);
}

static void without_tracepoints_the_fallback_is_named(void **state)
{
    struct machine *m = *state;
    struct fl_checks checks;
    m->abilities.tracepoint.status = -EACCES;
    assert_only(m, "tracepoints", FL_CHECK_NOTE);
    examine(m, &checks);
    assert_non_null(strstr(find(&checks, "tracepoints")->effect, "ptrace"));
    fl_checks_release(&checks);
    m->abilities.tracing.status = -EPERM;
    examine(m, &checks);
    assert_int_equal(find(&checks, "tracepoints")->status, FL_CHECK_LIMIT);
    assert_int_equal(find(&checks, "ptrace")->status, FL_CHECK_LIMIT);
    fl_checks_release(&checks);
}

static void inexact_faults_are_a_limit(void **state)
{
    struct machine *m = *state;
    m->abilities.faults = (struct fl_ability){-ENODATA, 0};
    assert_only(m, "page-faults", FL_CHECK_LIMIT);
    m->abilities.faults = (struct fl_ability){0, FL_ABILITY_PAGES + 7};
    assert_only(m, "page-faults", FL_CHECK_LIMIT);
}

static void a_quota_below_the_processors_is_a_limit(void **state)
{
    struct machine *m = *state;
    m->topology.quota = 1.5;
    assert_only(m, "quota", FL_CHECK_LIMIT);
    m->topology.quota = 4;
    assert_only(m, "quota", FL_CHECK_GOOD);
}

static void one_processor_is_a_limit_and_siblings_are_a_note(void **state)
{
    struct machine m;
    (void)state;
    describe(&m, "core:1 pu:1");
    assert_only(&m, "processors", FL_CHECK_LIMIT);
    fl_topology_release(&m.topology);
    fl_properties_clear(&m.environment);
    describe(&m, "core:2 pu:2");
    assert_only(&m, "smt", FL_CHECK_NOTE);
    fl_topology_release(&m.topology);
    fl_properties_clear(&m.environment);
}

static void missing_parts_are_listed_with_their_reasons(void **state)
{
    static const struct fl_part_state mallocs[] = {
        {"glibc", NULL}, {"jemalloc", "not found: apt-get install libjemalloc2"}, {NULL, NULL}};
    struct machine *m = *state;
    struct fl_checks checks;
    m->input.mallocs = mallocs;
    assert_only(m, "mallocs", FL_CHECK_NOTE);
    examine(m, &checks);
    assert_string_equal(find(&checks, "mallocs")->finding, "1 of 2: glibc");
    assert_string_equal(find(&checks, "mallocs")->cure,
                        "jemalloc: not found: apt-get install libjemalloc2");
    fl_checks_release(&checks);
    m->input.mallocs = NULL;
    m->input.gnuplot = NULL;
    assert_only(m, "gnuplot", FL_CHECK_NOTE);
}

static void a_missing_probe_is_a_limit(void **state)
{
    struct machine *m = *state;
    m->input.probe_library = "/nonexistent/libfaultline-probe.so";
    assert_only(m, "probe", FL_CHECK_LIMIT);
    m->input.probe_library = NULL;
    assert_only(m, "probe", FL_CHECK_LIMIT);
}

/* Where everything is unknown and fails, every check that is not good must say what to do. */
static void every_limit_says_what_it_changes_and_its_cure(void **state)
{
    struct machine *m = *state;
    struct fl_checks checks;
    fl_properties_clear(&m->environment);
    m->abilities = (struct fl_abilities){{-EPERM, 0}, {-EPERM, 0}, {-EPERM, 0},
                                         {-EPERM, 0}, {-EPERM, 0}, {-EPERM, 0}};
    m->input.lock_holder = 4711;
    examine(m, &checks);
    size_t bad = 0;
    for (size_t i = 0; i < checks.count; i++) {
        bool good = checks.items[i].status == FL_CHECK_GOOD;
        assert_true(checks.items[i].finding[0] != '\0');
        assert_int_equal(checks.items[i].effect[0] == '\0', good);
        assert_int_equal(checks.items[i].cure[0] == '\0', good);
        bad += !good;
    }
    assert_true(bad >= 6);
    fl_checks_release(&checks);
}

static char *print(const struct fl_checks *checks, unsigned width)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        abort();
    fl_doctor_print(checks, out, width);
    if (fclose(out) != 0 || text == NULL)
        abort();
    return text;
}

static void hostile_text_cannot_reach_the_terminal(void **state)
{
    struct machine *m = *state;
    struct fl_checks checks;
    set(m, "host.hypervisor",
        "\xc2\x9b"
        "2J\x9b%s%n\xff");
    m->input.probe_library = "/x\033]0;owned\007\r\n";
    examine(m, &checks);
    char *text = print(&checks, 80);
    for (const char *c = text; *c != '\0'; c++)
        assert_true(*c == '\n' || (*c >= 0x20 && *c < 0x7f));
    free(text);
    fl_checks_release(&checks);
}

static void lines_stay_within_the_width(void **state)
{
    struct machine *m = *state;
    struct fl_checks checks;
    m->abilities.cycles.status = -ENOENT;
    m->abilities.tracepoint.status = -EACCES;
    examine(m, &checks);
    char *text = print(&checks, 60);
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
        size_t length = strcspn(line, "\n");
        assert_true(length <= 60);
    }
    assert_non_null(strstr(text, "note: 1, limit: 1"));
    free(text);
    fl_checks_release(&checks);
}

static void this_machine_can_be_examined(void **state)
{
    struct fl_checks checks = {0};
    struct fl_err err = {{0}};
    (void)state;
    assert_int_equal(fl_doctor_run(NULL, NULL, &checks, &err), 0);
    assert_int_equal(find(&checks, "probe")->status, FL_CHECK_LIMIT);
    assert_non_null(strstr(find(&checks, "mallocs")->finding, "glibc"));
    for (size_t i = 0; i < checks.count; i++)
        assert_int_equal(checks.items[i].cure[0] == '\0', checks.items[i].status == FL_CHECK_GOOD);
    fl_checks_release(&checks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_perfect_machine_has_nothing_but_good_checks, make_machine,
                                        drop_machine),
        cmocka_unit_test(each_setting_spoils_its_own_check),
        cmocka_unit_test_setup_teardown(missing_hardware_counters_are_a_limit_with_their_reason,
                                        make_machine, drop_machine),
        cmocka_unit_test_setup_teardown(what_counts_in_the_kernel_is_what_was_tried, make_machine,
                                        drop_machine),
        cmocka_unit_test_setup_teardown(without_tracepoints_the_fallback_is_named, make_machine,
                                        drop_machine),
        cmocka_unit_test_setup_teardown(inexact_faults_are_a_limit, make_machine, drop_machine),
        cmocka_unit_test_setup_teardown(a_quota_below_the_processors_is_a_limit, make_machine,
                                        drop_machine),
        cmocka_unit_test(one_processor_is_a_limit_and_siblings_are_a_note),
        cmocka_unit_test_setup_teardown(missing_parts_are_listed_with_their_reasons, make_machine,
                                        drop_machine),
        cmocka_unit_test_setup_teardown(a_missing_probe_is_a_limit, make_machine, drop_machine),
        cmocka_unit_test_setup_teardown(every_limit_says_what_it_changes_and_its_cure, make_machine,
                                        drop_machine),
        cmocka_unit_test_setup_teardown(hostile_text_cannot_reach_the_terminal, make_machine,
                                        drop_machine),
        cmocka_unit_test_setup_teardown(lines_stay_within_the_width, make_machine, drop_machine),
        cmocka_unit_test(this_machine_can_be_examined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
