/* SPDX-License-Identifier: Apache-2.0 */
/* In which line a cell is written, and which file a stored command line meant. */
#include <errno.h>
#include <limits.h>
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

#include "runner/scenario-places.h"

#define TEXT "[scenario]\nname = t\n[factors]\nkernel = mine, \"a, b\"\nn = 8, 16,\n    32\nm = 1\n"

static struct fl_scenario_places places;

static void must_read(const char *text)
{
    struct fl_err err = {.text = ""};
    if (fl_scenario_places_read("t.ini", text, strlen(text), &places, &err))
        fail_msg("%s", err.text);
}

static void the_level_of_the_longest_list_is_the_place(void **state)
{
    (void)state;
    must_read(TEXT);
    assert_int_equal(fl_scenario_places_line(&places, "kernel=mine n=16 m=1"), 5);
    assert_int_equal(fl_scenario_places_line(&places, "kernel=mine n=32 m=1"), 6);
    assert_int_equal(fl_scenario_places_line(&places, "kernel=\"a, b\" n=64"), 4);
    assert_int_equal(fl_scenario_places_line(&places, "m=1"), 7);
    assert_int_equal(fl_scenario_places_line(&places, "all cells"), 1);
    fl_scenario_places_release(&places);
}

static void cells_that_are_named_have_lines_of_their_own(void **state)
{
    (void)state;
    must_read("[cells]\nkernel=mine n=8\nkernel=mine\n    n=16 workspace=\"a b\"\n");
    assert_int_equal(fl_scenario_places_line(&places, "kernel=mine n=8 malloc=glibc"), 2);
    assert_int_equal(
        fl_scenario_places_line(&places, "kernel=mine n=16 workspace=\"a b\" malloc=glibc"), 3);
    assert_int_equal(fl_scenario_places_line(&places, "kernel=mine n=9"), 1);
    fl_scenario_places_release(&places);
}

static void write_file(const char *path, const char *text)
{
    FILE *out = fopen(path, "we");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static void a_file_is_found_while_it_has_the_text(void **state)
{
    char folder[] = "/tmp/faultline-lines-XXXXXX", file[64], line[256], found[PATH_MAX];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/it's.ini", folder);
    write_file(file, TEXT);
    snprintf(line, sizeof line, "faultline run --label 'x y' none.ini '%s/it'\\''s.ini'", folder);
    assert_int_equal(fl_scenario_file_of(line, TEXT, found, sizeof found), 0);
    assert_string_equal(found, file);
    assert_int_equal(fl_scenario_file_of(line, TEXT "n", found, sizeof found), -ENOENT);
    assert_int_equal(fl_scenario_file_of("faultline run t", TEXT, found, sizeof found), -ENOENT);
    assert_int_equal(fl_scenario_file_of("", TEXT, found, sizeof found), -ENOENT);
    unlink(file);
    rmdir(folder);
}

static void paths_are_relative_to_the_repository(void **state)
{
    char folder[] = "/tmp/faultline-lines-XXXXXX", inner[64], file[80], mark[64], out[PATH_MAX];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(inner, sizeof inner, "%s/bench", folder);
    snprintf(file, sizeof file, "%s/a.ini", inner);
    snprintf(mark, sizeof mark, "%s/.git", folder);
    mkdir(inner, 0700);
    write_file(file, TEXT);
    fl_repository_path(file, out, sizeof out);
    assert_string_equal(out, file);
    mkdir(mark, 0700);
    fl_repository_path(file, out, sizeof out);
    assert_string_equal(out, "bench/a.ini");
    fl_repository_path("none.ini", out, sizeof out);
    assert_string_equal(out, "none.ini");
    unlink(file);
    rmdir(mark);
    rmdir(inner);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_level_of_the_longest_list_is_the_place),
        cmocka_unit_test(cells_that_are_named_have_lines_of_their_own),
        cmocka_unit_test(a_file_is_found_while_it_has_the_text),
        cmocka_unit_test(paths_are_relative_to_the_repository),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
