/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Abilities on this machine: repeatable, consistent with what was done, and nothing left behind.
 */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "machine/ability.h"
#include "machine/loaded-object.h"

static void what_is_counted_is_at_least_what_was_done(void **state)
{
    struct fl_abilities a;
    (void)state;
    fl_abilities_probe(&a);
    assert_true(a.faults.status != 0 || a.faults.counted >= FL_ABILITY_PAGES);
    assert_true(a.software.status != 0 || a.software.counted >= 1);
    assert_true(a.kernel_mode.status != 0 || a.kernel_mode.counted >= 1);
    assert_true(a.kernel_mode.status != 0 || a.software.status == 0);
    assert_true(a.cycles.status != 0 || a.cycles.counted >= 1);
    assert_true(a.tracepoint.status != 0 || a.tracepoint.counted >= 1);
    assert_int_equal(a.tracing.counted, a.tracing.status == 0);
}

static void the_same_things_can_be_counted_twice(void **state)
{
    struct fl_abilities a, b;
    (void)state;
    fl_abilities_probe(&a);
    fl_abilities_probe(&b);
    assert_int_equal(a.faults.status, b.faults.status);
    assert_int_equal(a.cycles.status, b.cycles.status);
    assert_int_equal(a.software.status, b.software.status);
    assert_int_equal(a.tracepoint.status, b.tracepoint.status);
    assert_int_equal(a.tracing.status, b.tracing.status);
}

static unsigned open_files(void)
{
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL)
        abort();
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

static void no_child_and_no_file_is_left(void **state)
{
    struct fl_abilities a;
    unsigned before = open_files();
    (void)state;
    fl_abilities_probe(&a);
    assert_int_equal(open_files(), before);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void the_c_library_is_found_with_its_build_id(void **state)
{
    struct fl_loaded_object libc, none;
    (void)state;
    assert_int_equal(fl_loaded_object_find("libc.so", &libc), 0);
    assert_int_equal(access(libc.path, R_OK), 0);
    assert_int_equal(strspn(libc.build_id, "0123456789abcdef"), strlen(libc.build_id));
    assert_true(strlen(libc.build_id) >= 16);
    assert_int_equal(fl_loaded_object_find("libnothing.so", &none), -ENOENT);
    assert_string_equal(none.build_id, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_counted_is_at_least_what_was_done),
        cmocka_unit_test(the_same_things_can_be_counted_twice),
        cmocka_unit_test(no_child_and_no_file_is_left),
        cmocka_unit_test(the_c_library_is_found_with_its_build_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
