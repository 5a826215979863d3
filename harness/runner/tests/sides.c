/* SPDX-License-Identifier: Apache-2.0 */
/* What the text of a side may say, the cells it makes, and the copies that are measured. */
#include <dlfcn.h>
#include <errno.h>
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

#include "runner/side.h"

static const char text[] = "[scenario]\nname = s\n[libraries]\nmine = /proc/self/exe\n[factors]\n"
                           "kernel = null\nrequests = none, 64\nmalloc = glibc, glibc-pinned\n";
static const char foreign[] = "[scenario]\nname = f\n[libraries]\nmine = /nowhere/x.so\n[factors]\n"
                              "kernel = dgemm\nn = 8\nlibrary = faultline, mine\n";

static struct fl_scenario scenario;
static struct fl_side side;
static struct fl_plan plan;
static struct fl_err err;

static int open_side(const char *from, const char *words)
{
    const struct fl_side_request request = {.text = words, .scenario = &scenario, .worker = "/w"};
    err.text[0] = 0;
    assert_int_equal(fl_scenario_read("s.ini", from, strlen(from), false, &scenario, &err), 0);
    return fl_side_open(&side, &request, &err);
}

static void must_plan(const char *words)
{
    if (open_side(text, words) || side.ops->plan(&side, &plan, &err))
        fail_msg("%s", err.text);
}

static void done(void)
{
    fl_plan_release(&plan);
    fl_side_close(&side);
    fl_scenario_release(&scenario);
}

static void must_refuse(const char *from, const char *words, const char *reason)
{
    assert_int_not_equal(open_side(from, words), 0);
    if (!strstr(err.text, reason))
        fail_msg("'%s' does not say: %s", err.text, reason);
    fl_scenario_release(&scenario);
}

static size_t keys_with(const char *word)
{
    size_t count = 0;
    for (size_t i = 0; i < plan.count; i++)
        count += strstr(plan.keys[i], word) != NULL;
    return count;
}

static void an_empty_text_is_the_scenario(void **state)
{
    (void)state;
    must_plan("");
    assert_int_equal(plan.count, 4);
    assert_string_equal(side.worker, "/w");
    assert_int_equal(side.named_count, 0);
    done();
}

static void a_factor_takes_the_place_of_a_list(void **state)
{
    (void)state;
    must_plan("malloc=glibc-pinned  requests=\"64\"");
    assert_int_equal(plan.count, 1);
    assert_int_equal(keys_with("malloc=glibc-pinned"), 1);
    assert_int_equal(side.named_count, 2);
    assert_string_equal(side.named[1].level, "64");
    done();
}

static void a_selector_limits_a_factor_to_some_cells(void **state)
{
    (void)state;
    must_plan("malloc=glibc requests=none : requests=300K");
    assert_int_equal(plan.count, 4);
    assert_int_equal(keys_with("requests=300K"), 1);
    assert_int_equal(keys_with("requests=64"), 2);
    done();
}

static void a_selector_that_meets_no_cell_is_refused(void **state)
{
    (void)state;
    assert_int_equal(open_side(text, "requests=63 : malloc=glibc-pinned"), 0);
    assert_int_equal(side.ops->plan(&side, &plan, &err), -EINVAL);
    assert_non_null(strstr(err.text, "'requests=63 : malloc=glibc-pinned' selects no cell"));
    fl_side_close(&side);
    fl_scenario_release(&scenario);
}

static void mistakes_name_what_is_wrong(void **state)
{
    (void)state;
    must_refuse(text, "maloc=glibc", "malloc");
    must_refuse(text, "malloc=glibc malloc=glibc-pinned", "named twice");
    must_refuse(text, "malloc=glibc,glibc-pinned", "glibc,glibc-pinned");
    must_refuse(text, "kernel=null : ", "no FACTOR=LEVEL behind ':'");
    must_refuse(text, "requests=64 : worker=/bin/true", "cannot be limited");
    must_refuse(text, "requests : malloc=glibc", "expected factor=level");
    must_refuse(text, "fact.x=y : malloc=glibc", "facts");
    must_refuse(text, "worker=/no/such/worker", "No such file");
    must_refuse(text, "worker=/etc/passwd", "Permission denied");
    must_refuse(text, "library=/proc/self/exe", "library=ALIAS:PATH");
    must_refuse(text, "malloc", "malloc");
    must_refuse(foreign, "library=/no/such.so", "no/such.so");
}

static void a_path_takes_the_place_of_a_librarys_file(void **state)
{
    (void)state;
    assert_int_equal(open_side(foreign, "library=mine:/proc/self/exe"), 0);
    assert_string_equal(fl_scenario_library(&scenario, "mine"), "/proc/self/exe");
    fl_side_close(&side);
    fl_scenario_release(&scenario);
    assert_int_equal(open_side(foreign, "library=/proc/self/exe"), 0);
    assert_string_equal(fl_scenario_library(&scenario, "mine"), "/proc/self/exe");
    fl_side_close(&side);
    fl_scenario_release(&scenario);
    assert_int_equal(open_side(foreign, "library=mine"), 0);
    assert_string_equal(side.named[0].level, "mine");
    done();
}

static void copies_have_paths_of_one_length(void **state)
{
    struct fl_side other;
    struct fl_scenario second;
    char kept[PATH_MAX], words[PATH_MAX + 64];
    Dl_info cmocka; /* a library that needs no other beside itself */
    (void)state;
    assert_int_not_equal(dladdr((const void *)(uintptr_t)cmocka_set_message_output, &cmocka), 0);
    snprintf(words, sizeof words, "worker=/proc/self/exe library=mine:%s", cmocka.dli_fname);
    const struct fl_side_request request = {
        .text = "worker=/bin/true", .scenario = &second, .worker = "/w"};
    assert_int_equal(open_side(foreign, words), 0);
    assert_int_equal(fl_scenario_read("s.ini", text, strlen(text), false, &second, &err), 0);
    assert_int_equal(fl_side_open(&other, &request, &err), 0);
    assert_int_equal(fl_side_make_private(&side, &err), 0);
    assert_int_equal(fl_side_make_private(&other, &err), 0);
    assert_int_equal(strlen(side.worker), strlen(other.worker));
    assert_string_not_equal(side.worker, other.worker);
    assert_string_not_equal(side.worker, side.original);
    assert_int_equal(access(side.worker, X_OK), 0);
    assert_string_not_equal(fl_scenario_library(&scenario, "mine"), cmocka.dli_fname);
    snprintf(kept, sizeof kept, "%s", side.folder.path);
    fl_side_close(&side);
    assert_int_equal(access(kept, F_OK), -1);
    assert_int_equal(access(other.worker, X_OK), 0);
    fl_side_close(&other);
    fl_scenario_release(&scenario);
    fl_scenario_release(&second);
}

/* Only the head names a file: the base's is copied as well, and what it has not got is not. */
static void what_one_side_names_is_copied_on_both(void **state)
{
    struct fl_side head;
    struct fl_scenario second;
    char words[PATH_MAX + 64], own[PATH_MAX + 256];
    Dl_info cmocka;
    (void)state;
    assert_int_not_equal(dladdr((const void *)(uintptr_t)cmocka_set_message_output, &cmocka), 0);
    snprintf(words, sizeof words, "library=mine:%s library=none:%s", cmocka.dli_fname,
             cmocka.dli_fname);
    snprintf(own, sizeof own,
             "[scenario]\nname = f\n[libraries]\nmine = %s\nnone = /nowhere/x.so\n[factors]\n"
             "kernel = dgemm\nn = 8\nlibrary = faultline, mine\n",
             cmocka.dli_fname);
    assert_int_equal(open_side(own, "worker=/bin/true"), 0);
    const struct fl_side_request request = {
        .text = words, .scenario = &second, .worker = "/bin/true"};
    assert_int_equal(fl_scenario_read("s.ini", own, strlen(own), false, &second, &err), 0);
    assert_int_equal(fl_side_open(&head, &request, &err), 0);
    fl_side_copy_alike(&side, &head);
    assert_int_equal(side.library_count, 1);
    fl_side_copy_alike(&head, &side);
    assert_int_equal(head.library_count, 2);
    assert_int_equal(fl_side_make_private(&side, &err), 0);
    assert_int_equal(fl_side_make_private(&head, &err), 0);
    const char *base_path = fl_scenario_library(&scenario, "mine");
    const char *head_path = fl_scenario_library(&second, "mine");
    assert_string_not_equal(base_path, cmocka.dli_fname);
    assert_string_not_equal(base_path, head_path);
    assert_int_equal(strlen(base_path), strlen(head_path));
    fl_side_close(&side);
    fl_side_close(&head);
    fl_scenario_release(&scenario);
    fl_scenario_release(&second);
}

/* As after a kill: the folder and its lock are there, nobody holds it. */
static void folders_of_the_dead_are_swept(void **state)
{
    struct fl_private_folder folder;
    char dead[] = "/tmp/faultline-side-XXXXXX", lock[64], copy[64], stranger[64];
    (void)state;
    unsetenv("TMPDIR");
    assert_non_null(mkdtemp(dead));
    snprintf(lock, sizeof lock, "%s/lock", dead);
    snprintf(copy, sizeof copy, "%s/file-00", dead);
    snprintf(stranger, sizeof stranger, "%s/mine", dead);
    fclose(fopen(lock, "w"));
    fclose(fopen(copy, "w"));
    fclose(fopen(stranger, "w"));
    assert_int_equal(fl_private_folder_open(&folder, &err), 0);
    assert_int_equal(access(copy, F_OK), -1);
    assert_int_equal(access(stranger, F_OK), 0);
    fl_private_folder_close(&folder);
    unlink(stranger);
    rmdir(dead);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_text_is_the_scenario),
        cmocka_unit_test(a_factor_takes_the_place_of_a_list),
        cmocka_unit_test(a_selector_limits_a_factor_to_some_cells),
        cmocka_unit_test(a_selector_that_meets_no_cell_is_refused),
        cmocka_unit_test(mistakes_name_what_is_wrong),
        cmocka_unit_test(a_path_takes_the_place_of_a_librarys_file),
        cmocka_unit_test(copies_have_paths_of_one_length),
        cmocka_unit_test(what_one_side_names_is_copied_on_both),
        cmocka_unit_test(folders_of_the_dead_are_swept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
