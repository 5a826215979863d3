/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parsers of /proc texts: what they find, and that no bytes upset them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine/cgroup.h"
#include "machine/cpu-time.h"
#include "machine/cpulist.h"
#include "machine/procfile.h"

static void fields_are_found_by_their_whole_name(void **state)
{
    static const char text[] = "model\t\t: 167\nmodel name\t: Some CPU @ 2 GHz \nempty\t:\n";
    char value[64];
    (void)state;
    assert_true(fl_proc_field(text, "model name", value, sizeof value));
    assert_string_equal(value, "Some CPU @ 2 GHz");
    assert_true(fl_proc_field(text, "model", value, sizeof value));
    assert_string_equal(value, "167");
    assert_true(fl_proc_field(text, "empty", value, sizeof value));
    assert_string_equal(value, "");
    assert_false(fl_proc_field(text, "mode", value, sizeof value));
    assert_false(fl_proc_field(text, "model name", value, 4));
}

static void sizes_are_bytes(void **state)
{
    unsigned long long bytes = 0;
    (void)state;
    assert_true(fl_proc_bytes("MemTotal:       24684084 kB\n", "MemTotal", &bytes));
    assert_true(bytes == 24684084ull * 1024);
    assert_true(fl_proc_bytes("HugePages_Total:  7\n", "HugePages_Total", &bytes));
    assert_true(bytes == 7);
    assert_false(fl_proc_bytes("MemTotal: -1 kB\n", "MemTotal", &bytes));
    assert_false(fl_proc_bytes("MemTotal: 99999999999999999999 kB\n", "MemTotal", &bytes));
    assert_false(fl_proc_bytes("MemTotal: lots\n", "MemTotal", &bytes));
}

static void the_bracketed_word_is_the_choice(void **state)
{
    char value[32];
    (void)state;
    assert_true(fl_proc_choice("always [madvise] never", value, sizeof value));
    assert_string_equal(value, "madvise");
    assert_false(fl_proc_choice("never", value, sizeof value));
    assert_string_equal(value, "never");
    assert_false(fl_proc_choice("a ]b[ c", value, sizeof value));
}

static void quoted_assignments_lose_their_quotes(void **state)
{
    char value[64];
    (void)state;
    assert_true(fl_proc_assignment("ID=debian\nPRETTY_NAME=\"Debian 12\"\n", "PRETTY_NAME", value,
                                   sizeof value));
    assert_string_equal(value, "Debian 12");
    assert_true(fl_proc_assignment("A=\"\n", "A", value, sizeof value));
    assert_string_equal(value, "\"");
}

static void isa_levels_follow_the_flags(void **state)
{
    char level[32];
    const char *v2 = "cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3";
    (void)state;
    fl_proc_isa_level("x86_64", "", level, sizeof level);
    assert_string_equal(level, "x86-64-v1");
    fl_proc_isa_level("x86_64", v2, level, sizeof level);
    assert_string_equal(level, "x86-64-v2");
    fl_proc_isa_level("x86_64",
                      "cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3 avx avx2 bmi1 bmi2 f16c fma abm "
                      "movbe xsave",
                      level, sizeof level);
    assert_string_equal(level, "x86-64-v3");
    fl_proc_isa_level("aarch64", "fp asimd sve", level, sizeof level);
    assert_string_equal(level, "aarch64+sve");
    fl_proc_isa_level("riscv64", "", level, sizeof level);
    assert_string_equal(level, "riscv64");
}

static void processor_time_counts_steal_apart(void **state)
{
    static const char text[] = "cpu  100 10 50 1000 40 1 2 30 0 0\n"
                               "cpu0 60 5 25 500 20 1 1 10 0 0\n"
                               "cpu10 1 1 1 1\nintr 5\n";
    struct fl_cpu_time all, one, ten;
    (void)state;
    assert_int_equal(fl_cpu_time_parse(text, FL_CPU_TIME_ALL, &all), 0);
    assert_int_equal(all.busy, 163);
    assert_int_equal(all.idle, 1040);
    assert_int_equal(all.steal, 30);
    assert_int_equal(fl_cpu_time_parse(text, 0, &one), 0);
    assert_int_equal(one.steal, 10);
    assert_int_equal(fl_cpu_time_parse(text, 10, &ten), 0);
    assert_int_equal(ten.busy, 3);
    assert_true(fl_cpu_time_parse(text, 1, &one) < 0);
    assert_true(fl_cpu_time_parse("cpu a b c\n", FL_CPU_TIME_ALL, &one) < 0);
}

static void the_steal_share_is_of_wanted_time(void **state)
{
    struct fl_cpu_time a = {.busy = 100, .idle = 5, .steal = 10};
    struct fl_cpu_time b = {.busy = 130, .idle = 1005, .steal = 20};
    struct fl_cpu_time delta = fl_cpu_time_since(&a, &b);
    struct fl_cpu_time back = fl_cpu_time_since(&b, &a), idle = {.idle = 7};
    (void)state;
    assert_true(fl_cpu_time_steal_share(&delta) > 0.2499 &&
                fl_cpu_time_steal_share(&delta) < 0.2501);
    assert_int_equal(back.busy, 0);
    assert_true(fl_cpu_time_steal_share(&idle) <= 0);
}

static void time_passes_on_this_machine(void **state)
{
    struct fl_cpu_time first, second;
    (void)state;
    assert_int_equal(fl_cpu_time_read(NULL, FL_CPU_TIME_ALL, &first), 0);
    do
        assert_int_equal(fl_cpu_time_read("", FL_CPU_TIME_ALL, &second), 0);
    while (second.busy + second.idle + second.steal == first.busy + first.idle + first.steal);
    struct fl_cpu_time delta = fl_cpu_time_since(&first, &second);
    assert_true(delta.busy + delta.idle + delta.steal > 0);
}

/* Feeds one text to every parser; a sanitizer build is what judges. */
static void feed(const char *text)
{
    char value[32];
    unsigned long long bytes;
    struct fl_cpu_time time;
    struct fl_cpulist list;
    fl_proc_field(text, "a", value, sizeof value);
    fl_proc_bytes(text, "a", &bytes);
    fl_proc_assignment(text, "a", value, sizeof value);
    fl_proc_choice(text, value, sizeof value);
    fl_proc_has_word(text, "a");
    fl_proc_isa_level("x86_64", text, value, sizeof value);
    fl_cgroup_parse_cpu_max(text);
    assert_true(fl_cpulist_parse(text, &list) <= 0);
    assert_true(fl_cpu_time_parse(text, 0, &time) <= 0);
}

static void random_bytes_upset_no_parser(void **state)
{
    static const char alphabet[] = "a0:=[]\"\n \t,-9cpu\xff\x01";
    unsigned seed = 1;
    (void)state;
    for (int round = 0; round < 20000; round++) {
        size_t length = (size_t)rand_r(&seed) % 40;
        char *text = malloc(length + 1);
        for (size_t i = 0; i < length; i++)
            text[i] = alphabet[(size_t)rand_r(&seed) % (sizeof alphabet - 1)];
        text[length] = '\0';
        feed(text);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_found_by_their_whole_name),
        cmocka_unit_test(sizes_are_bytes),
        cmocka_unit_test(the_bracketed_word_is_the_choice),
        cmocka_unit_test(quoted_assignments_lose_their_quotes),
        cmocka_unit_test(isa_levels_follow_the_flags),
        cmocka_unit_test(processor_time_counts_steal_apart),
        cmocka_unit_test(the_steal_share_is_of_wanted_time),
        cmocka_unit_test(time_passes_on_this_machine),
        cmocka_unit_test(random_bytes_upset_no_parser),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
